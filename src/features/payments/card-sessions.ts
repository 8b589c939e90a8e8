import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import { Temporal } from "temporal-polyfill";
import { type Cents, formatMoney } from "#domain/money.ts";
import type { AttorneyActor } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Db } from "#server/database.ts";
import { invalid, Refusal } from "#server/refusal.ts";
import { seal } from "#server/sealed.ts";
import { inTransaction } from "#server/transaction.ts";
import {
  accountInUseOrRefuse,
  type CardAccount,
  sessionOwner,
} from "#features/payments/card-accounts.ts";
import type { SessionWanted } from "#features/payments/contract.ts";
import { payerOf } from "#features/payments/payer.ts";
import type { Payer } from "#features/payments/processors/processor.ts";
import { lookForCharge } from "#features/payments/session-watch.ts";
import { sumAvailable } from "#features/payments/payments.ts";
import type { ProcessorName } from "#features/payments/shapes.ts";
import { asked, referenceOf, type Till } from "#features/payments/till.ts";
import { lockAttorney } from "#features/payments/unapplied.ts";

/** `GET /elavon/session_token`: a session in which the browser charges the amount. */
export async function openElavonSession(till: Till, actor: AttorneyActor, wanted: SessionWanted) {
  const typed = {
    firstName: wanted.first_name,
    lastName: wanted.last_name,
    address: wanted.address,
    zip: wanted.zip,
  };
  const payer = Object.fromEntries(Object.entries(typed).filter(([, text]) => text !== ""));
  const { token } = await openSession(till, actor, {
    processor: "elavon",
    amountCents: wanted.amount,
    payer,
  });
  return { success: true, token, message: null };
}

/** `POST /payflow/secure_token`: a token with which the browser posts a card to PayPal. */
export async function openPayflowSession(till: Till, actor: AttorneyActor) {
  const { token, handle, using } = await openSession(till, actor, {
    processor: "paypal_payflow_pro",
    amountCents: null,
  });
  return {
    secureToken: token,
    secureTokenId: handle,
    postUrl: using.account.addresses["postUrl"] ?? "",
    mode: using.account.live ? ("live" as const) : ("test" as const),
  };
}

interface SessionWish {
  processor: ProcessorName;
  /** What the browser will charge; null where it charges nothing. */
  amountCents: Cents | null;
  /** What the payer typed, over what the attorney's record says. */
  payer?: Partial<Payer>;
}

/**
 * Open a session in which the attorney's browser shows a card to the processor. Throws 409 when the
 * network's processor is another, when more would be charged than is owed, and while an earlier
 * session may still have charged the card; 429 for too many; 503 when the processor opens none.
 */
async function openSession(
  till: Till,
  actor: AttorneyActor,
  wish: SessionWish,
): Promise<{ token: string; handle: string; using: CardAccount }> {
  const using = await accountInUseOrRefuse(till, actor.networkId);
  const { sessions } = using.processor;
  if (using.processor.name !== wish.processor || !sessions)
    throw new Refusal(
      409,
      `Your network takes cards through ${using.processor.label}. Reload the page.`,
    );
  if (sessions.browserCharges) await refuseUndecided(till, actor, wish.amountCents);
  const session = await writeDown(till, actor, using, wish.amountCents);
  const payer = { ...(await payerOf(till.db, actor)), ...wish.payer };
  const { reference } = session;
  const opened = await asked(till, `Opening card session ${session.id}`, () =>
    sessions.open(using.account, { reference, amountCents: wish.amountCents, payer }),
  );
  if (opened.kind !== "opened") {
    await change(till.db, actor, session.id, { state: "closed", nextLookAt: null });
    if (opened.kind === "refused") till.log(`Network ${actor.networkId}: ${opened.fault}`);
    throw new Refusal(503, notNow, { retryAfterSeconds: 10 });
  }
  const owner = sessionOwner(actor.networkId, reference);
  await change(till.db, actor, session.id, {
    handle: opened.handle,
    sealedSecret: opened.secret && seal(opened.secret, owner, till.secret),
  });
  return { token: opened.token, handle: opened.handle ?? "", using };
}

const notNow =
  "Card payment is not available right now. Nothing was charged; try again in a moment, or pay by check.";

const greatestSessions = 15;
const windowMinutes = 15;

