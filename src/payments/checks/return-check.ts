import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { type Cents, cents, dollarsText, sum, zero } from "#kit/domain/money.ts";
import { type Day, formatDay } from "#kit/domain/day.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { refuseDay } from "#payments/checks/check-days.ts";
import { notifyOfAttorneys, showCheck } from "#payments/checks/checks.ts";
import type { Check, previewReturn, ReturnedCheck } from "#payments/checks/contract.ts";
import { creditForNewDebits } from "#dues/ledger/automatic-credit.ts";
import { type ChargeInput, chargeAttorneys } from "#dues/ledger/charges.ts";

/**
 * Record that the bank returned a check. Its approved shares are reversed and their debits open again. Its credit is
 * reversed, also on the debits it paid. Refunded credit, a refunded denied part and the fee become charges. Its attorneys
 * are emailed. Throws 404, 422 for an impossible day, 409 for a check that is not approved. Source: domain rules §10.
 */
export async function returnWholeCheck(
  tx: Db,
  admin: ChangeAuthor,
  { id, wanted, today }: { id: number; wanted: ReturnedCheck; today: PlainDate },
): Promise<RawJson<Check>> {
  refuseDay("returned_on", "Returned on", wanted.returned_on, today);
  await lockPayersOf(tx, admin, id);
  await lockCredits(tx, admin, id);
  const check = await findCheck(tx, admin, id, "lock");
  refuseEarlyReturn(check, wanted.returned_on, today);
  await lockDebits(tx, admin, id);
  const effects = await effectsOf(tx, admin, id);
  const reopened = await debitsPaidBy(tx, admin, id);
  await reverseCheck(tx, admin, check);
  const { feeChargeId, fromCredit } = await charge(tx, admin, check, { effects, wanted, today });
  await queueMails(tx, admin, check, { effects, wanted, reopened, fromCredit });
  await tx
    .updateTable("receivedChecks")
    .set({
      status: "returned",
      returnedOn: wanted.returned_on,
      returnedAt: sql<string>`clock()`,
      returnedBy: admin.userId,
      returnNote: wanted.note,
      returnChargeId: feeChargeId,
    })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  await audit(tx, admin, {
    action: "returned check",
    recordType: "received check",
    recordId: id,
    before: { status: check.status },
    after: auditedReturn(check, effects, wanted),
  });
  notifyOfAttorneys(
    tx,
    admin.networkId,
    effects.map(({ attorneyId }) => attorneyId),
  );
  return await showCheck(tx, admin.networkId, id);
}

/** What returning a check would do, in numbers. Throws 404 and 409 like `returnWholeCheck`. */
export async function previewReturnOf(
  tx: Db,
  admin: ChangeAuthor,
  id: number,
): Promise<z.output<typeof previewReturn.object>> {
  const check = await findCheck(tx, admin, id, "read");
  const effects = await effectsOf(tx, admin, id);
  const payer = largestOf(effects);
  const otherCredit = await otherCreditOf(tx, admin, effects);
  await findCheck(tx, admin, id, "read"); // not returned since, so the numbers are consistent
  const chargedFromCredit = (of: Effect) =>
    Math.min(
      of.givenBackCents + (of === payer ? check.heldGivenBackCents : 0),
      otherCredit.get(of.attorneyId) ?? 0,
    );
  return {
    debits: effects.reduce((added, { debits }) => added + debits, 0),
    reopened: totalOf(effects, "reopenedCents"),
    creditTakenBack: totalOf(effects, "takenBackCents"),
    creditTakenOff: totalOf(effects, "takenOffCents"),
    creditCharged: totalOf(effects, "givenBackCents"),
    heldCharged: check.heldGivenBackCents,
    chargedFromCredit: sum(effects.map((effect) => cents(chargedFromCredit(effect)))),
    creditForFee: cents((otherCredit.get(payer.attorneyId) ?? 0) - chargedFromCredit(payer)),
    fee: check.usualFeeCents,
    feeAttorneyId: payer.attorneyId,
    feeAttorneyName: payer.name,
    mailed: effects.map(({ attorneyId, name, email }) => ({
      attorneyId,
      attorneyName: name,
      email,
    })),
  };
}

