import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { formatDay } from "#kit/domain/day.ts";
import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import {
  type AccountHolder,
  lockAccountOf,
  lockAdmin,
  lockAttorney,
} from "#access/sign-in/account-holders.ts";
import type { RequestSource } from "#access/sign-in/sign-in-events.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { secondFactorRemovalRefused, secondFactorRemoved } from "#outgoing/mail/texts/sign-in.ts";

interface RecentChange {
  what: "email address" | "password";
  /** The first full day after the seven days. */
  removableOn: string;
  today: string;
}

/**
 * Throws 404 for anyone but an administrator of the network; 409 for oneself, without a second factor, or within seven
 * days of a changed address or password.
 */
export async function removeSecondFactorOfAdmin(
  db: Db,
  admin: Admin,
  userId: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  return await removeUnlessChanged(db, admin, from, async (tx) => {
    const person = await lockAdmin(tx, admin.networkId, userId);
    if (userId === admin.userId)
      throw new Refusal(409, "Remove your own second factor under Your account.");
    return person;
  });
}

/** Throws 404 for anyone but an attorney of the network; 409 as above. */
export async function removeSecondFactorOfAttorney(
  db: Db,
  admin: Admin,
  attorneyId: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  return await removeUnlessChanged(db, admin, from, (tx) =>
    lockAttorney(tx, admin.networkId, attorneyId, "no second factor"),
  );
}

/** By email address, for an operator, also within the seven days. Throws 404, or 409 without a second factor. */
export async function removeSecondFactorOfEmail(
  tx: Db,
  email: string,
  operatorOf: (networkId: number) => ChangeAuthor,
): Promise<AccountHolder & { recentChange: RecentChange | null }> {
  const person = await lockAccountOf(tx, email);
  refuseWithoutFactor(person);
  await removeSecondFactor(tx, operatorOf(person.networkId), person);
  return { ...person, recentChange: await findRecentChange(tx, person.userId) };
}

/** How long after a changed address or password administrators cannot remove the second factor. */
const heldBack = sql.lit("7 days");

/** The recent change of an account `u` in a network `n`, or null. */
const recentChange = sql<RecentChange | null>`(
  select json_build_object('what',
    case when u.email_changed_at = lately.changed_at then 'email address' else 'password' end,
    'removableOn', local_day(lately.changed_at + interval ${heldBack}, n.time_zone) + 1,
    'today', local_day(now(), n.time_zone))
  from (select greatest(u.email_changed_at, u.password_changed_at) as changed_at) as lately
  where lately.changed_at > now() - interval ${heldBack})`;

async function findRecentChange(tx: Db, userId: number): Promise<RecentChange | null> {
  const found = await tx
    .selectFrom("users as u")
    .innerJoin("networks as n", "n.id", "u.networkId")
    .select(recentChange.as("lately"))
    .where("u.id", "=", userId)
    .executeTakeFirstOrThrow();
  return found.lately;
}

function refuseWithoutFactor({ hasSecondFactor, name }: AccountHolder): void {
  if (!hasSecondFactor) throw new Refusal(409, `${name} has no second factor.`);
}

/** A refusal is thrown after the commit, so that its email and audit entry are saved. */
async function removeUnlessChanged(
  db: Db,
  admin: Admin,
  from: RequestSource,
  find: (tx: Db) => Promise<AccountHolder>,
): Promise<{ removed: true }> {
  const refusal = await inTransaction(db, async (tx) => {
    const person = await find(tx);
    refuseWithoutFactor(person);
    const lately = await findRecentChange(tx, person.userId);
    if (lately) return await keepSecondFactor(tx, admin, { ...person, ...lately }, from);
    await removeSecondFactor(tx, admin, person, from);
    return null;
  });
  if (refusal) throw refusal;
  return { removed: true };
}

/** The current and recent addresses of an account, which all get notices about its second factor. */
async function addressesOf(
  tx: Db,
  { networkId, userId, email }: Pick<AccountHolder, "networkId" | "userId" | "email">,
): Promise<string[]> {
  const earlier = await tx
    .selectFrom("emailChanges")
    .select("oldEmail")
    .distinct()
    .where("networkId", "=", networkId)
    .where("userId", "=", userId)
    .where("ended", "=", "applied")
    .where("oldEmail", "<>", email)
    .orderBy("oldEmail")
    .execute();
  return [email, ...earlier.map(({ oldEmail }) => oldEmail)];
}

/** Send at most one email a day to each address. Returns the refusal to throw. */
async function keepSecondFactor(
  tx: Db,
  admin: Admin,
  person: AccountHolder & RecentChange,
  from: RequestSource,
): Promise<Refusal> {
  const { networkId, userId, name, email, what, removableOn, today } = person;
  for (const recipient of await addressesOf(tx, person))
    await queueMail(tx, {
      networkId,
      userId,
      occasion: `second factor kept:${userId}:${today}:${recipient}`,
      recipient,
      pagePath: "/account/security",
      ...secondFactorRemovalRefused({ name, by: admin.name, changed: what }),
    });
  await audit(tx, admin, {
    action: "was refused to remove second factor",
    recordType: "sign-in",
    recordId: userId,
    after: { ...from, name, email },
  });
  return new Refusal(
    409,
    `The ${what} of ${name} was changed less than seven days ago. You can remove the second factor on or after ${formatDay(removableOn)}.`,
  );
}

/**
 * Remove an authenticator app and all passkeys, so that only the password is needed. End every session, because the
 * finder of a lost phone may have one.
 */
async function removeSecondFactor(
  tx: Db,
  author: ChangeAuthor,
  person: AccountHolder,
  from?: RequestSource,
): Promise<void> {
  const { networkId, userId, attorneyId, name, email } = person;
  for (const table of ["twoFactors", "passkeys", "sessions"] as const)
    await tx
      .deleteFrom(table)
      .where("networkId", "=", networkId)
      .where("userId", "=", userId)
      .execute();
  for (const recipient of await addressesOf(tx, person))
    await queueMail(tx, {
      networkId,
      userId,
      occasion: `second factor removed:${userId}:${randomUUID()}`,
      recipient,
      pagePath: "/account/security",
      ...secondFactorRemoved({ name, by: author.userId === null ? null : author.name }),
    });
  await audit(tx, author, {
    action: "removed second factor",
    recordType: "sign-in",
    recordId: userId,
    after: { ...from, name, email },
  });
  if (attorneyId !== null) notifyOnCommit(tx, networkId, attorneyId);
}
