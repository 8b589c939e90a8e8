import { sql } from "kysely";
import { type Day, formatDay } from "#kit/domain/day.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import { listJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import {
  Books,
  type Closing,
  type OpenItems,
  previewClosing,
  type Reopening,
} from "#dues/ledger/journal/contract.ts";
import { accountTotals } from "#dues/ledger/journal/trial-balance.ts";

/** The day through which the books are closed, and the history of closings. Source: domain rules §10. */
export async function readBooks(tx: Db, { networkId }: Admin): Promise<RawJson<Books>> {
  return await selectJsonOrThrow(
    tx,
    shapeJson(Books, {
      closedThrough: sql`closed_through(${networkId})`,
      history: listJson(
        tableJson(Books.shape.history.element, "bookClosings as b", {
          by: sql`b.actor_name`,
          at: sql`b.created_at`,
        }),
        { from: sql`book_closings b where b.network_id = ${networkId}`, order: sql`b.id desc` },
      ),
    }),
  );
}

/** What is still open through a day. Its entries will have the day on which it is decided. */
export async function countOpenItems(
  tx: Db,
  { networkId, timeZone }: Admin,
  through: Day,
): Promise<RawJson<OpenItems>> {
  const count = (rows: ReturnType<typeof sql>) => sql`(select count(*) from ${rows})`;
  return await selectJsonOrThrow(
    tx,
    shapeJson(previewClosing.object, {
      pendingChecks: count(sql`received_checks
        where network_id = ${networkId} and status = 'pending' and received_on <= ${through}::date`),
      processingCards:
        count(sql`card_payments c join payments p on p.network_id = c.network_id and p.id = c.payment_id
        where c.network_id = ${networkId} and c.state = 'processing'
          and p.created_at < (${through}::date + 1)::timestamp at time zone ${timeZone}`),
      openDeposits: count(sql`deposits
        where network_id = ${networkId} and banked_at is null and deposited_on <= ${through}::date`),
    }),
  );
}

/**
 * Close the books through a day: no transaction that commits later can have an entry on or before it. The
 * closing stores the totals of each account. Throws 422 for today or later, 409 for a day already closed.
 * Source: domain rules §10.
 */
export async function closeBooksThrough(
  tx: Db,
  admin: Admin,
  { through, note }: Closing,
): Promise<RawJson<Books>> {
  const { closedThrough, today } = await lockBooks(tx, admin);
  if (through >= today) throw invalid("through", "Choose a date before today.");
  if (closedThrough !== null && through <= closedThrough)
    throw new Refusal(
      409,
      `The books are already closed through ${formatDay(closedThrough)}. Choose a later date.`,
    );
  await sql`
    insert into book_closings (network_id, action, through, note, actor_user_id, actor_name, balances)
    select ${admin.networkId}, 'close', ${through}, ${note}, ${admin.userId}, ${admin.name},
      coalesce(jsonb_object_agg(account, jsonb_build_array(debit_cents, credit_cents)), '{}')
    from (${accountTotals(admin.networkId, { to: through })}) as totals`.execute(tx);
  return await recordChange(tx, admin, {
    action: "closed the books",
    closedThrough,
    through,
    note,
  });
}

/**
 * Reopen the books after a day, or all of them. Throws 409 if they are open, and for a day that is not before
 * the day through which they are closed. Source: domain rules §10.
 */
export async function reopenBooksAfter(
  tx: Db,
  admin: Admin,
  { after, reason }: Reopening,
): Promise<RawJson<Books>> {
  const { closedThrough } = await lockBooks(tx, admin);
  if (closedThrough === null) throw new Refusal(409, "The books are not closed.");
  if (after !== null && after >= closedThrough)
    throw new Refusal(
      409,
      `The books are closed through ${formatDay(closedThrough)}. Choose an earlier date.`,
    );
  await tx
    .insertInto("bookClosings")
    .values({
      networkId: admin.networkId,
      action: "reopen",
      through: after,
      note: reason,
      actorUserId: admin.userId,
      actorName: admin.name,
    })
    .execute();
  return await recordChange(tx, admin, {
    action: "reopened the books",
    closedThrough,
    through: after,
    note: reason,
  });
}

/** Wait for transactions that write entries, and block new ones until this transaction ends. */
async function lockBooks(tx: Db, { networkId }: Admin) {
  await sql`select pg_advisory_xact_lock(${lockOf.books}, ${lockKey(networkId)})`.execute(tx);
  const { rows } = await sql<{ closedThrough: Day | null; today: Day }>`
    select closed_through(${networkId}), network_day(${networkId}) as today`.execute(tx);
  const [books] = rows;
  if (!books) throw new Error("The network's books could not be read.");
  return books;
}

interface Change {
  action: "closed the books" | "reopened the books";
  closedThrough: Day | null;
  through: Day | null;
  note: string;
}

async function recordChange(
  tx: Db,
  admin: Admin,
  { action, closedThrough, through, note }: Change,
): Promise<RawJson<Books>> {
  await audit(tx, admin, {
    action,
    recordType: "books",
    recordId: admin.networkId,
    before: { closedThrough },
    after: { closedThrough: through, note },
  });
  notifyOnCommit(tx, admin.networkId, null, "administration");
  return await readBooks(tx, admin);
}