/** Locked before the check: its mails and fee refer to the attorneys, and a concurrent departure would deadlock. */
async function lockPayersOf(tx: Db, { networkId }: ChangeAuthor, checkId: number): Promise<void> {
  await sql`
    select from attorneys a where a.network_id = ${networkId} and a.id in (
      select attorney_id from payments where network_id = ${networkId} and received_check_id = ${checkId})
    order by a.id for key share`.execute(tx);
}

interface ReturnableCheck {
  id: number;
  checkNumber: string;
  status: string;
  /** The paying firm's name. */
  firm: string | null;
  receivedOn: Day;
  /** The date of its deposit. */
  depositedOn: Day | null;
  returnedOn: Day | null;
  usualFeeCents: Cents;
  /** Its denied part, if it was held and refunded. */
  heldGivenBackCents: Cents;
}

/** Throws 422 for a return before the check was received or deposited, naming that day. */
function refuseEarlyReturn(check: ReturnableCheck, day: Day, today: PlainDate): void {
  const { checkNumber, receivedOn, depositedOn } = check;
  // A deposit may be dated some days ahead, and its check returned before then.
  const wasDeposited = depositedOn !== null && depositedOn <= today.toString();
  const after = wasDeposited ? depositedOn : receivedOn;
  if (day >= after) return;
  const did = wasDeposited ? "deposited" : "received";
  throw invalid(
    "returned_on",
    `Returned on must be ${formatDay(after)} or later, because check ${checkNumber} was ${did} on that date.`,
  );
}

/** The check to return. Throws 404, or 409 unless it is approved as a whole or in part. */
async function findCheck(
  tx: Db,
  admin: ChangeAuthor,
  id: number,
  access: "lock" | "read",
): Promise<ReturnableCheck> {
  const { rows } = await sql<ReturnableCheck>`
    select c.id, c.check_number, c.status, c.received_on, c.returned_on,
      (select coalesce(sum(amount_cents), 0)::bigint from entries e where e.network_id = c.network_id
        and e.received_check_id = c.id and e.cause = 'held_given_back' and e.to_account = 'held') as held_given_back_cents,
      (select deposited_on from deposits t where t.network_id = c.network_id and t.id = c.deposit_id) as deposited_on,
      (select name from firms f where f.network_id = c.network_id and f.id = c.firm_id) as firm,
      (select returned_check_fee_cents from networks n where n.id = c.network_id) as usual_fee_cents
    from received_checks c where c.network_id = ${admin.networkId} and c.id = ${id}
    ${access === "lock" ? sql`for update` : sql``}`.execute(tx);
  const [check] = rows;
  if (!check) throw notFound("check");
  const { checkNumber, status, returnedOn } = check;
  if (status === "pending")
    throw new Refusal(409, `Check ${checkNumber} is still pending. Deny it instead.`);
  if (status === "denied")
    throw new Refusal(409, `Check ${checkNumber} was denied, so it cannot be returned.`);
  if (status === "returned")
    throw new Refusal(
      409,
      `Check ${checkNumber} was already returned on ${formatDay(returnedOn ?? "")}.`,
    );
  return check;
}

/** The payments (alias `y`) of a check with each of their credits (alias `k`). */
const creditsOf = (networkId: number, checkId: number) => sql`payments y
  join credits k on k.network_id = y.network_id and k.payment_id = y.id
  where y.network_id = ${networkId} and y.received_check_id = ${checkId}`;

/**
 * Lock, by id, the check's credits and the credits that may pay the new charges. Before the check, because refunding
 * credit locks in that order: its entry refers to the check.
 */
