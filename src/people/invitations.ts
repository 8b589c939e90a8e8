import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeReferred } from "#kit/db/planner-settings.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { chosenAttorneyIds } from "#panel/chosen-attorneys.ts";
import { lockAccountOf } from "#people/new-emails.ts";
import type { Invitations } from "#people/contract.ts";
import type { ChosenAttorneys } from "#panel/shapes.ts";
import { addUser, canSignIn } from "#access/sign-in/accounts.ts";
import { invitationMail } from "#access/sign-in/administrators.ts";
import { makeSignInLink, makeSignInLinks, type SignInLink } from "#access/sign-in/sign-in-links.ts";
import type { RequestSource } from "#access/sign-in/sign-in-events.ts";
import { queueMail, queueMails } from "#outgoing/mail/outbox.ts";

/**
 * Invite an attorney to sign in: make the account if there is none, and email a single-use link. For an account never
 * used, earlier links stop working. For an account in use, only the email has the link. Throws 404, or 409 if the email
 * belongs to another account, the attorney has left the panel, or email is needed but not set up.
 */
export async function inviteAttorney(
  tx: Db,
  admin: Admin,
  attorneyId: number,
  { publicUrl, from, sendsMail }: Mailing,
): Promise<HandedOverLink> {
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "email", "leftOn"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  const name = `${attorney.firstName} ${attorney.lastName}`;
  if (attorney.leftOn)
    throw new Refusal(409, `${name} has left the panel and cannot be invited to sign in.`);
  // Read after locking the attorney, so that only one of two concurrent invitations makes the account.
  const account = await lockAccountOf(tx, admin, attorneyId);
  const isInUse = account?.isInUse === true;
  if (isInUse && !sendsMail) throw needsEmail(name);
  const userId =
    account?.userId ??
    (await addUser(tx, {
      networkId: admin.networkId,
      role: "attorney",
      attorneyId,
      name,
      email: attorney.email,
    }));
  const link = await makeSignInLink(tx, { networkId: admin.networkId, userId }, "invitation", {
    publicUrl,
    by: admin,
    from,
  });
  const to = { networkId: admin.networkId, userId, name, email: attorney.email };
  await queueMail(tx, invitationMail(to, admin.networkName, link));
  await audit(tx, admin, { action: "invited", recordType: "attorney", recordId: attorneyId });
  return { ...link, url: isInUse ? null : link.url };
}

/** Anyone who sees the link of an account in use could sign in as its owner. */
const needsEmail = (name: string) =>
  new Refusal(
    409,
    `${name}'s account is in use, so a link to choose a new password can only be sent by email. Email is not set up: set it up first, or ask your system administrator to make a link.`,
  );

/** `url` is null if only the account's owner may see the link. */
export type HandedOverLink = Omit<SignInLink, "url"> & { url: string | null };

type Outcome = "left" | "can sign in" | "invited lately" | "email taken" | "invited";

interface Invitee {
  id: number;
  name: string;
  email: string;
  userId: number | null;
  becomes: Outcome;
}

/**
 * Which of these attorneys can be invited now, and why the others cannot: they have left, can sign in, were invited
 * less than a day ago, or their address belongs to another account.
 */
async function classifyInvitees(tx: Db, { networkId }: Admin, ids: number[]): Promise<Invitee[]> {
  const { rows } = await sql<Invitee>`
    select a.id, a.first_name || ' ' || a.last_name as name, a.email, u.id as user_id, case
      when a.left_on is not null then 'left'
      when ${canSignIn} then 'can sign in'
      when exists (select from sign_in_links l
        where l.network_id = u.network_id and l.user_id = u.id and l.used_at is null
          and l.expires_at > now() and l.created_at > now() - interval '1 day') then 'invited lately'
      when u.id is null and exists (select from users other where other.email = a.email) then 'email taken'
      else 'invited' end as becomes
    from attorneys a
    left join users u on u.network_id = a.network_id and u.attorney_id = a.id
    where a.network_id = ${networkId} and a.id = any(${ids}::bigint[])
    order by a.id`.execute(tx);
  return rows;
}

