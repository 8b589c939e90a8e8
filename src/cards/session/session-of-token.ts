import type { Cents } from "#kit/domain/money.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import type { CardAccount } from "#cards/settings/card-accounts.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

export interface SessionOfToken {
  id: number;
  /** The amount that the browser charged in it, if it charges. */
  amountCents: Cents | null;
}

/**
 * The session that a token belongs to, or null if the processor has no sessions. Throws 422 if it belongs
 * to none of this attorney's sessions.
 */
export async function findSessionByToken(
  context: CardPaymentContext,
  actor: AttorneyActor,
  using: CardAccount,
  token: string,
  amountCents: Cents,
): Promise<SessionOfToken | null> {
  const { processor, account } = using;
  if (!processor.sessions) return null;
  const { referenceOf: ask } = processor.sessions;
  const named = ask
    ? await callProcessor(context, "Looking for a card session", () => ask(account, token))
    : null;
  const reference = typeof named === "string" ? named : null;
  const own = context.db
    .selectFrom("cardSessions")
    .select(["id", "state", "amountCents"])
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
      "This card charge has already been recorded. Reload the page to see it.",
    );
  return session;
}

/**
 * The browser charged the card for a payment that cannot be made as requested: look up the charge
 * immediately.
 */
export async function scheduleReconcile(
  context: CardPaymentContext,
  actor: AttorneyActor,
  sessionId: number,
  refusal: Refusal,
): Promise<Refusal> {
  await context.db
    .updateTable("cardSessions")
    .set({ nextLookAt: context.now().toString() })
    .where("networkId", "=", actor.networkId)
    .where("id", "=", sessionId)
    .execute();
  return new Refusal(
    refusal.status,
    `${refusal.message} If your card was charged, the amount is posted to your oldest debits within a few minutes.`,
  );
}
