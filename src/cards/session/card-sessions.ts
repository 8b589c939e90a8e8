import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import { type Cents, formatMoney } from "#kit/domain/money.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { encrypt } from "#kit/ops/encryption.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import {
  accountInUseOrRefuse,
  type CardAccount,
  sessionOwner,
} from "#cards/settings/card-accounts.ts";
import type { SecureTokenWanted, SessionWanted } from "#cards/contract.ts";
import { findPayer } from "#cards/charge/payer.ts";
import type { Payer } from "#cards/processors/processor.ts";
import { sumAvailable } from "#payments/payments.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import {
  callProcessor,
  referenceOf,
  type CardPaymentContext,
} from "#cards/card-payment-context.ts";
import { lockPayingAttorney } from "#cards/reconcile/found-charges.ts";
import {
  refuseOtherOpenSessions,
  refuseUndecidedSessions,
} from "#cards/session/undecided-sessions.ts";

/** `GET /elavon/session_token`: a session in which the browser charges the amount. */
export async function openElavonSession(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wanted: SessionWanted,
) {
  const typed = {
    firstName: wanted.first_name,
    lastName: wanted.last_name,
    address: wanted.address,
    zip: wanted.zip,
  };
  const payer = Object.fromEntries(Object.entries(typed).filter(([, text]) => text !== ""));
  const { token } = await openSession(context, actor, {
    processor: "elavon",
    amountCents: wanted.amount,
    paymentName: wanted.idempotency_key ?? null,
    payer,
  });
  return { success: true, token, message: null };
}

/**
 * `POST /payflow/secure_token`: a token for posting a card from the browser to PayPal, which charges it if
 * an amount is given.
 */
export async function openPayflowSession(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wanted: SecureTokenWanted,
) {
  const { token, handle, using } = await openSession(context, actor, {
    processor: "paypal_payflow_pro",
    amountCents: wanted.amount ?? null,
    paymentName: wanted.idempotency_key ?? null,
  });
  return {
    secureToken: token,
    secureTokenId: handle,
    postUrl: using.account.addresses["postUrl"] ?? "",
    mode: using.account.live ? ("live" as const) : ("test" as const),
  };
}

interface SessionRequest {
  processor: ProcessorName;
  /** The amount the browser will charge; null if it charges nothing. */
  amountCents: Cents | null;
  /** The page's name for the payment, the same however often Pay is pressed; null without a name. */
  paymentName: string | null;
  /** Entered by the payer; overrides the attorney's record. */
  payer?: Partial<Payer>;
}

/**
 * Open a session in which the attorney's browser shows a card to the processor. Throws 409 if the network
 * has another processor, if the amount is more than is owed, if the payment of this name went through, and
 * while an earlier session may still charge the card; 429 for too many; 503 if the processor opens none.
 */
async function openSession(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wish: SessionRequest,
): Promise<{ token: string; handle: string; using: CardAccount }> {
  const using = await accountInUseOrRefuse(context, actor.networkId);
  const { sessions } = using.processor;
  if (using.processor.name !== wish.processor || !sessions)
    throw new Refusal(
      409,
      `Your network takes cards through ${using.processor.label}. Reload the page.`,
    );
  const decided = await refuseUndecidedSessions(context, actor, wish);
  const session = await insertSession(context, actor, using, wish, decided);
  const payer = { ...(await findPayer(context.db, actor)), ...wish.payer };
  const { reference } = session;
  const opened = await callProcessor(context, `Opening card session ${session.id}`, () =>
    sessions.open(using.account, { reference, amountCents: wish.amountCents, payer }),
  );
  if (opened.kind !== "opened") {
    const fault = opened.kind === "refused" ? opened.fault : null;
    await updateSession(context.db, actor, session.id, {
      state: "closed",
      nextLookAt: null,
      fault,
    });
    if (fault !== null) context.log(`Network ${actor.networkId}: ${fault}`);
    throw new Refusal(503, notAvailableNow, { retryAfterSeconds: 10 });
  }
  const owner = sessionOwner(actor.networkId, reference);
  await updateSession(context.db, actor, session.id, {
    handle: opened.handle,
    encryptedSecret: opened.secret && encrypt(opened.secret, owner, context.secret),
  });
  return { token: opened.token, handle: opened.handle ?? "", using };
}

