import { sql } from "kysely";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { violatedConstraint } from "#kit/contract/refusal.ts";
import {
  confirmDays,
  endChange,
  isDue,
  lockChange,
  type OpenChange,
  withdrawMails,
} from "#access/sign-in/email-changes.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { emailChangeApplied } from "#outgoing/mail/texts/sign-in.ts";

type ChangeKey = Pick<OpenChange, "networkId" | "id">;

const doerOf = ({ networkId }: ChangeKey) => ({ networkId, userId: null, name: "Email changes" });

/**
 * Apply a change that has all its confirmations. "over": it has ended in between. "taken": another account now uses the
 * address, which ends the change.
 */
export async function applyEmailChange(
  db: Db,
  key: ChangeKey,
): Promise<"applied" | "over" | "taken"> {
  try {
    return (await inTransaction(db, (tx) => apply(tx, key))) ? "applied" : "over";
  } catch (problem) {
    if (!violatedConstraint(problem, ["attorneys_email", "users_email_key"])) throw problem;
  }
  await inTransaction(db, async (tx) => {
    const change = await lockChange(tx, key);
    if (change) await endChange(tx, doerOf(key), change, "taken");
  });
  return "taken";
}

/** Database triggers end sessions and links, email the old address and redirect the attorney's queued email. */
async function apply(tx: Db, key: ChangeKey): Promise<boolean> {
  const change = await lockChange(tx, key);
  if (!change?.isDue) return false;
  const { networkId, id, userId, attorneyId, oldEmail, newEmail } = change;
  await tx
    .updateTable("emailChanges")
    .set({ endedAt: sql<string>`now()`, ended: "applied" })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  await withdrawMails(tx, networkId, [id]);
  await tx
    .updateTable("attorneys")
    .set({ email: newEmail })
    .where("networkId", "=", networkId)
    .where("id", "=", attorneyId)
    .execute();
  await tx
    .updateTable("users")
    .set({ email: newEmail })
    .where("networkId", "=", networkId)
    .where("id", "=", userId)
    .execute();
  await queueMail(tx, {
    networkId,
    userId,
    occasion: `email change applied:${id}`,
    recipient: newEmail,
    pagePath: "/sign-in",
    ...emailChangeApplied(change),
  });
  await audit(tx, doerOf(key), {
    action: "changed the email address",
    recordType: "attorney",
    recordId: attorneyId,
    before: { email: oldEmail },
    after: { email: newEmail },
  });
  notifyOnCommit(tx, networkId, attorneyId);
  return true;
}

/**
 * Apply changes whose seven days are over, and end those not confirmed within thirty days. Each has its own
 * transaction, and a failure stops no other. Repeated or parallel runs change nothing more.
 */
export async function reviewEmailChanges(db: Db, stopping?: AbortSignal): Promise<void> {
  const problems: unknown[] = [];
  for (const key of await changesToEnd(db)) {
    if (stopping?.aborted) break;
    const work: Promise<unknown> = key.isDue ? applyEmailChange(db, key) : expire(db, key);
    await work.catch((problem: unknown) => problems.push(problem));
  }
  if (problems.length > 0) throw problems[0];
}

async function changesToEnd(db: Db): Promise<(ChangeKey & { isDue: boolean })[]> {
  const { rows } = await sql<ChangeKey & { isDue: boolean }>`
    select c.network_id, c.id, ${isDue} as is_due from email_changes c
    where c.ended_at is null and (${isDue} or ${isOver})
    order by c.network_id, c.id`.execute(db);
  return rows;
}

const isOver = sql<boolean>`(c.confirmed_by_new_at is null
  and c.asked_at <= now() - make_interval(days => ${sql.lit(confirmDays)}))`;

async function expire(db: Db, key: ChangeKey): Promise<void> {
  await inTransaction(db, async (tx) => {
    const change = await lockChange(tx, key);
    if (change && !change.confirmedByNew) await endChange(tx, doerOf(key), change, "expired");
  });
}
