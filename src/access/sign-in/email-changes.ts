import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { hashOfCode, newLinkCode } from "#access/sign-in/sign-in-links.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import { queueMail, queueMails } from "#outgoing/mail/outbox.ts";
import {
  emailChangeEnded,
  newEmailToConfirm,
  oldEmailToConfirm,
  type EmailChangeEnd,
} from "#outgoing/mail/texts/sign-in.ts";

/*
 * The email address of an account in use changes once the new address confirms it, and the old one confirms it too or
 * does not stop it within seven days (docs/decisions/086). Until then nothing changes.
 */

/** How long the old address can stop a change before it no longer needs its answer. */
export const undoDays = 7;
/** How long the new address can confirm a change. */
export const confirmDays = 30;

/** From when a change `c` in a network `n` no longer needs the old address. */
export const appliesOn = sql<string>`local_day(c.asked_at + make_interval(days => ${sql.lit(undoDays)}), n.time_zone)`;

export interface WantedEmail {
  userId: number;
  newEmail: string;
}

interface AskedChange {
  id: number;
  userId: number;
  attorneyId: number;
  name: string;
  networkName: string;
  oldEmail: string;
  newEmail: string;
  askedBy: string;
  appliesOn: string;
}

/**
 * Request address changes for accounts in use and email both addresses of each. The caller has locked the attorneys.
 * Ends earlier requests and sign-in links of the accounts. Works in sets, because a file may change thousands.
 */
export async function requestEmailChanges(
  tx: Db,
  author: ChangeAuthor,
  wanted: WantedEmail[],
  publicUrl: string,
): Promise<void> {
  if (wanted.length === 0) return;
  const { networkId } = author;
  const userIds = wanted.map(({ userId }) => userId);
  await endReplaced(tx, networkId, userIds);
  await endSignInLinks(tx, networkId, userIds);
  const oldCodes = wanted.map(newLinkCode);
  const newCodes = wanted.map(newLinkCode);
  const asked = await insertChanges(tx, author, { wanted, oldCodes, newCodes });
  const placeOf = new Map(userIds.map((userId, at) => [userId, at]));
  const mails = asked.flatMap((change) => {
    const at = placeOf.get(change.userId);
    if (at === undefined) return []; // never: every change was wanted
    const linkOf = (codes: string[]) => `${publicUrl}/sign-in/address#${codes[at]}`;
    const { id, userId, oldEmail, newEmail } = change;
    const toOld = oldEmailToConfirm({ ...change, link: linkOf(oldCodes) });
    const toNew = newEmailToConfirm({ ...change, link: linkOf(newCodes) });
    const owner = { networkId, userId };
    return [
      { ...owner, ...toOld, occasion: occasionOf(id, "old"), recipient: oldEmail },
      { ...owner, ...toNew, occasion: occasionOf(id, "new"), recipient: newEmail },
    ];
  });
  await queueMails(tx, networkId, mails);
  const [only, ...others] = asked;
  if (only) notifyOnCommit(tx, networkId, others.length > 0 ? null : only.attorneyId);
}

/** Adds an audit entry for each change. The codes are in the order of `wanted`. */
async function insertChanges(
  tx: Db,
  author: ChangeAuthor,
  { wanted, oldCodes, newCodes }: { wanted: WantedEmail[]; oldCodes: string[]; newCodes: string[] },
): Promise<AskedChange[]> {
  const askedBy = author.userId === null ? "The operator of this service" : author.name;
  const { rows } = await sql<AskedChange>`
    with c as (
      insert into email_changes
        (network_id, user_id, old_email, new_email, asked_by, old_code_hash, new_code_hash)
      select u.network_id, u.id, u.email, wanted.new_email, ${askedBy}, wanted.old_hash, wanted.new_hash
      from unnest(${wanted.map(({ userId }) => userId)}::bigint[], ${wanted.map(({ newEmail }) => newEmail)}::text[],
        ${oldCodes.map(hashOfCode)}::text[], ${newCodes.map(hashOfCode)}::text[])
        as wanted (user_id, new_email, old_hash, new_hash)
      join users u on u.network_id = ${author.networkId} and u.id = wanted.user_id
      returning *
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
      select c.network_id, ${author.userId}, ${author.name}, 'asked for another email address', 'attorney', u.attorney_id,
        jsonb_build_object('email', c.old_email), jsonb_build_object('email', c.new_email)
      from c join users u on u.network_id = c.network_id and u.id = c.user_id
      order by u.attorney_id
    )
    select c.id, c.user_id, u.attorney_id, u.name, n.name as network_name, c.old_email, c.new_email, c.asked_by,
      ${appliesOn} as applies_on
    from c join users u on u.network_id = c.network_id and u.id = c.user_id
    join networks n on n.id = c.network_id
    order by c.id`.execute(tx);
  return rows;
}

const occasionOf = (id: number, address: "old" | "new") => `email change:${id}:${address}`;

