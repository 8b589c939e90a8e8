import { isAfter, type PlainDate } from "#domain/calendar.ts";
import { cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";
import { makeChecks, type NewCheck } from "#features/demo/records/checks.ts";

/** A check of the demo's history. */
export interface DemoCheck extends Omit<NewCheck, "checkNumber"> {
  paidOn: PlainDate;
}

/** An adjustment of the demo's history; an amount below zero decreased the balance. */
export interface DemoAdjustment {
  debitId: number;
  amountCents: number;
  note: string;
  on: PlainDate;
}

export async function adjustDebits(
  tx: Db,
  network: DemoNetwork,
  adjustments: DemoAdjustment[],
): Promise<void> {
  const oldestFirst = adjustments.toSorted(
    (a, b) => inOrderOf(a.on, b.on) || a.debitId - b.debitId,
  );
  await tx
    .insertInto("ledgerEntries")
    .values(
      oldestFirst.map(({ debitId, amountCents, note, on }) => ({
        networkId: network.id,
        debitId,
        kind: "adjustment",
        amountCents: cents(amountCents),
        note,
        actorUserId: network.admin.userId,
        createdAt: instantOn(network, on, "11:15"),
      })),
    )
    .execute();
}

/** Record checks in the order of their days, and decide those that were decided. */
export async function payByChecks(
  tx: Db,
  network: DemoNetwork,
  checks: DemoCheck[],
): Promise<void> {
  const oldestFirst = checks.toSorted(
    (a, b) => inOrderOf(a.paidOn, b.paidOn) || a.attorneyId - b.attorneyId,
  );
  for (let rest = numbered(oldestFirst); rest[0];) {
    const until = rest[0].paidOn.add({ days: windowDays });
    const next = rest.findIndex(({ paidOn }) => !isAfter(until, paidOn));
    const window = next === -1 ? rest : rest.slice(0, next);
    await makeChecks(tx, network, window);
    rest = rest.slice(window.length);
  }
}

/** Nobody writes a second check for what a denied one left open within so many days. */
const windowDays = 10;

const inOrderOf = (day: PlainDate, other: PlainDate): number => other.until(day).days;

/** Each attorney's checkbook begins at 1001. */
function numbered(checks: DemoCheck[]): (DemoCheck & NewCheck)[] {
  const last = new Map<number, number>();
  return checks.map((check) => {
    const number = (last.get(check.attorneyId) ?? 1000) + 1;
    last.set(check.attorneyId, number);
    const shares = check.shares.toSorted((a, b) => a.debitId - b.debitId);
    return { ...check, shares, checkNumber: String(number) };
  });
}
