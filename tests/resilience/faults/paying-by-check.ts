import { z } from "zod";
import { type Answer, Diary, isDone, offence } from "#tests/resilience/faults/caller.ts";
import type { Payer } from "#tests/resilience/faults/scene.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";

/** The part of the attorney record that shows which shares are pending. */
const Waiting = z.object({
  debits: z.array(
    z.object({ pendingPayments: z.array(z.object({ id: z.number(), checkNumber: z.string() })) }),
  ),
});

interface Check {
  payer: Payer;
  debitId: number;
  number: string;
}

type Decision = "approved" | "denied";

/** Attorneys record checks, the administrator decides some of them. */
export function payingByCheck(): Deed {
  const recorded = new Diary();
  const decided = new Diary();
  const checks = new Map<string, Check>();
  const decisions = new Map<string, Decision>();

  async function record(world: World, { payer, debitId, number }: Check): Promise<Answer> {
    const body = { payment_hash: { [debitId]: "0.50" }, check_number: number };
    const path = "/lrs_subscription_check_payments/";
    return recorded.note(number, await ask(world, payer.session, "POST", path, body));
  }

  async function decide(world: World, shareId: string, decision: Decision): Promise<void> {
    decisions.set(shareId, decision);
    const path = "/lrs_subscription_check_payments/confirm";
    const body = { statuses: { [shareId]: decision } };
    decided.note(shareId, await ask(world, world.scene.admin, "POST", path, body));
  }

  return {
    go: async (world, chance, isOver) => {
      const lane = (payer: Payer) =>
        keepDoing(chance, isOver, async (turn) => {
          const debitId = payer.debits[turn % 4] ?? 0;
          const check = { payer, debitId, number: `F-${payer.attorneyId}-${turn}` };
          checks.set(check.number, check);
          const answer = await record(world, check);
          const share = shareOf(answer, check.number);
          if (share && chance.isIt(0.5))
            await decide(world, share, chance.isIt(0.8) ? "approved" : "denied");
          return answer;
        });
      await Promise.all(world.scene.payers.slice(0, 3).map(lane));
    },

    again: async (world) => {
      for (const number of recorded.open()) {
        const check = checks.get(number);
        if (check) await record(world, check);
      }
      for (const share of decided.open())
        await decide(world, share, decisions.get(share) ?? "approved");
    },

    offences: async (world) => [
      ...(await offencesOfChecks(world, recorded)),
      ...(await offencesOfDecisions(world, decided, decisions)),
    ],
    size: () => recorded.pages.size + decided.pages.size,
  };
}

function shareOf(answer: Answer, number: string): string | null {
  if (!isDone(answer)) return null;
  const shares = Waiting.parse(answer.object).debits.flatMap((debit) => debit.pendingPayments);
  const share = shares.find(({ checkNumber }) => checkNumber === number);
  return share ? String(share.id) : null;
}

async function offencesOfChecks(world: World, recorded: Diary): Promise<string[]> {
  const rows = await world.ask<{ number: string; count: number }>(
    `select check_number as number, count(*)::integer as count from payment_allocations
     where network_id = $1 and check_number like 'F-%' group by 1`,
    [world.scene.networkId],
  );
  const counts = new Map(rows.map(({ number, count }) => [number, count]));
  return [...recorded.pages].flatMap(([number, answers]) => {
    const count = counts.get(number) ?? 0;
    // Repeated when everything worked again, so it must be there by now.
    if (count === 0) return [`check ${number} could not be recorded: ${answersText(answers)}`];
    return offence(`check ${number}`, withoutConflicts(answers), count);
  });
}

async function offencesOfDecisions(
  world: World,
  decided: Diary,
  decisions: Map<string, Decision>,
): Promise<string[]> {
  const rows = await world.ask<{ id: string; status: string; entries: number }>(
    `select s.id, s.status, (select count(*)::integer from entries l
       where l.network_id = s.network_id and l.allocation_id = s.id) as entries
     from payment_allocations s where s.network_id = $1 and s.id = any($2::bigint[])`,
    [world.scene.networkId, [...decisions.keys()]],
  );
  return rows.flatMap(({ id, status, entries }) => {
    const expected = decisions.get(id);
    const answers = decided.pages.get(id) ?? [];
    const isThere = status === expected && entries === (expected === "approved" ? 1 : 0);
    if (isThere) return offence(`decision about share ${id}`, withoutConflicts(answers), 1);
    return [
      `share ${id} should be ${expected}: ${status}, ${entries} entries; ${answersText(answers)}`,
    ];
  });
}

/** "Already recorded" after a lost answer shows that it is there: it is not a refusal. */
function withoutConflicts(answers: Answer[]): Answer[] {
  return answers.map((answer) => (answer.status === 409 ? { ...answer, status: 202 } : answer));
}

const answersText = (answers: Answer[]) =>
  answers.map(({ status, message }) => `${status} ${message}`).join(" / ");
