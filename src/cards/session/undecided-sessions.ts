import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import type { Cents } from "#kit/domain/money.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { processorNamed } from "#cards/settings/card-accounts.ts";
import { type SessionOutcome, reconcileSession } from "#cards/session/reconcile-sessions.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Two sessions must never both charge the card, so look up each earlier one first. An earlier charge is
 * posted now; a very recent charge, or one that may still be on its way, is left to its browser. Answers
 * the sessions known to have charged nothing.
 */
export async function refuseUndecidedSessions(
  context: CardPaymentContext,
  actor: AttorneyActor,
  { amountCents, paymentName }: { amountCents: Cents | null; paymentName: string | null },
): Promise<number[]> {
  const open = await openSessions(context.db, actor, paymentName);
  if (amountCents !== null) await refuseSameAmountUnderWay(context.db, actor, amountCents);
  for (const session of open) {
    const found = await reconcileSession(
      context,
      { networkId: actor.networkId, id: session.id },
      {
        postsFrom: Temporal.Instant.from(session.createdAt).add({ minutes: 2 }),
        author: actor,
      },
    );
    const refusal = refusals[found];
    if (refusal) throw new Refusal(409, refusal);
    const wait = found === "missing" ? stillOnItsWay(context, session) : null;
    if (wait) throw new Refusal(409, wait);
  }
  return open.map(({ id }) => id);
}

/** Called in the transaction that inserts a session: another one may have been inserted since the lookups. */
export async function refuseOtherOpenSessions(
  tx: Db,
  actor: AttorneyActor,
  decided: number[],
): Promise<void> {
  const open = await openSessions(tx, actor, null);
  if (open.some(({ id }) => !decided.includes(id))) throw new Refusal(409, justStarted);
}

/**
 * The attorney's sessions in which a browser may have charged the card. Leaves out those whose charge is
 * known and has a payment that reserves its amounts: it may wait for days.
 */
async function openSessions(
  db: Db,
  actor: AttorneyActor,
  paymentName: string | null,
): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`
    select s.id, s.processor, iso(s.created_at) as created_at,
      s.idempotency_key is not null and s.idempotency_key is distinct from ${paymentName} as is_of_other
    from card_sessions s
    where s.network_id = ${actor.networkId} and s.attorney_id = ${actor.attorneyId}
      and s.state = 'open' and s.amount_cents is not null
      and not exists (
        select from card_payments c
        where c.network_id = s.network_id and c.session_id = s.id
          and c.state = 'processing' and c.transaction_id is not null)
    order by s.id`.execute(db);
  return rows;
}

interface OpenSession {
  id: number;
  processor: string;
  createdAt: string;
  /** Opened for a payment of another name, by another page. */
  isOfOther: boolean;
}

/** Refuses while a payment of the same amount is being confirmed. */
async function refuseSameAmountUnderWay(
  db: Db,
  actor: AttorneyActor,
  amountCents: Cents,
): Promise<void> {
  const samePayment = await db
    .selectFrom("cardPayments as c")
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .select("c.heldAt")
    .where("c.networkId", "=", actor.networkId)
    .where("c.attorneyId", "=", actor.attorneyId)
    .where("c.state", "=", "processing")
    .where("p.amountCents", "=", amountCents)
    .executeTakeFirst();
  if (samePayment) throw new Refusal(409, samePayment.heldAt === null ? beingConfirmed : held);
}

/**
 * The message to the payer while a card may just have been posted and the processor does not list the
 * charge yet; otherwise null.
 */
function stillOnItsWay(context: CardPaymentContext, session: OpenSession): string | null {
  const { chargeTakesSeconds: seconds = 0, waitsFor = "all" } =
    processorNamed(session.processor).sessions ?? {};
  if (waitsFor === "other pages" && !session.isOfOther) return null;
  const end = Temporal.Instant.from(session.createdAt).add({ seconds });
  if (Temporal.Instant.compare(context.now(), end) >= 0) return null;
  return waitsFor === "all" ? justStarted : startedElsewhere;
}

const beingConfirmed =
  "An earlier card payment is being confirmed. Wait a moment, then reload the page before you pay again.";
const held =
  "The card processor is holding an earlier card payment for review. Until that is decided, please pay by check.";
const unclear =
  "The card processor cannot say yet whether an earlier card payment went through. Until it can, please pay by check.";
const justStarted =
  "A card payment was started a moment ago and may be going through. Wait two minutes, then reload the page before you pay again.";
const startedElsewhere =
  "A card payment was started a moment ago and may be going through. Wait a minute, look under Paid, then try again.";
const refusals: Partial<Record<SessionOutcome, string>> = {
  posted:
    "Your earlier card payment went through and has been posted. Reload the page before you pay again.",
  charged: beingConfirmed,
  unknown: beingConfirmed,
  held,
  unclear,
};
