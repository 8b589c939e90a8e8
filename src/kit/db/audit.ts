import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";

export interface AuditedChange {
  /** A verb of the business in the past tense: "archived", "enrolled". */
  action: string;
  /** A word of the glossary: "plan", "enrolment", "debit", … */
  recordType: string;
  /** Null for a change of many records. */
  recordId: number | null;
  before?: object;
  after?: object;
}

/** Write a change to the audit trail, in the transaction that makes it. Source: domain rules §8. */
export async function audit(tx: Db, author: ChangeAuthor, change: AuditedChange): Promise<void> {
  await tx
    .insertInto("auditEntries")
    .values({
      networkId: author.networkId,
      actorUserId: author.userId,
      actorName: author.name,
      action: change.action,
      recordType: change.recordType,
      recordId: change.recordId,
      before: change.before ? JSON.stringify(change.before) : null,
      after: change.after ? JSON.stringify(change.after) : null,
    })
    .execute();
}
