import { sql } from "kysely";
import type { z } from "zod";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { applyEmailChange } from "#access/sign-in/apply-email-changes.ts";
import type { EmailChange, keepOldEmail } from "#access/sign-in/contract.ts";
import {
  confirmDays,
  endChange,
  lockChange,
  type OpenChange,
} from "#access/sign-in/email-changes.ts";
import { hashOfCode } from "#access/sign-in/sign-in-links.ts";

/*
 * The links emailed to both addresses of a change. They need no session: having one proves only that a person reads
 * that address's email.
 */

interface LinkedChange {
  networkId: number;
  id: number;
  mailedTo: "old" | "new";
}

const linkNotUsable = () =>
  new Refusal(
    404,
    "This change of email address has ended. It was made, refused, canceled, or not confirmed in time.",
  );

/** The change that a link belongs to. Throws 404 if it has ended or the code is unknown. */
async function findByCode(tx: Db, code: string): Promise<LinkedChange> {
  const hash = hashOfCode(code);
  const { rows } = await sql<LinkedChange>`
    select c.network_id, c.id, case when c.old_code_hash = ${hash} then 'old' else 'new' end as mailed_to
    from email_changes c
    where (c.old_code_hash = ${hash} or c.new_code_hash = ${hash}) and c.ended_at is null
      and c.asked_at > now() - make_interval(days => ${confirmDays})`.execute(tx);
  if (!rows[0]) throw linkNotUsable();
  return rows[0];
}

/** Lock the change that a link belongs to. Throws as `findByCode`. */
async function lockByCode(tx: Db, code: string): Promise<OpenChange & LinkedChange> {
  const { mailedTo, ...key } = await findByCode(tx, code);
  const change = await lockChange(tx, key);
  if (!change) throw linkNotUsable();
  return { ...change, mailedTo };
}

/** The change that a link shows. Throws 404 if it has ended or the code is unknown. */
export async function inspectChange(tx: Db, code: string): Promise<EmailChange> {
  return { ...(await lockByCode(tx, code)), isApplied: false };
}

/** The user of a link, of whom nothing more is known. */
const somebodyAt = ({
  networkId,
  mailedTo,
  oldEmail,
  newEmail,
}: OpenChange & LinkedChange): ChangeAuthor => ({
  networkId,
  userId: null,
  name: `Somebody at ${mailedTo === "old" ? oldEmail : newEmail}`,
});

/**
 * Confirm a change by a link, and apply it if that completes it. Repeating changes nothing. Throws 404 as above, 409 if
 * another account now uses the new address.
 */
export async function confirmChange(db: Db, code: string): Promise<EmailChange> {
  const change = await inTransaction(db, (tx) => noteConfirmation(tx, code));
  const outcome = change.isDue ? await applyEmailChange(db, change) : "waits";
  if (outcome === "over") throw linkNotUsable();
  if (outcome === "taken")
    throw new Refusal(
      409,
      `Another account now uses ${change.newEmail}, so your email address is still ${change.oldEmail}.`,
    );
  return { ...change, isApplied: outcome === "applied" };
}

/** Returns the change after the confirmation. */
async function noteConfirmation(tx: Db, code: string): Promise<OpenChange & LinkedChange> {
  const before = await lockByCode(tx, code);
  const { networkId, id, attorneyId, mailedTo } = before;
  if (mailedTo === "old" ? before.confirmedByOld : before.confirmedByNew) return before;
  await tx
    .updateTable("emailChanges")
    .set({ [mailedTo === "old" ? "confirmedByOldAt" : "confirmedByNewAt"]: sql<string>`now()` })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  await audit(tx, somebodyAt(before), {
    action: "confirmed another email address",
    recordType: "attorney",
    recordId: attorneyId,
    before: { email: before.oldEmail },
    after: { email: before.newEmail },
  });
  notifyOnCommit(tx, networkId, attorneyId);
  return await lockByCode(tx, code);
}

/** Stop a change by the link of the old address. Throws 404 as above, 403 for the link of the new address. */
export async function undoChange(
  tx: Db,
  code: string,
): Promise<z.output<typeof keepOldEmail.object>> {
  const change = await lockByCode(tx, code);
  if (change.mailedTo === "new")
    throw new Refusal(403, "Only the link in the email to the old address can stop this change.");
  await endChange(tx, somebodyAt(change), change, "undone");
  return { email: change.oldEmail };
}