function countsOf(invitees: readonly Invitee[]): Invitations {
  const count = (outcome: Outcome) => invitees.filter(({ becomes }) => becomes === outcome).length;
  return {
    invited: count("invited"),
    canSignIn: count("can sign in"),
    invitedLately: count("invited lately"),
    emailTaken: count("email taken"),
    left: count("left"),
  };
}

const emailNotSetUp = () =>
  new Refusal(
    409,
    "Email is not set up, so attorneys cannot be invited together. Set up email, or invite each attorney on their own page.",
  );

interface Mailing {
  sendsMail: boolean;
  publicUrl: string;
  from: RequestSource;
}

/** How many would be invited, and why the others would not. Throws 409 if email is not set up; else like `chosenAttorneyIds`. */
export async function previewInvitations(
  tx: Db,
  admin: Admin,
  { chosen, today, sendsMail }: { chosen: ChosenAttorneys; today: PlainDate; sendsMail: boolean },
): Promise<Invitations> {
  if (!sendsMail) throw emailNotSetUp();
  return countsOf(
    await classifyInvitees(tx, admin, await chosenAttorneyIds(tx, admin, chosen, today)),
  );
}

/**
 * Invite attorneys who cannot sign in yet. Only their emails have the links. Repeated calls invite each once. Throws like
 * the preview.
 */
export async function inviteAttorneys(
  tx: Db,
  admin: Admin,
  {
    chosen,
    today,
    sendsMail,
    publicUrl,
    from,
  }: Mailing & { chosen: ChosenAttorneys; today: PlainDate },
): Promise<Invitations> {
  if (!sendsMail) throw emailNotSetUp();
  const { networkId, networkName } = admin;
  const ids = await chosenAttorneyIds(tx, admin, chosen, today);
  // Checked after locking, so that only one of two concurrent calls invites.
  await sql`select id from attorneys where network_id = ${networkId} and id = any(${ids}::bigint[])
    order by id for no key update`.execute(tx);
  const invitees = await classifyInvitees(tx, admin, ids);
  const wanted = invitees.filter(({ becomes }) => becomes === "invited");
  const accounts = await accountsOf(tx, networkId, wanted);
  const userIds = accounts.map(({ userId }) => userId);
  const links = await makeSignInLinks(tx, { networkId, userIds }, "invitation", {
    publicUrl,
    by: admin,
    from,
  });
  const mails = accounts.flatMap((to, at) => {
    const link = links[at];
    return link ? [invitationMail({ ...to, networkId }, networkName, link)] : [];
  });
  await queueMails(tx, networkId, mails);
  await sql`
    insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id)
    select ${networkId}, ${admin.userId}, ${admin.name}, 'invited', 'attorney', id
    from unnest(${accounts.map(({ id }) => id)}::bigint[]) as id`.execute(tx);
  const counts = countsOf(invitees);
  const lost = wanted.length - accounts.length;
  return { ...counts, invited: accounts.length, emailTaken: counts.emailTaken + lost };
}

/** The invitees' accounts, made if missing; none for an address that another account took in the meantime. */
async function accountsOf(tx: Db, networkId: number, invitees: Invitee[]) {
  const without = invitees.filter(({ userId }) => userId === null);
  const { rows } = await sql<{ id: number; attorneyId: number }>`
    insert into users (network_id, role, attorney_id, name, email)
    select ${networkId}, 'attorney', made.* from unnest(${without.map(({ id }) => id)}::bigint[],
      ${without.map(({ name }) => name)}::text[], ${without.map(({ email }) => email)}::text[]) as made
    on conflict (email) do nothing
    returning id, attorney_id`.execute(tx);
  await analyzeReferred(tx, rows.length, "users");
  const made = new Map(rows.map(({ id, attorneyId }) => [attorneyId, id]));
  return invitees.flatMap(({ id, name, email, userId }) => {
    const account = userId ?? made.get(id);
    return account === undefined ? [] : [{ id, name, email, userId: account }];
  });
}
