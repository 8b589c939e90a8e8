import { z } from "zod";
import { type Answer, Diary, isDone, offence } from "#tests/resilience/faults/caller.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";

const Check = z.object({ id: z.number() });

/** The administrator records a firm's checks as approved, and the bank returns some of them. */
export function checksOfFirms(): Deed {
  const recorded = new Diary();
  const returned = new Diary();

  async function record(world: World, number: string): Promise<Answer> {
    const { firm, payers, admin } = world.scene;
    const [one, other] = payers.slice(-2);
    const body = {
      check_number: number,
      amount: "1.25",
      received_on: daysAgo(2),
      firm_id: firm,
      shares: { [one?.debits[0] ?? 0]: "0.50", [other?.debits[0] ?? 0]: "0.50" },
      credits: { [one?.attorneyId ?? 0]: "0.25" },
      approve: true,
    };
    return recorded.note(number, await ask(world, admin, "POST", "/checks", body));
  }

  async function bounce(world: World, checkId: string): Promise<void> {
    const body = { returned_on: daysAgo(2), fee: "1.00" };
    const path = `/checks/${checkId}/returned`;
    returned.note(checkId, await ask(world, world.scene.admin, "POST", path, body));
  }

  return {
    go: async (world, chance, isOver) =>
      await keepDoing(
        chance,
        isOver,
        async (turn) => {
          const answer = await record(world, `W-${turn}`);
          if (isDone(answer) && chance.isIt(0.5))
            await bounce(world, String(Check.parse(answer.object).id));
          return answer;
        },
        100,
      ),
    again: async (world) => {
      for (const number of recorded.open()) await record(world, number);
      for (const checkId of returned.open()) await bounce(world, checkId);
    },
    offences: async (world) => [
      ...(await offencesOfChecks(world, recorded)),
      ...(await offencesOfReturns(world, returned)),
    ],
    size: () => recorded.pages.size + returned.pages.size,
  };
}

/** In the past in every time zone. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

async function offencesOfChecks(world: World, recorded: Diary): Promise<string[]> {
  const rows = await world.ask<{ number: string; count: number }>(
    `select c.check_number as number, count(*)::integer as count from received_checks c
     where c.network_id = $1 and c.check_number like 'W-%' and c.amount_cents = (
       select sum(p.amount_cents) from payments p
       where p.network_id = c.network_id and p.received_check_id = c.id) group by 1`,
    [world.scene.networkId],
  );
  const counts = new Map(rows.map(({ number, count }) => [number, count]));
  return [...recorded.pages].flatMap(([number, answers]) =>
    offence(`check ${number}`, withoutConflicts(answers), counts.get(number) ?? 0),
  );
}

/** Each has one fee, and none of its payments counts. */
async function offencesOfReturns(world: World, returned: Diary): Promise<string[]> {
  const rows = await world.ask<{ id: string; count: number }>(
    `select c.id::text, count(k.id)::integer as count from received_checks c
     left join charges k on k.network_id = c.network_id and k.name = 'Returned check ' || c.check_number
     where c.network_id = $1 and c.id = any($2::bigint[]) and c.status = 'returned'
       and c.return_charge_id = k.id group by 1`,
    [world.scene.networkId, [...returned.pages.keys()]],
  );
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return [...returned.pages].flatMap(([id, answers]) =>
    offence(`return of check ${id}`, withoutConflicts(answers), counts.get(id) ?? 0),
  );
}

/** "Already done" after a lost answer shows that it is there: it is not a refusal. */
function withoutConflicts(answers: Answer[]): Answer[] {
  return answers.map((answer) => (answer.status === 409 ? { ...answer, status: 202 } : answer));
}