/** Written before the processor is asked: a charge can only ever be made in a session that we know of. */
async function writeDown(
  till: Till,
  actor: AttorneyActor,
  using: CardAccount,
  amountCents: Cents | null,
): Promise<{ id: number; reference: string }> {
  const lasts = using.processor.sessions?.lastsMinutes ?? 0;
  return await inTransaction(till.db, async (tx) => {
    await lockAttorney(tx, actor.networkId, actor.attorneyId);
    if (till.limits) await refuseTooMany(tx, actor);
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
        nextLookAt: till
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

/** An unlimited supply of sessions invites whoever wants to try out stolen cards. */
async function refuseTooMany(tx: Db, actor: AttorneyActor): Promise<void> {
  const { rows } = await sql<{ opened: number }>`
    select count(*) as opened from card_sessions
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and created_at > now() - make_interval(mins => ${windowMinutes})`.execute(tx);
  if ((rows[0]?.opened ?? 0) >= greatestSessions)
    throw new Refusal(
      429,
      "Too many card payments were begun. Try again in a quarter of an hour.",
      {
        retryAfterSeconds: windowMinutes * 60,
      },
    );
}

async function refuseMoreThanOwed(tx: Db, actor: AttorneyActor, amount: Cents): Promise<void> {
  const available = await sumAvailable(tx, actor.networkId, actor.attorneyId);
  if (amount > available)
    throw new Refusal(
      409,
      `At most ${formatMoney(available)} can be paid: the rest is paid or awaits confirmation.`,
    );
}

/**
 * Never two sessions at once that could both charge the card: an earlier one is looked up first. What
 * it charged a while ago is posted now; what it has just charged is left to the browser that did it.
 */
async function refuseUndecided(
  till: Till,
  actor: AttorneyActor,
  amountCents: Cents | null,
): Promise<void> {
  const open = await till.db
    .selectFrom("cardSessions as s")
    .select(["s.id", "s.createdAt"])
    .where("s.networkId", "=", actor.networkId)
    .where("s.attorneyId", "=", actor.attorneyId)
    .where("s.state", "=", "open")
    .where("s.amountCents", "is not", null)
    .orderBy("s.id")
    .execute();
  const twin = await till.db
    .selectFrom("cardPayments as c")
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .select("c.paymentId")
    .where("c.networkId", "=", actor.networkId)
    .where("c.attorneyId", "=", actor.attorneyId)
    .where("c.state", "=", "processing")
    .$if(amountCents !== null, (query) => query.where("p.amountCents", "=", amountCents as Cents))
    .executeTakeFirst();
  if (twin) throw new Refusal(409, confirming);
  for (const session of open) {
    const found = await lookForCharge(
      till,
      { networkId: actor.networkId, id: session.id },
      {
        postsFrom: Temporal.Instant.from(session.createdAt).add({ minutes: 2 }),
        doer: actor,
      },
    );
    if (found === "posted") throw new Refusal(409, wentThrough);
    if (found === "charged" || found === "unknown") throw new Refusal(409, confirming);
  }
}

const confirming =
  "An earlier card payment is being confirmed. Wait a moment, then reload the page before you pay again.";
const wentThrough =
  "Your earlier card payment went through and has been posted. Reload the page before you pay again.";

/**
 * The session that a token belongs to, or null where the processor has none. Throws 422 when it
 * belongs to none of this attorney's sessions.
 */
export async function sessionOfToken(
  till: Till,
  actor: AttorneyActor,
  using: CardAccount,
  token: string,
  amountCents: Cents,
): Promise<number | null> {
  const { processor, account } = using;
  if (!processor.sessions) return null;
  const { referenceOf: ask } = processor.sessions;
  const named = ask
    ? await asked(till, "Looking for a card session", () => ask(account, token))
    : null;
  const reference = typeof named === "string" ? named : null;
  const own = till.db
    .selectFrom("cardSessions")
    .select(["id", "state"])
    .where("networkId", "=", actor.networkId)
    .where("attorneyId", "=", actor.attorneyId)
    .where("processor", "=", processor.name)
    .orderBy("id", "desc");
  const session = ask
    ? await (
        reference === null
          ? own.where("state", "=", "open").where("amountCents", "=", amountCents)
          : own.where("reference", "=", reference)
      ).executeTakeFirst()
    : await own.where("handle", "=", token).executeTakeFirst();
  if (!session) throw invalid("token", "The card details have expired. Enter them again.");
  if (session.state === "used")
    throw new Refusal(
      409,
      "This card charge has been recorded already. Reload the page to see it.",
    );
  return session.id;
}

/** The browser has charged the card for a payment that cannot be made as asked: look for the charge at once. */
export async function hurryOn(
  till: Till,
  actor: AttorneyActor,
  attempt: { sessionId: number | null },
  refusal: Refusal,
): Promise<Refusal> {
  if (attempt.sessionId !== null)
    await change(till.db, actor, attempt.sessionId, { nextLookAt: till.now().toString() });
  return new Refusal(
    refusal.status,
    `${refusal.message} If your card was charged, the amount is posted to your oldest debits within a few minutes.`,
  );
}

async function change(
  db: Db,
  actor: AttorneyActor,
  id: number,
  set: {
    state?: "closed";
    handle?: string | null;
    sealedSecret?: string | null;
    nextLookAt?: string | null;
  },
): Promise<void> {
  await db
    .updateTable("cardSessions")
    .set(set)
    .where("networkId", "=", actor.networkId)
    .where("id", "=", id)
    .execute();
}
