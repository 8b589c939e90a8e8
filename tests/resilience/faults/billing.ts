import { Temporal } from "temporal-polyfill";
import type { Chance } from "#tests/resilience/faults/chance.ts";
import { type Deed, run, type World } from "#tests/resilience/faults/world.ts";

/** Further ahead than the worker bills, so that the operator always has something left to bill. */
const daysAhead = 45;

/** The operator bills ahead, while the worker bills the missed months. */
export function billing(): Deed {
  const asOf = Temporal.Now.plainDateISO("America/New_York").add({ days: daysAhead }).toString();
  let runs = 0;
  const bill = async (world: World) => {
    runs += 1;
    const network = String(world.scene.networkId);
    return await run(world, ["billing", "--as-of", asOf, "--network", network]);
  };
  return {
    go: async (world, _chance: Chance, isOver) => {
      while (!isOver()) if ((await bill(world)).code === 0) return;
    },
    again: async (world) => {
      const { code, said } = await bill(world);
      if (code !== 0) throw new Error(`Billing ended with ${code}: ${said}`);
    },
    offences: async (world) => await offencesOf(world, asOf),
    size: () => runs,
  };
}

/**
 * Every period through the date of every enrolment that was not undone, by PostgreSQL's own calendar instead
 * of the product's.
 */
async function offencesOf({ ask, scene }: World, asOf: string): Promise<string[]> {
  const rows = await ask<{ enrolment: string; periods: number; debits: number }>(
    `select e.id as enrolment, count(*)::integer as periods, (
       select count(*)::integer from debits d
       where d.network_id = e.network_id and d.enrolment_id = e.id) as debits
     from enrolments e
     join plans p on p.network_id = e.network_id and p.id = e.plan_id
     cross join generate_series(e.first_period, 400) as k
     where e.network_id = $1
       and not exists (select from enrolment_batches b
         where b.network_id = e.network_id and b.id = e.batch_id and b.undone_at is not null)
       and (e.start_date + make_interval(months => k * p.frequency_in_months))::date <= $2
     group by e.network_id, e.id
     having count(*) <> (select count(*) from debits d
       where d.network_id = e.network_id and d.enrolment_id = e.id)
     limit 5`,
    [scene.networkId, asOf],
  );
  return rows.map(
    ({ enrolment, periods, debits }) =>
      `enrolment ${enrolment} has ${debits} debits for ${periods} periods`,
  );
}
