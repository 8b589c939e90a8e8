import { sql } from "kysely";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockOf } from "#kit/db/locks.ts";
import { refuseTooMany, windowMinutes } from "#access/sign-in/refuse-too-many.ts";
import { type RequestSource, traceFailure } from "#access/sign-in/sign-in-traces.ts";

const dayMinutes = 24 * 60;

/** The account whose password is tried, and where the attempt comes from. */
export interface AttemptSource {
  address: string;
  email: string;
  /** The browser's id, where it is known for this account (device-cookie.ts). */
  device: string | null;
}

/** The key by which failures are counted: the address and the email. Source: published interface. */
export function failureKey({ address, email }: Omit<AttemptSource, "device">): string {
  return `${ipRateLimitKey(address)} ${normalizedEmail(email)}`;
}

const normalizedEmail = (email: string) => email.trim().toLowerCase().slice(0, 200);

interface Limit {
  key: string;
  max: number;
  /** A quarter of an hour unless given. */
  minutes?: number;
  /** The account's, where it is about one. */
  email: string | null;
}

/**
 * How many attempts may fail in a quarter of an hour: ten for an address and email by the published
 * interface, and a hundred for one account from anywhere and for one address over all accounts. A
 * browser that is known for the account has ten of its own: guesses made elsewhere do not lock its
 * owner out, and its failures do not count with theirs.
 */
function limitsFor(source: AttemptSource): Limit[] {
  const email = normalizedEmail(source.email);
  if (source.device !== null) return [{ key: deviceKey(source.device, email), max: 10, email }];
  return [
    { key: failureKey(source), max: 10, email },
    { key: `account ${email}`, max: 100, email },
    { key: `address ${ipRateLimitKey(source.address)}`, max: 100, email: null },
  ];
}

const deviceKey = (device: string, email: string) => `device ${device} ${email}`;

/**
 * The same for codes of a second factor, which nobody is asked for without the password: ten for one
 * account from anywhere, and fifty a day, so that who has stolen the password cannot guess on for ever. Its
 * owner's browsers have as many of their own. No email is kept with them: a new password does not forget them.
 */
function codeLimitsFor(source: AttemptSource): Limit[] {
  const email = normalizedEmail(source.email);
  const { device } = source;
  const whose = device === null ? `account ${email}` : deviceKey(device, email);
  const address = { key: `code address ${ipRateLimitKey(source.address)}`, max: 100, email: null };
  return [
    { key: `code ${whose}`, max: 10, email: null },
    { key: `${dayKey}${whose}`, max: 50, minutes: dayMinutes, email: null },
    ...(device === null ? [address] : []),
  ];
}

/** What is counted for a day begins so, and is kept for one. */
const dayKey = "code day ";

/**
 * Begin an attempt at a password: it counts as failed until it is settled, so that attempts made all
 * at once are no more than attempts made one by one. Throws 429, which leaves a trace, once too many have failed; whether
 * the account exists makes no difference. Answers the attempt's ids.
 */
export async function beginPasswordAttempt(
  db: Db,
  source: AttemptSource,
  from: RequestSource,
): Promise<number[]> {
  const sentence = (wait: string) =>
    `Too many failed sign-ins. Try again in ${wait}, or have a link mailed to choose a new password.`;
  return await countAttempt(db, limitsFor(source), sentence).catch(async (problem: unknown) => {
    if (problem instanceof Refusal) await traceFailure(db, source.email, "was locked out", from);
    throw problem;
  });
}

/** The same for a code, by one-time code or recovery code. */
export async function beginCodeAttempt(db: Db, source: AttemptSource): Promise<number[]> {
  return await countAttempt(
    db,
    codeLimitsFor(source),
    (wait) =>
      `Too many wrong codes. Try again in ${wait}, or in a browser in which you have signed in before. If they were not yours, somebody knows your password: have a link mailed to choose a new one.`,
  );
}

async function countAttempt(
  db: Db,
  wanted: Limit[],
  sentence: (wait: string) => string,
): Promise<number[]> {
  const limits = wanted.toSorted((a, b) => a.key.localeCompare(b.key));
  return await inTransaction(db, async (tx) => {
    for (const { key } of limits)
      await sql`select pg_advisory_xact_lock(${lockOf.signIn}, hashtext(${key}))`.execute(tx);
    const longestFirst = limits.toSorted((a, b) => (b.minutes ?? 0) - (a.minutes ?? 0));
    for (const limit of longestFirst) {
      const failures = sql`select failed_at as at from sign_in_failures where address_and_email = ${limit.key}`;
      await refuseTooMany(tx, failures, limit, sentence);
    }
    const rows = await tx
      .insertInto("signInFailures")
      .values(limits.map(({ key, email }) => ({ addressAndEmail: key, email })))
      .returning("id")
      .execute();
    return rows.map((row) => row.id);
  });
}

/**
 * A success deletes earlier failures of the same address and browser, not those of others. An attempt
 * that was neither right nor wrong is deleted.
 */
export async function settleAttempt(
  db: Db,
  attempt: { ids: number[]; source: AttemptSource },
  outcome: "right" | "wrong" | "no attempt",
): Promise<void> {
  const attempts = db.deleteFrom("signInFailures");
  if (outcome !== "wrong") await attempts.where("id", "in", attempt.ids).execute();
  if (outcome === "right") {
    const { device } = attempt.source;
    const email = normalizedEmail(attempt.source.email);
    const browser = device === null ? [] : [deviceKey(device, email)];
    const own = browser.flatMap((key) => [key, `code ${key}`, `${dayKey}${key}`]);
    await attempts.where("addressAndEmail", "in", [failureKey(attempt.source), ...own]).execute();
  }
  await sql`
    delete from sign_in_failures
    where failed_at < now() - make_interval(mins => ${windowMinutes})
      and (failed_at < now() - make_interval(mins => ${dayMinutes})
        or not starts_with(address_and_email, ${dayKey}))`.execute(db);
}

/**
 * Count a question for a passkey by somebody who is not signed in: a hundred of an address in a quarter of
 * an hour, each of which leaves a row for five minutes. Throws 429 beyond.
 */
export async function beginPasskeyAttempt(db: Db, address: string): Promise<void> {
  const limit = { key: `passkey ${ipRateLimitKey(address)}`, max: 100, email: null };
  await countAttempt(
    db,
    [limit],
    (wait) => `Too many tries with passkeys. Try again in ${wait}, or use your password.`,
  );
}

/** Delete an account's failures, after a password was chosen by a mailed link. */
export async function forgetFailures(tx: Db, email: string): Promise<void> {
  await tx.deleteFrom("signInFailures").where("email", "=", normalizedEmail(email)).execute();
}