async function lockCredits(tx: Db, { networkId }: ChangeAuthor, checkId: number): Promise<void> {
  await sql`
    select k.id from credits k where k.network_id = ${networkId} and k.id in (
      select k.id from ${creditsOf(networkId, checkId)}
      union all
      select own.id from payments y
      join credits own on own.network_id = y.network_id and own.attorney_id = y.attorney_id and own.left_cents > 0
      where y.network_id = ${networkId} and y.received_check_id = ${checkId})
    order by k.id for update`.execute(tx);
}

/** Lock, by id, the debits that the check paid by shares and by credit. */
async function lockDebits(tx: Db, { networkId }: ChangeAuthor, checkId: number): Promise<void> {
  await sql`
    select d.id from debits d where d.network_id = ${networkId} and d.id in (
      select s.debit_id from payments y
      join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
      where y.network_id = ${networkId} and y.received_check_id = ${checkId} and s.status = 'approved'
      union all
      select e.debit_id from entries e where e.network_id = ${networkId}
        and e.debit_id is not null and e.credit_id in (select k.id from ${creditsOf(networkId, checkId)}))
    order by d.id for update`.execute(tx);
}

/** What returning a check does to one attorney. */
interface Effect {
  attorneyId: number;
  paymentId: number;
  name: string;
  email: string;
  /** The number of debits its approved shares paid, and the amount. */
  debits: number;
  reopenedCents: Cents;
  /** The check's credit: unused, applied to debits, and refunded. */
  takenBackCents: Cents;
  takenOffCents: Cents;
  givenBackCents: Cents;
}

/** The effects on the attorneys the check paid for, by id. */
async function effectsOf(tx: Db, { networkId }: ChangeAuthor, checkId: number): Promise<Effect[]> {
  const { rows } = await sql<Effect>`
    select a.id as attorney_id, y.id as payment_id, a.first_name || ' ' || a.last_name as name, a.email,
      paid.debits, paid.reopened_cents, used.taken_back_cents, used.taken_off_cents, used.given_back_cents
    from payments y
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    cross join lateral (
      select count(*)::integer as debits, coalesce(sum(s.amount_cents), 0)::bigint as reopened_cents
      from payment_allocations s
      where s.network_id = y.network_id and s.payment_id = y.id and s.status = 'approved'
    ) as paid
    cross join lateral (
      select count(*) as entries, coalesce(sum(e.credit_cents), 0)::bigint as taken_back_cents,
        coalesce(-sum(e.credit_cents) filter (where e.debit_id is not null), 0)::bigint as taken_off_cents,
        coalesce(-sum(e.credit_cents) filter (where e.cause = 'credit_given_back'), 0)::bigint as given_back_cents
      from credits k join entries e on e.network_id = k.network_id and e.credit_id = k.id
      where k.network_id = y.network_id and k.payment_id = y.id
    ) as used
    where y.network_id = ${networkId} and y.received_check_id = ${checkId}
      and (paid.debits > 0 or used.entries > 0)
    order by a.id`.execute(tx);
  return rows;
}

type Amount = Extract<keyof Effect, `${string}Cents`>;

const totalOf = (effects: Effect[], amount: Amount): Cents =>
  sum(effects.map((effect) => effect[amount]));

/** The attorney with the largest part; on a tie, the first. Source: domain rules §10. */
function largestOf(effects: Effect[]): Effect {
  const partOf = (of: Effect) =>
    of.reopenedCents + of.takenBackCents + of.takenOffCents + of.givenBackCents;
  return effects.reduce((largest, effect) => (partOf(effect) > partOf(largest) ? effect : largest));
}

/**
 * By attorney, the credit left after the check's own is reversed, which pays the new charges. Credit does not
 * automatically pay debits that are owed again, because they are not new.
 */
async function otherCreditOf(
  tx: Db,
  { networkId }: ChangeAuthor,
  effects: Effect[],
): Promise<Map<number, Cents>> {
  const ids = effects.map(({ attorneyId }) => attorneyId);
  const { rows } = await creditForNewDebits(networkId, ids).execute(tx);
  const own = new Map(effects.map((effect) => [effect.attorneyId, effect.takenBackCents]));
  return new Map(
    rows.map(({ attorneyId, cents: held }) => [
      attorneyId,
      cents(held - (own.get(attorneyId) ?? 0)),
    ]),
  );
}