async function endReplaced(tx: Db, networkId: number, userIds: number[]): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    update email_changes set ended_at = now(), ended = 'replaced'
    where network_id = ${networkId} and user_id = any(${userIds}::bigint[]) and ended_at is null
    returning id`.execute(tx);
  await withdrawMails(
    tx,
    networkId,
    rows.map(({ id }) => id),
  );
}

/** Withdraw queued emails of ended changes, because their links no longer work. */
export async function withdrawMails(tx: Db, networkId: number, ids: number[]): Promise<void> {
  const occasions = ids.flatMap((id) => [occasionOf(id, "old"), occasionOf(id, "new")]);
  await sql`
    update mails set status = 'withdrawn', last_problem = 'The change of email address ended before this was sent.',
      body = regexp_replace(body, '(/sign-in/address#)[[:alnum:]_-]+', ${shortened}, 'g')
    where network_id = ${networkId} and occasion = any(${occasions}::text[]) and status = 'queued'`.execute(
    tx,
  );
}

/** Replaces the code of a link in an unsent email. Apart from the statement, as in src/kit/http/api-tokens.ts. */
const shortened = sql.lit("\\1…");

/** End links made for the old address, and withdraw queued emails with them. */
async function endSignInLinks(tx: Db, networkId: number, userIds: number[]): Promise<void> {
  await sql`
    update sign_in_links set used_at = now()
    where network_id = ${networkId} and user_id = any(${userIds}::bigint[]) and used_at is null`.execute(
    tx,
  );
  await sql`
    select withdraw_sign_in_mails(u, 'A new email address was requested before this was sent.')
    from users u where u.network_id = ${networkId} and u.id = any(${userIds}::bigint[])`.execute(
    tx,
  );
}

export interface OpenChange extends AskedChange {
  networkId: number;
  confirmedByOld: boolean;
  confirmedByNew: boolean;
  /** All confirmations are there, so it can be applied. */
  isDue: boolean;
}

/**
 * Lock an open change, after its attorney and account, the order of every address change. Returns undefined if it has
 * ended.
 */
export async function lockChange(
  tx: Db,
  { networkId, id }: { networkId: number; id: number },
): Promise<OpenChange | undefined> {
  const whose = await tx
    .selectFrom("emailChanges as c")
    .innerJoin("users as u", (on) =>
      on.onRef("u.networkId", "=", "c.networkId").onRef("u.id", "=", "c.userId"),
    )
    .select(["u.id as userId", "u.attorneyId"])
    .where("c.networkId", "=", networkId)
    .where("c.id", "=", id)
    .executeTakeFirst();
  if (!whose) return undefined;
  await sql`select from attorneys where network_id = ${networkId} and id = ${whose.attorneyId}
    for no key update`.execute(tx);
  await lockSignIn(tx, whose.userId);
  const { rows } = await sql<OpenChange>`
    select c.network_id, c.id, c.user_id, u.attorney_id, u.name, n.name as network_name, c.old_email, c.new_email,
      c.asked_by, c.confirmed_by_old_at is not null as confirmed_by_old,
      c.confirmed_by_new_at is not null as confirmed_by_new, ${appliesOn} as applies_on, ${isDue} as is_due
    from email_changes c
    join users u on u.network_id = c.network_id and u.id = c.user_id
    join networks n on n.id = c.network_id
    where c.network_id = ${networkId} and c.id = ${id} and c.ended_at is null
    for no key update of c`.execute(tx);
  return rows[0];
}

/** Whether an open change `c` has all its confirmations. */
export const isDue = sql<boolean>`(c.confirmed_by_new_at is not null and (c.confirmed_by_old_at is not null
  or c.asked_at <= now() - make_interval(days => ${sql.lit(undoDays)})))`;

const actions = {
  undone: "kept the old email address",
  "called off": "called off another email address",
  expired: "ended an unconfirmed email address",
  taken: "refused an email address that belongs to somebody else",
} as const;

/** Ends that the new address is emailed about: not if it never answered, or belongs to someone else by now. */
const notifiesNewAddress = new Set<keyof typeof actions>(["undone", "called off"]);

/** End a locked change without applying it, email why, and add an audit entry. */
export async function endChange(
  tx: Db,
  author: ChangeAuthor,
  change: OpenChange,
  ended: keyof typeof actions,
): Promise<void> {
  const { networkId, id, userId, attorneyId, oldEmail, newEmail } = change;
  await tx
    .updateTable("emailChanges")
    .set({ endedAt: sql<string>`now()`, ended })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  await withdrawMails(tx, networkId, [id]);
  const why: EmailChangeEnd = ended === "called off" ? { by: author.name } : ended;
  for (const recipient of notifiesNewAddress.has(ended) ? [oldEmail, newEmail] : [oldEmail])
    await queueMail(tx, {
      networkId,
      userId,
      occasion: `email kept:${id}:${recipient}`,
      recipient,
      ...emailChangeEnded({ ...change, why }),
    });
  await audit(tx, author, {
    action: actions[ended],
    recordType: "attorney",
    recordId: attorneyId,
    after: { email: oldEmail, asked: newEmail },
  });
  notifyOnCommit(tx, networkId, attorneyId);
}
