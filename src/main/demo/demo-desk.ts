import { sql } from "kysely";
import { cents, sum } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { decideWholeChecks } from "#payments/checks/decide-checks.ts";
import { recordWholeCheck } from "#payments/checks/record-check.ts";
import { returnWholeCheck } from "#payments/checks/return-check.ts";
import { type DemoNetwork, idIn } from "#main/demo/demo-network.ts";
import type { DemoAttorney } from "#main/demo/demo-panel.ts";
import { checksToDeposit, depositChecks } from "#main/demo/demo-year.ts";
import { defineFirm } from "#panel/firms/firms.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";
import { spendCredit } from "#dues/ledger/credit.ts";
import { undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import { endEnrolment, enrollAll } from "#dues/plans/enrolments.ts";
import { definePlan } from "#dues/plans/plans.ts";

/* The administrator's work today. */

const placeOf = (attorneys: DemoAttorney[], place: number) => attorneys[place]?.id ?? 0;

/**
 * Checks recorded by staff, one in each state and each of another attorney: with credit and approved, pending, denied,
 * and returned by the bank with a fee.
 */
export async function recordDeskChecks(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const { admin, today } = network;
  const record = async (place: number, number: string, daysAgo: number, approve: boolean) => {
    const attorneyId = placeOf(attorneys, place);
    return await receiveCheck(tx, network, {
      attorneyId,
      number,
      daysAgo,
      owed: await oldestOwed(tx, network, attorneyId, 2),
      creditCents: 40_00,
      approve,
    });
  };
  await record(9, "4417", 6, true);
  await record(11, "2093", 1, false);
  const denied = await record(13, "778", 12, false);
  await decideWholeChecks(tx, admin, { approve: [], deny: [denied] });
  const bounced = await record(15, "5120", 20, true);
  const returned_on = today.subtract({ days: 3 }).toString();
  const wanted = { returned_on, fee: cents(35_00), note: "Insufficient funds." };
  await returnWholeCheck(tx, admin, { id: bounced, wanted, today });
  // The demo's addresses receive no email.
  await sql`delete from mails where network_id = ${network.id}`.execute(tx);
}

interface DeskCheck {
  attorneyId: number;
  number: string;
  daysAgo: number;
  owed: Owed[];
  creditCents: number;
  approve: boolean;
  note?: string;
}

/** A check that pays debits; the rest becomes the attorney's credit. Returns its id. */
async function receiveCheck(
  tx: Db,
  { admin, today }: DemoNetwork,
  { attorneyId, number, daysAgo, owed, creditCents, approve, note = "" }: DeskCheck,
): Promise<number> {
  const credit = cents(creditCents);
  const wanted = {
    check_number: number,
    amount: sum([...owed.map((debit) => cents(debit.cents)), credit]),
    received_on: today.subtract({ days: daysAgo }).toString(),
    attorney_id: attorneyId,
    shares: Object.fromEntries(owed.map((debit) => [debit.id, cents(debit.cents)])),
    credits: { [attorneyId]: credit },
    approve,
    another_check: false,
    note,
  };
  return idIn(await recordWholeCheck(tx, admin, wanted, today));
}

interface Owed {
  id: number;
  cents: number;
}

/** The oldest debits that can be paid, and how much. */
async function oldestOwed(tx: Db, network: DemoNetwork, attorneyId: number, atMost: number) {
  const { rows } = await sql<Owed>`
    select id, balance_cents - pending_cents as cents from debits
    where network_id = ${network.id} and attorney_id = ${attorneyId} and balance_cents > pending_cents
    order by due_on, id limit ${atMost}`.execute(tx);
  return rows;
}

/** A firm of four lawyers, one of two, and one without lawyers on the panel. */
export async function defineFirms(
  tx: Db,
  { admin }: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const firm = (name: string, billing_email: string, places: number[]) => {
    const attorney_ids = places.map((place) => placeOf(attorneys, place));
    return defineFirm(tx, admin, { name, billing_email, attorney_ids });
  };
  await firm("Lindqvist & Raman LLP", "accounts@lindqvist-raman.example", [1, 3, 4, 5]);
  await firm("Abernathy Law Offices", "", [6, 7]);
  await firm("Harborside Legal Group", "office@harborside.example", []);
}

/**
 * Everyone subscribed to the annual meeting: once by mistake from today, which was undone, and again from next month,
 * which can be undone for a day. The first attorney is a guest and pays nothing.
 */
export async function subscribeAllToMeeting(
  tx: Db,
  { admin, today, id: networkId }: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const planId = idIn(
    await definePlan(tx, admin, {
      name: "Annual meeting",
      description: "The panel's annual meeting, with its course on ethics.",
      payment_amount: cents(60_00),
      payment_frequency_in_months: 12,
    }),
  );
  const terms = { lrs_subscription_id: planId, note: "" };
  const mistaken = { ...terms, start_date: today.toString(), bill_immediately: true };
  const { batchId } = await enrollAll(tx, admin, mistaken, today);
  await undoEnrollAll(tx, admin, batchId);
  const meant = { ...terms, start_date: today.add({ months: 1 }).toString() };
  await enrollAll(tx, admin, { ...meant, bill_immediately: false }, today);
  const guest = await tx
    .selectFrom("enrolments")
    .select("id")
    .where("networkId", "=", networkId)
    .where("planId", "=", planId)
    .where("attorneyId", "=", placeOf(attorneys, 0))
    .where("archivedAt", "is", null)
    .executeTakeFirstOrThrow();
  await endEnrolment(tx, admin, guest.id, today);
}

/** The newest approved checks, not deposited yet. */
const waiting = 6;

/** An open deposit, checks to deposit, and a returned check of a banked deposit. */
export async function depositAndReturn(tx: Db, network: DemoNetwork): Promise<void> {
  const { admin, today } = network;
  await depositChecks(tx, network, (await checksToDeposit(tx, network)).slice(waiting), today);
  const { rows } = await sql<{ id: number }>`
    select c.id from received_checks c join deposits t on t.network_id = c.network_id and t.id = c.deposit_id
    where c.network_id = ${network.id} and c.status = 'approved' and t.banked_at is not null
    order by c.decided_at desc, c.id desc limit 1`.execute(tx);
  const wanted = { returned_on: today.toString(), note: "Insufficient funds" };
  for (const { id } of rows) await returnWholeCheck(tx, admin, { id, wanted, today });
}

/**
 * Credit in every state, and two charges: received with checks, applied to a debit by hand and to a new charge
 * automatically, refunded. The first attorney keeps $40.00 and owes nothing more than before.
 */
export async function giveCreditAndCharge(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const { admin, today } = network;
  const first = placeOf(attorneys, 0);
  const late = placeOf(attorneys, 9);
  const other = placeOf(attorneys, 11);
  const receiveCredit = (attorneyId: number, creditCents: number) => {
    const check = { attorneyId, number: `77${attorneyId}`, daysAgo: 0, owed: [], creditCents };
    return receiveCheck(tx, network, { ...check, approve: true, note: "Paid ahead" });
  };
  await receiveCredit(first, 40_00);
  await receiveCredit(other, 150_00);
  await chargeAttorneys(tx, admin, {
    attorneyIds: [late, other],
    name: "Ethics seminar",
    amountCents: cents(60_00),
    dueOn: today.add({ days: 14 }).toString(),
    note: "Two hours of continuing education",
  });
  await chargeAttorneys(tx, admin, {
    attorneyIds: [late],
    name: "Late fee",
    amountCents: cents(25_00),
    dueOn: today.toString(),
    note: "",
  });
  const owed = await oldestOwed(tx, network, other, 5);
  const oldest = owed.find((debit) => debit.cents >= 35_00);
  if (oldest)
    await spendCredit(tx, admin, {
      attorneyId: other,
      wanted: { action: "apply", debit_id: oldest.id, amount: cents(35_00) },
    });
  await spendCredit(tx, admin, {
    attorneyId: other,
    wanted: { action: "give_back", amount: cents(20_00), note: "Our check 512" },
  });
}
