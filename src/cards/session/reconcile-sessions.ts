import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { notifyNow } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { accountOf } from "#cards/settings/card-accounts.ts";
import { confirmationJob } from "#cards/charge/locked-payment.ts";
import { pauseAfterLookUps, findSession } from "#cards/reconcile/confirmation.ts";
import { fullRefundKind } from "#cards/processors/charge-events.ts";
import type { LookUpOutcome, Processor, UnknownOutcome } from "#cards/processors/processor.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";
import { processDue } from "#cards/process-due.ts";
import { lockPayingAttorney, postUnmatchedCharge } from "#cards/reconcile/found-charges.ts";

interface SessionKey {
  networkId: number;
  id: number;
}

/**
 * The outcome of a session. `nothing`: not charged. `missing`: the processor lists no charge yet.
 * `charged`: charged a moment ago. `posted`: posted now or earlier. `held`: authorised, and held for review
 * by the network. `unclear`: known, but the processor cannot say the result. `unknown`: no answer.
 */
export type SessionOutcome =
  | "nothing"
  | "missing"
  | "charged"
  | "posted"
  | "held"
  | "unclear"
  | "unknown";

/**
 * Find charges that browsers made and never reported: look up each session past its end and post an
 * approved charge. Source: domain rules §4.
 */
export async function reconcileSessions(context: CardPaymentContext): Promise<void> {
  await processDue<SessionKey>(
    context,
    dueSessions,
    ({ id }) => `Card session ${id}`,
    (key) =>
      reconcileSession(context, key, { postsFrom: null, author: confirmationJob(key.networkId) }),
  );
}

/** Leaves out sessions whose payment is being confirmed: that payment is looked up itself. */
const dueSessions = {
  table: "card_sessions",
  at: "next_look_at",
  counter: "looks",
  where: sql`state = 'open' and not exists (
    select from card_payments c
    where c.network_id = card_sessions.network_id and c.session_id = card_sessions.id and c.state = 'processing')`,
  pause: sql`${pauseAfterLookUps} + interval '1 minute'`,
  returning: sql`taken.network_id, taken.id`,
};

/**
 * Look up one session and record the result. Before `postsFrom`, a charge is left to the browser that made
 * it: it will soon say which debits it pays.
 */
export async function reconcileSession(
  context: CardPaymentContext,
  key: SessionKey,
  how: { postsFrom: Temporal.Instant | null; author: ChangeAuthor },
): Promise<SessionOutcome> {
  const session = await readSession(context.db, key);
  const { amountCents } = session;
  if (amountCents === null) return await close(context.db, key, "closed");
  const { account, processor } = await accountOf(context, session);
  const shown = await findSession(context, key.networkId, key.id);
  const outcome = await callProcessor(context, `Looking up card session ${key.id}`, () =>
    processor.lookUp(account, {
      reference: session.reference,
      amountCents,
      transactionId: session.heldTransactionId,
      startedAt: session.createdAt,
      session: shown,
    }),
  );
  if (outcome.kind === "approved" && fullRefundKind(outcome) === null) {
    const isTooSoon = how.postsFrom && Temporal.Instant.compare(context.now(), how.postsFrom) < 0;
    return isTooSoon ? "charged" : await post(context, session, outcome, how.author);
  }
  if (outcome.kind === "unknown")
    return outcome.transactionId ? await listForReview(context, session, outcome) : "unknown";
  if (isOver(context, session, processor, outcome)) return await close(context.db, key, "closed");
  if (outcome.kind !== "missing") await unlistDecided(context.db, session);
  return outcome.kind === "missing" && outcome.wasDeclined !== true ? "missing" : "nothing";
}

/** Whether the session can bring no more charges. */
function isOver(
  context: CardPaymentContext,
  session: OpenSession,
  processor: Processor,
  outcome: LookUpOutcome,
): boolean {
  const { kind } = outcome;
  if (kind === "missing" && session.heldAt !== null) return false;
  const mayComeThrough = kind === "declined" && outcome.mayComeThrough === true;
  const days = mayComeThrough ? (processor.comesThroughWithinDays ?? 0) : 0;
  const minutes = Math.max(days * 24 * 60, processor.missingIsFinalAfterMinutes);
  const end = Temporal.Instant.from(session.createdAt).add({ minutes });
  return Temporal.Instant.compare(context.now(), end) >= 0;
}

/** Lookups continue. Administrators see the session, since nobody can pay with it any more. */
async function listForReview(
  context: CardPaymentContext,
  session: OpenSession,
  outcome: UnknownOutcome,
): Promise<SessionOutcome> {
  const { isHeld = false, problem, transactionId = null } = outcome;
  await changeOpen(context.db, session, {
    heldAt: session.heldAt ?? context.now().toString(),
    heldTransactionId: transactionId,
    problem: isHeld ? null : problem,
  });
  if (session.heldAt === null) notifyAdministrators(context.db, session);
  return isHeld ? "held" : "unclear";
}

/** The charge is decided, though the session may still charge more. */
async function unlistDecided(db: Db, session: OpenSession): Promise<void> {
  if (session.heldAt === null) return;
  await changeOpen(db, session, { heldAt: null, heldTransactionId: null, problem: null });
  notifyAdministrators(db, session);
}

const notifyAdministrators = (db: Db, { networkId }: OpenSession) =>
  notifyNow(db, { networkId, attorneyId: null, topic: "administration" });

async function changeOpen(
  db: Db,
  session: OpenSession,
  set: { heldAt: string | null; heldTransactionId: string | null; problem: string | null },
): Promise<void> {
  await db
    .updateTable("cardSessions")
    .set(set)
    .where("networkId", "=", session.networkId)
    .where("id", "=", session.id)
    .where("state", "=", "open")
    .execute();
}

type OpenSession = Awaited<ReturnType<typeof readSession>>;

async function readSession(db: Db, key: SessionKey) {
  return await db
    .selectFrom("cardSessions")
    .selectAll()
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .executeTakeFirstOrThrow();
}

async function post(
  context: CardPaymentContext,
  session: OpenSession,
  outcome: LookUpOutcome & { kind: "approved" },
  author: ChangeAuthor,
): Promise<SessionOutcome> {
  const { networkId, attorneyId } = session;
  return await inTransaction(context.db, async (tx) => {
    await lockPayingAttorney(tx, networkId, attorneyId);
    const underWay = await tx
      .selectFrom("cardPayments")
      .select("paymentId")
      .where("networkId", "=", networkId)
      .where("sessionId", "=", session.id)
      .where("state", "=", "processing")
      .executeTakeFirst();
    if (underWay) return "charged"; // the browser came back: that payment settles itself
    await postUnmatchedCharge(tx, { ...session, ...outcome, sessionId: session.id }, author);
    return await close(tx, session, "used");
  });
}

async function close(db: Db, key: SessionKey, state: "used" | "closed"): Promise<SessionOutcome> {
  await db
    .updateTable("cardSessions")
    .set({ state, nextLookAt: null, encryptedSecret: null, heldAt: null, problem: null })
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .execute();
  return state === "used" ? "posted" : "nothing";
}
