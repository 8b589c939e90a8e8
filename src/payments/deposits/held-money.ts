import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import { type Cents, dollarsText } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { listJson, shapeJson } from "#kit/db/shape-json.ts";
import type { PageQuery } from "#kit/contract/page.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import { payerJoins, payerName } from "#payments/checks/checks.rows.ts";
import { type giveHeldMoneyBack, HeldMoney, listHeldMoney } from "#payments/deposits/contract.ts";

/**
 * The money held for a network's payers, one row per check: `received_check_id`, `amount_cents`, `since` (the day) and
 * `created_at`. Held money leaves only as a whole, so a check is listed if no entry has taken it yet.
 */
export const heldOf = (networkId: number): RawBuilder<unknown> => sql`(
  select e.network_id, e.received_check_id, e.amount_cents, e.day as since, e.created_at from entries e
  where e.network_id = ${networkId} and e.cause = 'held' and not exists (
    select from entries taken
    where taken.network_id = e.network_id and taken.received_check_id = e.received_check_id
      and taken.to_account = 'held'))`;

const { element: attorney } = HeldMoney.shape.attorneys;

const heldJson = shapeJson(HeldMoney, {
  id: sql`c.id`,
  checkId: sql`c.id`,
  checkNumber: sql`c.check_number`,
  payerName,
  amount: sql`held.amount_cents`,
  since: sql`held.since`,
  accountName: sql`t.account_name`,
  attorneys: listJson(
    shapeJson(attorney, { id: sql`p.id`, name: sql`p.first_name || ' ' || p.last_name` }),
    {
      from: sql`attorneys p where p.network_id = c.network_id and p.id in (
        select y.attorney_id from payments y
        where y.network_id = c.network_id and y.received_check_id = c.id)`,
      order: sql`p.last_name, p.first_name, p.id`,
    },
  ),
});

/** Held money with its checks (alias `c`) and their deposits (alias `t`). */
const heldChecks = (networkId: number) => sql`${heldOf(networkId)} as held
  join received_checks c on c.network_id = held.network_id and c.id = held.received_check_id
  join deposits t on t.network_id = c.network_id and t.id = c.deposit_id ${payerJoins}`;

/** The money held for payers, oldest first, with its sum. */
export async function listHeld(
  tx: Db,
  { networkId }: Admin,
  { page, per_page }: PageQuery,
): Promise<RawJson<z.output<typeof listHeldMoney.object>>> {
  const list = shapeJson(listHeldMoney.object, {
    items: listJson(heldJson, {
      from: heldChecks(networkId),
      order: sql`held.since, c.id`,
      limit: per_page,
      offset: (page - 1) * per_page,
    }),
    total: sql`count(*)`,
    page: sql`${page}::integer`,
    perPage: sql`${per_page}::integer`,
    amount: sql`coalesce(sum(amount_cents), 0)::bigint`,
  });
  return await selectJsonOrThrow(tx, list, { from: sql`${heldOf(networkId)} as all_held` });
}

/**
 * Record that a check's held money was refunded to its payer from a bank account. Answers the held money as it was. Throws
 * 404, or 409 if none is held. Source: book rule 3.
 */
export async function refundHeldMoney(
  tx: Db,
  admin: Admin,
  { checkId, wanted }: { checkId: number; wanted: z.output<typeof giveHeldMoneyBack.body> },
): Promise<RawJson<HeldMoney>> {
  const held = await lockHeld(tx, admin, checkId);
  await tx
    .insertInto("entries")
    .values({
      ...entryOf(admin, held),
      cause: "held_given_back",
      fromAccount: `bank:${wanted.account_name}`,
      attorneyId: held.attorneyId,
      note: wanted.note,
    })
    .execute();
  await audit(tx, admin, {
    action: "gave back held money",
    recordType: "received check",
    recordId: checkId,
    after: {
      amount: dollarsText(held.amountCents),
      accountName: wanted.account_name,
      note: wanted.note,
    },
  });
  notifyOnCommit(tx, admin.networkId, held.attorneyId);
  return held.json;
}

/**
 * Move a check's held money to the credit of an attorney the check pays for. Answers the held money as it was. Throws 404,
 * 422 for another attorney, 409 if none is held. Source: book rule 3.
 */
export async function creditHeldMoney(
  tx: Db,
  admin: Admin,
  { checkId, attorneyId }: { checkId: number; attorneyId: number },
): Promise<RawJson<HeldMoney>> {
  await refuseUnknownAttorney(tx, admin, attorneyId);
  const held = await lockHeld(tx, admin, checkId);
  const { networkId } = admin;
  const payment = await tx
    .selectFrom("payments")
    .select("id")
    .where("networkId", "=", networkId)
    .where("receivedCheckId", "=", checkId)
    .where("attorneyId", "=", attorneyId)
    .executeTakeFirst();
  if (!payment)
    throw invalid(
      "attorney_id",
      `Check ${held.checkNumber} has no payment for this attorney. Choose another.`,
    );
  const { id: creditId } = await tx
    .insertInto("credits")
    .values({ networkId, attorneyId, paymentId: payment.id, amountCents: held.amountCents })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("entries")
    .values({
      ...entryOf(admin, held),
      cause: "credit_received",
      fromAccount: "credit",
      attorneyId,
      creditId,
      note: `Denied part of check ${held.checkNumber}`,
    })
    .execute();
  await audit(tx, admin, {
    action: "made held money credit",
    recordType: "received check",
    recordId: checkId,
    after: { amount: dollarsText(held.amountCents), attorneyId },
  });
  notifyOnCommit(tx, networkId, attorneyId);
  return held.json;
}

interface LockedHeld {
  checkId: number;
  checkNumber: string;
  /** The paying attorney; null for a firm's check. */
  attorneyId: number | null;
  amountCents: Cents;
  json: RawJson<HeldMoney>;
}

/** Locks the check before reading its held money, so that refund, credit and return run one after another. */
async function lockHeld(tx: Db, { networkId }: Admin, checkId: number): Promise<LockedHeld> {
  const check = await tx
    .selectFrom("receivedChecks")
    .select(["checkNumber", "attorneyId"])
    .where("networkId", "=", networkId)
    .where("id", "=", checkId)
    .forUpdate()
    .executeTakeFirst();
  if (!check) throw notFound("check");
  const own = sql`${heldChecks(networkId)} where held.received_check_id = ${checkId}`;
  const { rows } = await sql<{ amountCents: Cents }>`select held.amount_cents from ${own}`.execute(
    tx,
  );
  const [held] = rows;
  if (!held) throw new Refusal(409, `No money is held from check ${check.checkNumber} any more.`);
  return { ...check, ...held, checkId, json: await selectJsonOrThrow(tx, heldJson, { from: own }) };
}

const entryOf = ({ networkId, userId }: Admin, { checkId, amountCents }: LockedHeld) => ({
  networkId,
  toAccount: "held",
  amountCents,
  day: networkDay(networkId),
  receivedCheckId: checkId,
  actorUserId: userId,
});
