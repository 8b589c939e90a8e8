import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { type Cents, cents, dollarsText } from "#kit/domain/money.ts";
import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeAfterBulkInsert } from "#kit/db/planner-settings.ts";
import { invalid, notFound } from "#kit/contract/refusal.ts";
import { chosenAttorneyIds } from "#panel/chosen-attorneys.ts";
import {
  applyCreditToNewDebits,
  creditForNewDebits,
  hasCreditToApply,
  type NewDebits,
} from "#dues/ledger/automatic-credit.ts";
import type { ChargePreview, NewCharge } from "#dues/ledger/contract.ts";

/** A charge to make, and the attorneys to charge. */
export interface ChargeInput {
  attorneyIds: number[];
  name: string;
  amountCents: Cents;
  dueOn: Day;
  note: string;
}

/** A new charge, the ids of its debits, and the cents that credit has paid of them. */
export interface CreatedCharge {
  chargeId: number;
  debitIds: number[];
  fromCredit: Cents;
}

/**
 * Charge each attorney an amount: one debit each, paid from their credit as far as it goes. In a larger
 * change, call this after every step that takes credit away. Throws 404 if one of them is not on the panel.
 * Source: domain rules §10.
 */
export async function chargeAttorneys(
  tx: Db,
  author: ChangeAuthor,
  { attorneyIds, name, amountCents, dueOn, note }: ChargeInput,
): Promise<CreatedCharge> {
  const wanted = [...new Set(attorneyIds)];
  const { id: chargeId } = await tx
    .insertInto("charges")
    .values({
      networkId: author.networkId,
      name,
      amountCents,
      dueOn,
      note,
      createdBy: author.userId,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ ids: number[] } & NewDebits>`
    with made as (
      insert into debits (network_id, attorney_id, charge_id, due_on, amount_cents, balance_cents, created_by)
      select network_id, id, ${chargeId}, ${dueOn}::date, ${amountCents}, ${amountCents}, ${author.userId}::bigint
      from attorneys where network_id = ${author.networkId} and id = any(${wanted}::bigint[])
      order by id
      returning id
    )
    select coalesce(json_agg(id order by id), '[]') as ids, count(*) as debits,
      min(id) as first_debit_id, max(id) as last_debit_id,
      ${hasCreditToApply(author.networkId)} as has_credit_to_apply
    from made`.execute(tx);
  const made = rows[0] as { ids: number[] } & NewDebits; // an aggregate always has a row
  if (made.debits < wanted.length) throw notFound("attorney");
  const fromCredit = await applyCreditToNewDebits(tx, {
    ...made,
    networkId: author.networkId,
    createdBy: author.userId,
  });
  await analyzeAfterBulkInsert(tx, made.debits, ["debits", "entries"]);
  await audit(tx, author, {
    action: "charged",
    recordType: "charge",
    recordId: chargeId,
    after: {
      name,
      amount: dollarsText(amountCents),
      dueOn,
      attorneys: made.debits,
      ...(fromCredit > 0 && { paidFromCredit: dollarsText(fromCredit) }),
      note,
    },
  });
  const [only] = wanted;
  notifyOnCommit(tx, author.networkId, wanted.length === 1 && only ? only : null);
  return { chargeId, debitIds: made.ids, fromCredit };
}

/** Charge chosen attorneys, or the whole panel. Throws 404 as above, 422 if due over a year ago. */
export async function makeCharge(tx: Db, admin: Admin, wanted: NewCharge, today: PlainDate) {
  refuseLongAgo(wanted.due_on, today);
  const { debitIds } = await chargeAttorneys(tx, admin, {
    attorneyIds: await attorneysToCharge(tx, admin, wanted, today),
    name: wanted.name,
    amountCents: wanted.amount,
    dueOn: wanted.due_on,
    note: wanted.note,
  });
  return { created: debitIds.length, amount: cents(debitIds.length * wanted.amount) };
}

/** How many attorneys would be charged, the total, and the part that credit would pay. */
export async function previewCharge(tx: Db, admin: Admin, wanted: ChargePreview, today: PlainDate) {
  if (wanted.due_on !== undefined) refuseLongAgo(wanted.due_on, today);
  const ids = await attorneysToCharge(tx, admin, wanted, today);
  const { rows } = await sql<{ fromCredit: Cents }>`
    select coalesce(sum(least(held.cents, ${wanted.amount})), 0)::bigint as from_credit
    from (${creditForNewDebits(admin.networkId, ids)}) as held`.execute(tx);
  const { fromCredit } = rows[0] ?? { fromCredit: cents(0) };
  return {
    attorneys: ids.length,
    amount: wanted.amount,
    total: cents(ids.length * wanted.amount),
    fromCredit,
  };
}

/** The chosen attorneys, each once, or the whole panel. Throws 422 if the panel is empty. */
async function attorneysToCharge(
  tx: Db,
  admin: Admin,
  { all, ...chosen }: Pick<NewCharge, "attorney_ids" | "filters" | "all">,
  today: PlainDate,
): Promise<number[]> {
  if (!all) return await chosenAttorneyIds(tx, admin, chosen, today);
  const panel = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("leftOn", "is", null)
    .orderBy("id")
    .execute();
  if (panel.length === 0) throw invalid("all", "There are no attorneys to charge.");
  return panel.map(({ id }) => id);
}

function refuseLongAgo(dueOn: Day, today: PlainDate): void {
  if (dueOn < today.subtract({ years: 1 }).toString())
    throw invalid("due_on", "The due date must be at most a year ago.");
}
