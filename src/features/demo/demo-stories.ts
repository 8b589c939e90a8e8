import { isAfter, type PlainDate, plainDate } from "#domain/calendar.ts";
import type { Db } from "#db/database.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";
import {
  type DemoAdjustment,
  type DemoCheck,
  adjustDebits,
  payByChecks,
} from "#features/demo/demo-payments.ts";

/** A debit of an attorney. */
export interface DemoDebit {
  id: number;
  attorneyId: number;
  plan: string;
  dueOn: PlainDate;
  amountCents: number;
  ageInDays: number;
}

/** The adjustments and checks of one debit, in days after it fell due; those after today are left out. */
export interface DebitStory {
  adjusted?: { afterDays: number; amountCents: number; note: string };
  checks: { afterDays: number; amountCents: number; isDenied?: boolean }[];
}

/** The administrator decides on a check so many days after it was recorded. */
const decisionDays = 3;

/** Make the checks and adjustments of all attorneys' debits; `storiesFor` gets them newest first. */
export async function makeStories(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
  storiesFor: (debits: DemoDebit[], attorneyNumber: number) => Map<DemoDebit, DebitStory>,
): Promise<void> {
  const debits = await findDebits(tx, network);
  const adjustments: DemoAdjustment[] = [];
  const checks: DemoCheck[] = [];
  for (const [number, attorney] of attorneys.entries()) {
    const own = debits.filter((debit) => debit.attorneyId === attorney.id);
    const stories = storiesFor(own, number);
    for (const [debit, { adjusted }] of stories) {
      if (!adjusted || adjusted.afterDays > debit.ageInDays) continue;
      const on = debit.dueOn.add({ days: adjusted.afterDays });
      adjustments.push({ ...adjusted, debitId: debit.id, on });
    }
    checks.push(...checksIn(network, attorney, stories));
  }
  await adjustDebits(tx, network, adjustments);
  await payByChecks(tx, network, checks);
}

/** What an attorney pays on one day is one check. */
function checksIn(
  network: DemoNetwork,
  attorney: DemoAttorney,
  stories: Map<DemoDebit, DebitStory>,
): DemoCheck[] {
  const checks = new Map<string, DemoCheck>();
  for (const [debit, story] of stories) {
    for (const { afterDays, amountCents, isDenied } of story.checks) {
      if (afterDays > debit.ageInDays) continue;
      const paidOn = debit.dueOn.add({ days: afterDays });
      const key = `${paidOn.toString()} ${isDenied}`;
      const check = checks.get(key) ?? {
        attorneyId: attorney.id,
        paidOn,
        shares: [],
        createdBy: attorney.userId ?? network.admin.userId,
        createdAt: instantOn(network, paidOn, "14:05"),
        decided: decisionOn(network, paidOn, isDenied ? "denied" : "approved"),
      };
      check.shares.push({ debitId: debit.id, amountCents });
      checks.set(key, check);
    }
  }
  return [...checks.values()];
}

function decisionOn(
  network: DemoNetwork,
  paidOn: PlainDate,
  status: "approved" | "denied",
): DemoCheck["decided"] {
  const on = paidOn.add({ days: decisionDays });
  if (isAfter(on, network.today)) return undefined;
  return { status, at: instantOn(network, on, "10:40"), by: network.admin.userId };
}

/** Every debit of the network, newest first. */
async function findDebits(tx: Db, network: DemoNetwork): Promise<DemoDebit[]> {
  const rows = await tx
    .selectFrom("debits as d")
    .innerJoin("enrolments as e", (on) =>
      on.onRef("e.networkId", "=", "d.networkId").onRef("e.id", "=", "d.enrolmentId"),
    )
    .innerJoin("plans as p", (on) =>
      on.onRef("p.networkId", "=", "e.networkId").onRef("p.id", "=", "e.planId"),
    )
    .select(["d.id", "d.attorneyId", "p.name as plan", "d.dueOn", "d.amountCents"])
    .where("d.networkId", "=", network.id)
    .orderBy("d.dueOn", "desc")
    .orderBy("d.id", "desc")
    .execute();
  return rows.map((row) => {
    const dueOn = plainDate(row.dueOn);
    return { ...row, dueOn, ageInDays: dueOn.until(network.today).days };
  });
}
