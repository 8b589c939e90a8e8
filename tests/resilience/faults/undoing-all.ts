import { z } from "zod";
import { Diary, isDone } from "#tests/resilience/faults/caller.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";

const Subscribed = z.object({ batchId: z.number() });

/** The administrator subscribes everyone by mistake, billed immediately, and undoes it. */
export function undoingAll(): Deed {
  const diary = new Diary();

  async function undo(world: World, batch: number) {
    const path = `/lrs_subscription_instances/subscribe_all/${batch}/undo`;
    return diary.note(String(batch), await ask(world, world.scene.admin, "POST", path, {}));
  }

  return {
    go: async (world, chance, isOver) => {
      await keepDoing(chance, isOver, async () => {
        const answer = await ask(
          world,
          world.scene.admin,
          "POST",
          "/lrs_subscription_instances/subscribe_all",
          {
            lrs_subscription_id: world.scene.mistakenPlan,
            start_date: "2026-01-01",
            bill_immediately: true,
          },
        );
        if (!isDone(answer)) return answer;
        return await undo(world, Subscribed.parse(answer.object).batchId);
      });
    },
    // Repeat undos that were not made or not acknowledged.
    again: async (world) => {
      for (const { id } of await batchesOf(world)) await undo(world, id);
    },
    offences: async (world) => {
      const left = await batchesOf(world);
      const [found] = await world.ask<Record<"enrolled" | "owed" | "counted" | "half", number>>(
        `select
           (select count(*)::integer from enrolments where network_id = $1 and plan_id = $2
             and archived_at is null) as enrolled,
           (select coalesce(sum(d.balance_cents), 0)::integer from debits d
             join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
             where e.network_id = $1 and e.plan_id = $2) as owed,
           (select enrolled_count::integer from plans where network_id = $1 and id = $2) as counted,
           (select count(*)::integer from enrolment_batches b where b.network_id = $1 and b.plan_id = $2
             and b.enrolments <> (select count(*) from enrolments e
               where e.network_id = b.network_id and e.batch_id = b.id)) as half`,
        [world.scene.networkId, world.scene.mistakenPlan],
      );
      const offences = Object.entries({ ...found, batches: left.length })
        .filter(([, count]) => count !== 0)
        .map(([what, count]) => `after undoing Subscribe all: ${what} ${count}`);
      return [...offences, ...undoneTwice(diary)];
    },
    size: () => diary.pages.size,
  };
}

async function batchesOf(world: World): Promise<{ id: number }[]> {
  return await world.ask<{ id: number }>(
    `select id::integer from enrolment_batches
     where network_id = $1 and plan_id = $2 and undone_at is null and enrolments > 0 order by id`,
    [world.scene.networkId, world.scene.mistakenPlan],
  );
}

function undoneTwice({ pages }: Diary): string[] {
  return [...pages].flatMap(([batch, answers]) =>
    answers.filter(isDone).length > 1 ? [`Subscribe all ${batch} was undone twice`] : [],
  );
}
