import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeReferred } from "#kit/db/planner-settings.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { idsOfChosen } from "#panel/chosen-attorneys.ts";
import { lockAccountOf } from "#people/new-emails.ts";
import type { Invitations } from "#people/contract.ts";
import type { ChosenAttorneys } from "#panel/shapes.ts";
import { addUser, canSignIn } from "#access/sign-in/accounts.ts";
import { invitationMail } from "#access/sign-in/administrators.ts";
import { makeSignInLink, makeSignInLinks, type SignInLink } from "#access/sign-in/sign-in-links.ts";
import type { RequestSource } from "#access/sign-in/sign-in-traces.ts";
import { queueMail, queueMails } from "#outgoing/mail/outbox.ts";

/**
 * Invite an attorney to sign in: make the account if there is none, a single-use link, and a mail
 * with it. Of an account that nobody has used yet an earlier link stops working; whose account is in use gets the link
 * by mail alone. Throws 404, or 409 when the email belongs to another account, the attorney has left the panel, or no mail is sent.
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
  // Asked for once the attorney is locked: of two invitations at once, one makes the account.
  const account = await lockAccountOf(tx, admin, attorneyId);
  const isInUse = account?.isInUse === true;
  if (isInUse && !sendsMail) throw goesByMailAlone(name);
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

/** Whoever sees the link of an account that is in use could sign in as its person. */
const goesByMailAlone = (name: string) =>
  new Refusal(
    409,
    `The account of ${name} is in use, so a link to choose a new password goes by mail alone, and this service sends no mail yet: set up mail first, or have the operator make one.`,
  );

/** Null where the link is for its person alone. */
export type HandedOverLink = Omit<SignInLink, "url"> & { url: string | null };

type Whether = "left" | "can sign in" | "invited lately" | "email taken" | "invited";

interface Invitee {
  id: number;
  name: string;
  email: string;
  userId: number | null;
  becomes: Whether;
}

/**
 * Who of these attorneys can be invited now, and why the others cannot: they have left, can sign in, were invited
 * less than a day ago, or their address belongs to another account.
 */
async function judgeInvitees(tx: Db, { networkId }: Admin, ids: number[]): Promise<Invitee[]> {
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
  const count = (whether: Whether) => invitees.filter(({ becomes }) => becomes === whether).length;
  return {
    invited: count("invited"),
    canSignIn: count("can sign in"),
    invitedLately: count("invited lately"),
    emailTaken: count("email taken"),
    left: count("left"),
  };
}

const sendsNoMail = () =>
  new Refusal(
    409,
    "This service sends no mail yet, and links are shown for one attorney at a time: invite them on their own pages, or set up mail first.",
  );

interface Mailing {
  sendsMail: boolean;
  publicUrl: string;
  from: RequestSource;
}

/** How many would be invited, and why not the others. Throws 409 where no mail is sent; as `idsOfChosen`. */
export async function previewInvitations(
  tx: Db,
  admin: Admin,
  { chosen, today, sendsMail }: { chosen: ChosenAttorneys; today: PlainDate; sendsMail: boolean },
): Promise<Invitations> {
  if (!sendsMail) throw sendsNoMail();
  return countsOf(await judgeInvitees(tx, admin, await idsOfChosen(tx, admin, chosen, today)));
}

/**
 * Invite attorneys who cannot sign in yet, as one is invited; their links are in their mails alone. Each is invited
 * once, however often this is pressed. Throws as the preview does.
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
  if (!sendsMail) throw sendsNoMail();
  const { networkId, networkName } = admin;
  const ids = await idsOfChosen(tx, admin, chosen, today);
  // Judged once they are locked: of two invitations at once, one invites.
  await sql`select id from attorneys where network_id = ${networkId} and id = any(${ids}::bigint[])
    order by id for no key update`.execute(tx);
  const invitees = await judgeInvitees(tx, admin, ids);
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

/** Their accounts, made where there are none; none for an address that became another account's this moment. */
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
