import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { deviceInWords } from "#kit/domain/device-words.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { type SignInEvent, signInNotice } from "#outgoing/mail/sign-in-notices.ts";

/** The account that a trace is about. */
export interface TracedAccount {
  networkId: number;
  userId: number;
  name: string;
}

/** Where a request comes from. */
export interface RequestSource {
  address: string;
  /** The browser's own description, which proves nothing. */
  device: string;
}

export function requestSource(request: FastifyRequest): RequestSource {
  return {
    address: request.ip,
    device: deviceInWords(request.headers["user-agent"] ?? null),
  };
}

interface TraceDetails {
  method?: string;
  purpose?: string;
  passkey?: string;
  /** The session that was ended from another one, or the number of them. */
  endedDevice?: string;
  endedAddress?: string | null;
  ended?: number;
}

/**
 * Add a sign-in event to the audit trail, with address and device (null at the operator's command line). The record is
 * the account. The actor is its person unless `by` is given.
 */
export async function recordSignInEvent(
  tx: Db,
  account: TracedAccount,
  action: string,
  from: RequestSource | null,
  { by = account, ...details }: { by?: ChangeAuthor } & TraceDetails = {},
): Promise<void> {
  await audit(tx, by, {
    action,
    recordType: "sign-in",
    recordId: account.userId,
    after: { ...from, ...details },
  });
}

/** The actor of a wrong password is unknown. */
const anybody = "Somebody";

/**
 * Record a wrong password or, with a method, a wrong code of an existing account; a lock-out once in 15 minutes. The
 * statement also writes without an account, so that its time does not reveal whether there is one.
 */
export async function traceFailure(
  db: Db,
  email: string,
  action: "failed to sign in" | "was locked out",
  from: RequestSource & Pick<TraceDetails, "method">,
): Promise<void> {
  const address = email.trim().toLowerCase();
  await sql`
    with written as (
      update sign_in_failures set failed_at = failed_at
      where id = (select max(id) from sign_in_failures where email = ${address.slice(0, 200)})
    )
    insert into audit_entries (network_id, actor_name, action, record_type, record_id, after)
    select u.network_id, ${anybody}, ${action}, 'sign-in', u.id, ${JSON.stringify(from)}::jsonb
    from users u
    where u.email = ${address} and (${action} = 'failed to sign in' or not exists (
      select from audit_entries e
      where e.network_id = u.network_id and e.record_type = 'sign-in' and e.record_id = u.id
        and e.action = ${action} and e.created_at > now() - interval '15 minutes'))`.execute(db);
}

/** Email a person about a change in how they sign in, in the transaction of the change. Every account has an address. */
export async function mailSignInNotice(
  tx: Db,
  account: TracedAccount & { email: string },
  event: SignInEvent,
  from: RequestSource | null,
): Promise<void> {
  const network = await tx
    .selectFrom("networks")
    .select(["name", "timeZone"])
    .where("id", "=", account.networkId)
    .executeTakeFirstOrThrow();
  await queueMail(tx, {
    networkId: account.networkId,
    userId: account.userId,
    occasion: `sign-in:${event}:${randomUUID()}`,
    recipient: account.email,
    pagePath: "/account/security",
    ...signInNotice(event, { name: account.name, networkName: network.name, from }),
  });
}

const daysKept = 400;
const rowsAtOnce = 1_000;

/** Delete sign-in events older than 400 days, in batches. */
export async function removeOldTraces(db: Db, stopping?: AbortSignal): Promise<void> {
  let removed = rowsAtOnce;
  while (removed === rowsAtOnce) {
    if (stopping?.aborted) return;
    const { numAffectedRows } = await sql`
      delete from audit_entries using (
        select network_id, id from audit_entries
        where record_type = 'sign-in' and created_at < now() - make_interval(days => ${daysKept})
        limit ${rowsAtOnce}) as old
      where audit_entries.network_id = old.network_id and audit_entries.id = old.id`.execute(db);
    removed = Number(numAffectedRows);
  }
}