/** Reverse the check's approved shares and credit: first what was applied, newest first, then what is unused. */
async function reverseCheck(
  tx: Db,
  { networkId, userId }: ChangeAuthor,
  { id, checkNumber }: ReturnableCheck,
): Promise<void> {
  const cause = `Check ${checkNumber} was returned`;
  await sql`
    update payment_allocations s set status = 'returned', decided_at = clock(), decided_by = ${userId}
    from payments y
    where y.network_id = ${networkId} and y.received_check_id = ${id}
      and s.network_id = y.network_id and s.payment_id = y.id and s.status = 'approved'`.execute(
    tx,
  );
  await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, debit_id,
      received_check_id, note, actor_user_id)
    select k.network_id, 'credit_taken_off', 'credit', 'receivable', applied.amount_cents, ${networkDay(networkId)},
      k.attorney_id, k.id, applied.debit_id, ${id}, ${cause}, ${userId}
    from (select k.* from ${creditsOf(networkId, id)}) as k
    cross join lateral (
      select e.debit_id, -sum(e.credit_cents) as amount_cents, max(e.id) as newest from entries e
      where e.network_id = k.network_id and e.credit_id = k.id and e.debit_id is not null
      group by e.debit_id having sum(e.credit_cents) < 0
    ) as applied
    order by applied.newest desc`.execute(tx);
  await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
      received_check_id, note, actor_user_id)
    select k.network_id, 'credit_reversed', (select account_of_check(${networkId}, ${id})), 'credit', k.left_cents,
      ${networkDay(networkId)}, k.attorney_id, k.id, ${id}, ${cause}, ${userId}
    from ${creditsOf(networkId, id)} and k.left_cents > 0
    order by k.id`.execute(tx);
}

interface Return {
  effects: Effect[];
  wanted: ReturnedCheck;
}

interface Charged {
  feeChargeId: number | null;
  /** What other credit paid of the charges, by attorney. */
  fromCredit: Map<number, Cents>;
}

/** Charge each attorney their refunded credit, and one attorney the refunded denied part and the fee. */
async function charge(
  tx: Db,
  admin: ChangeAuthor,
  { checkNumber, heldGivenBackCents }: ReturnableCheck,
  { effects, wanted, today }: Return & { today: PlainDate },
): Promise<Charged> {
  const dueOn = today.toString();
  const fromCredit = new Map<number, Cents>();
  const chargeOne = async (
    attorneyId: number,
    of: Pick<ChargeInput, "name" | "amountCents" | "note">,
  ) => {
    const made = await chargeAttorneys(tx, admin, { attorneyIds: [attorneyId], dueOn, ...of });
    fromCredit.set(attorneyId, sum([fromCredit.get(attorneyId) ?? zero, made.fromCredit]));
    return made.chargeId;
  };
  for (const { attorneyId, givenBackCents } of effects.filter((one) => one.givenBackCents > 0))
    await chargeOne(attorneyId, {
      name: `Credit of returned check ${checkNumber}`,
      amountCents: givenBackCents,
      note: refundedBefore,
    });
  if (heldGivenBackCents > 0)
    await chargeOne(largestOf(effects).attorneyId, {
      name: `Denied part of returned check ${checkNumber}`,
      amountCents: heldGivenBackCents,
      note: refundedBefore,
    });
  if (!wanted.fee) return { feeChargeId: null, fromCredit };
  const feeChargeId = await chargeOne(largestOf(effects).attorneyId, {
    name: `Returned check ${checkNumber}`,
    amountCents: wanted.fee,
    note: "",
  });
  return { feeChargeId, fromCredit };
}

const refundedBefore = "It was refunded before the bank returned the check.";