const notAvailableNow =
  "Card payment is not available right now. Nothing was charged. Try again in a moment, or pay by check.";

const maxSessions = 15;
const windowMinutes = 15;

/** Inserted before calling the processor, so every charge belongs to a session that we know. */
async function insertSession(
  context: CardPaymentContext,
  actor: AttorneyActor,
  using: CardAccount,
  { amountCents, paymentName }: SessionRequest,
  decided: number[],
): Promise<{ id: number; reference: string }> {
  const lasts = using.processor.sessions?.lastsMinutes ?? 0;
  return await inTransaction(context.db, async (tx) => {
    await lockPayingAttorney(tx, actor.networkId, actor.attorneyId);
    if (context.limits) await refuseTooMany(tx, actor);
    if (paymentName !== null) await refusePaidAlready(tx, actor, paymentName);
    await refuseOtherOpenSessions(tx, actor, decided);
    if (amountCents !== null) await refuseMoreThanOwed(tx, actor, amountCents);
    const session = await tx
      .insertInto("cardSessions")
      .values({
        networkId: actor.networkId,
        attorneyId: actor.attorneyId,
        processor: using.processor.name,
        cardProcessorId: using.id,
        reference: referenceOf(randomBytes(16).toString("hex")),
        amountCents,
        idempotencyKey: paymentName,
        nextLookAt: context
          .now()
          .add({ minutes: lasts + 1 })
          .toString(),
      })
      .returning(["id", "reference"])
      .executeTakeFirstOrThrow();
    await audit(tx, actor, {
      action: "opened card session",
      recordType: "card session",
      recordId: session.id,
      after: { reference: session.reference, amountCents },
    });
    return session;
  });
}

/**
 * A second press after a lost answer: the browser would charge the card again before our server could say
 * that the payment was made. A charge found later is known by its session.
 */
async function refusePaidAlready(tx: Db, actor: AttorneyActor, name: string): Promise<void> {
  const { rows } = await sql`
    select from card_payments
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and idempotency_key = ${name} and state <> 'declined'
    union all
    select from card_sessions
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and idempotency_key = ${name} and state = 'used'
    limit 1`.execute(tx);
  if (rows.length > 0)
    throw new Refusal(409, "This payment was already made. Reload the page before you pay again.");
}

/** Without a limit, somebody could test stolen cards. */
async function refuseTooMany(tx: Db, actor: AttorneyActor): Promise<void> {
  const { rows } = await sql<{ opened: number }>`
    select count(*) as opened from card_sessions
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and created_at > now() - make_interval(mins => ${windowMinutes})`.execute(tx);
  if ((rows[0]?.opened ?? 0) >= maxSessions)
    throw new Refusal(429, "Too many card payments were started. Try again in 15 minutes.", {
      retryAfterSeconds: windowMinutes * 60,
    });
}

async function refuseMoreThanOwed(tx: Db, actor: AttorneyActor, amount: Cents): Promise<void> {
  const available = await sumAvailable(tx, actor.networkId, actor.attorneyId);
  if (amount > available)
    throw new Refusal(
      409,
      `At most ${formatMoney(available)} can be paid. The rest is paid or pending.`,
    );
}

async function updateSession(
  db: Db,
  actor: AttorneyActor,
  id: number,
  set: {
    state?: "closed";
    handle?: string | null;
    encryptedSecret?: string | null;
    nextLookAt?: null;
    fault?: string | null;
  },
): Promise<void> {
  await db
    .updateTable("cardSessions")
    .set(set)
    .where("networkId", "=", actor.networkId)
    .where("id", "=", id)
    .execute();
}
