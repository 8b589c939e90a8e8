import { sql } from "kysely";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockOf } from "#kit/db/locks.ts";
import { refuseTooMany, windowMinutes } from "#access/sign-in/refuse-too-many.ts";
import { type RequestSource, traceFailure } from "#access/sign-in/sign-in-events.ts";

const dayMinutes = 24 * 60;

/** The account of an attempt, and where it comes from. */
export interface AttemptSource {
  address: string;
  email: string;
  /** The browser's id if it is known for this account (device-cookie.ts), else null. */
  device: string | null;
}

/** The key for counting failures: address and email. Source: published interface. */
export function failureKey({ address, email }: Omit<AttemptSource, "device">): string {
  return `${ipRateLimitKey(address)} ${normalizedEmail(email)}`;
}

const normalizedEmail = (email: string) => email.trim().toLowerCase().slice(0, 200);

interface Limit {
  key: string;
  max: number;
  /** 15 unless given. */
  minutes?: number;
  /** The account's email, if the limit is about an account. */
  email: string | null;
}

/**
 * How many attempts may fail in 15 minutes: ten for an address and email (published interface), a hundred for one
 * account from anywhere, and a hundred for one address over all accounts. A browser known for the account has its own
 * ten, counted separately, so that guesses made elsewhere do not lock its owner out.
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
 * The same for codes of a second factor, which need the password first: ten for one account from anywhere and fifty a
 * day, so that a password thief cannot keep guessing. The owner's known browsers have their own limits. These rows have
 * no email, so a new password does not delete them.
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

/** Prefix of keys that are counted and stored for a day. */
const dayKey = "code day ";

/**
 * Start a password attempt and return its ids. It counts as failed until it is settled, so that parallel attempts are
 * all counted. Throws 429 after too many failures and records it, whether or not the account exists.
 */
export async function beginPasswordAttempt(
  db: Db,
  source: AttemptSource,
  from: RequestSource,
): Promise<number[]> {
  const sentence = (wait: string) =>
    `Too many failed sign-ins. Try again in ${wait}, or request a link to choose a new password.`;
  return await countAttempt(db, limitsFor(source), sentence).catch(async (problem: unknown) => {
    if (problem instanceof Refusal) await traceFailure(db, source.email, "was locked out", from);
    throw problem;
  });
}

/** The same for a one-time code or recovery code. */
export async function beginCodeAttempt(db: Db, source: AttemptSource): Promise<number[]> {
  return await countAttempt(
    db,
    codeLimitsFor(source),
    (wait) =>
      `Too many wrong codes. Try again in ${wait}, or in a browser where you have signed in before. If you did not enter them, someone knows your password. Request a link to choose a new one.`,
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
 * Record an attempt's outcome. A right one also deletes earlier failures of the same address and browser, but not of
 * others. "no attempt" deletes only the attempt.
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
 * Count a passkey challenge for a visitor who is not signed in, which leaves a row for five minutes. Throws 429 after a
 * hundred from one address in 15 minutes.
 */
export async function beginPasskeyAttempt(db: Db, address: string): Promise<void> {
  const limit = { key: `passkey ${ipRateLimitKey(address)}`, max: 100, email: null };
  await countAttempt(
    db,
    [limit],
    (wait) => `Too many attempts with passkeys. Try again in ${wait}, or use your password.`,
  );
}

/** Delete an account's failures after a password was chosen with an emailed link. */
export async function forgetFailures(tx: Db, email: string): Promise<void> {
  await tx.deleteFrom("signInFailures").where("email", "=", normalizedEmail(email)).execute();
}