function auditedReturn(
  { heldGivenBackCents }: ReturnableCheck,
  effects: Effect[],
  wanted: ReturnedCheck,
): object {
  const amounts = {
    owedAgain: cents(totalOf(effects, "reopenedCents") + totalOf(effects, "takenOffCents")),
    creditTakenBack: totalOf(effects, "takenBackCents"),
    creditCharged: totalOf(effects, "givenBackCents"),
    heldCharged: heldGivenBackCents,
    fee: wanted.fee ?? zero,
  };
  const nonZero = Object.entries(amounts).filter(([, amount]) => amount > 0);
  return {
    status: "returned",
    returnedOn: wanted.returned_on,
    ...Object.fromEntries(nonZero.map(([name, amount]) => [name, dollarsText(amount)])),
    ...(wanted.note && { note: wanted.note }),
  };
}

/** Email each attorney what is owed again, what is charged, and what other credit paid of it. */
async function queueMails(
  tx: Db,
  { networkId }: ChangeAuthor,
  { id, checkNumber, firm, heldGivenBackCents }: ReturnableCheck,
  {
    effects,
    wanted,
    reopened,
    fromCredit,
  }: Return & Pick<Charged, "fromCredit"> & { reopened: Map<number, object[]> },
): Promise<void> {
  const facts = {
    kind: "check returned",
    checkNumber,
    firm,
    returnedOn: wanted.returned_on,
  };
  const told = effects.map((effect) => ({
    payment_id: effect.paymentId,
    takenBackCents: effect.takenBackCents,
    chargedCents: effect.givenBackCents,
    heldCents: effect === largestOf(effects) ? heldGivenBackCents : 0,
    feeCents: effect === largestOf(effects) ? (wanted.fee ?? 0) : 0,
    fromCreditCents: fromCredit.get(effect.attorneyId) ?? 0,
    shares: reopened.get(effect.paymentId) ?? [],
  }));
  await sql`
    insert into mails (network_id, attorney_id, occasion, recipient, facts, page_path)
    select y.network_id, a.id, 'payment returned:' || y.id, a.email,
      (${JSON.stringify(facts)}::jsonb || (told.facts - 'payment_id')
        || jsonb_build_object('firstName', a.first_name, 'hasLeft', a.left_on is not null))::json,
      case when a.left_on is null then '/dashboard' end
    from jsonb_array_elements(${JSON.stringify(told)}::jsonb) as told (facts)
    join payments y on y.network_id = ${networkId} and y.received_check_id = ${id}
      and y.id = (told.facts ->> 'payment_id')::bigint
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    order by y.id
    on conflict (network_id, occasion) do nothing`.execute(tx);
}

/** The debits that a check pays, by payment, for its mails. Read before the check is reversed. */
async function debitsPaidBy(
  tx: Db,
  { networkId }: ChangeAuthor,
  checkId: number,
): Promise<Map<number, object[]>> {
  const { rows } = await sql<{ paymentId: number; listed: object[] }>`
    select paid.payment_id, jsonb_agg(jsonb_build_object('plan', ${debitName}, 'note', ${debitNote},
      'dueOn', d.due_on, 'amountCents', paid.amount_cents) order by d.due_on, d.id) as listed
    from (${paidBy(networkId, checkId)}) as paid
    join debits d on d.network_id = ${networkId} and d.id = paid.debit_id ${debitNames}
    group by paid.payment_id`.execute(tx);
  return new Map(rows.map(({ paymentId, listed }) => [paymentId, listed]));
}

/** What a check paid on each debit, by approved shares and applied credit. */
const paidBy = (networkId: number, checkId: number): RawBuilder<unknown> => sql`
  select payment_id, debit_id, sum(amount_cents)::bigint as amount_cents from (
    select y.id as payment_id, s.debit_id, s.amount_cents from payments y
    join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
    where y.network_id = ${networkId} and y.received_check_id = ${checkId} and s.status = 'approved'
    union all
    select k.payment_id, e.debit_id, -e.credit_cents from entries e
    join (select k.* from ${creditsOf(networkId, checkId)}) as k
      on k.network_id = e.network_id and k.id = e.credit_id
    where e.debit_id is not null
  ) as part
  group by payment_id, debit_id having sum(amount_cents) > 0`;
