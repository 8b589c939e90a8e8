import { dollarsText, cents } from "#domain/money.ts";
import { type Asked, metadataWanted, wanted } from "./asked.ts";
import { type Books, type Charge, newId, type Refund, secondsNow } from "./books.ts";
import { causeOf } from "./charging.ts";
import { announce, type Herald } from "./events.ts";
import { listOf } from "./lists.ts";
import { badParameter, badState, missing, noSuch } from "./refusals.ts";

/** POST /v1/refunds: of a whole charge or of a part, again and again up to its amount. */
export function createRefund(herald: Herald, asked: Asked): object {
  const { books } = herald;
  const charge = chargeWanted(books, asked);
  const { id, amount_captured: captured, amount_refunded: refunded, disputed } = charge.object;
  if (charge.object.refunded) {
    const message = `Charge ${id} has already been refunded.`;
    throw badState(message, { code: "charge_already_refunded" });
  }
  if (disputed) {
    const message = `Charge ${id} has been charged back; cannot issue a refund.`;
    throw badState(message, { code: "charge_disputed" });
  }
  const left = captured - refunded;
  const amount = Number(wanted(asked, "amount") ?? left);
  if (!Number.isInteger(amount) || amount < 1) {
    throw badParameter("amount", "parameter_invalid_integer", "Invalid positive integer");
  }
  if (amount > left) {
    const [wish, rest] = [dollarsText(cents(amount)), dollarsText(cents(left))];
    const message = `Refund amount ($${wish}) is greater than unrefunded amount on charge ($${rest})`;
    throw badState(message, { param: "amount" });
  }
  const refund = keepRefund(books, asked, charge, amount);
  const object = {
    ...charge.object,
    amount_refunded: refunded + amount,
    refunded: amount === left,
  };
  books.charges.set(id, { ...charge, object });
  announce(herald, asked.account, "charge.refunded", object, causeOf(asked));
  announce(herald, asked.account, "refund.created", refund.object, causeOf(asked));
  return refund.object;
}

function keepRefund(books: Books, asked: Asked, charge: Charge, amount: number): Refund {
  const id = newId("re");
  const isYoung = secondsNow(books) - charge.object.created < 86_400;
  return books.refunds.set(id, {
    account: asked.account,
    object: {
      id,
      object: "refund",
      amount,
      balance_transaction: newId("txn"),
      charge: charge.object.id,
      created: secondsNow(books),
      currency: "usd",
      destination_details: { card: { type: isYoung ? "reversal" : "refund" }, type: "card" },
      metadata: metadataWanted(asked),
      payment_intent: charge.object.payment_intent,
      reason: wanted(asked, "reason") ?? null,
      status: charge.refund === "late" ? "pending" : "succeeded",
    },
  });
}

/** What happens to refunds days later: the late one succeeds, the one of the failing card fails. */
export function ripenRefunds(herald: Herald): void {
  const { books } = herald;
  for (const refund of books.refunds.values()) {
    const charge = books.charges.get(refund.object.charge);
    if (charge?.refund === "late" && refund.object.status === "pending") {
      announceChange(herald, refund, "succeeded", "refund.updated");
    }
    if (charge?.refund === "fails" && refund.object.status === "succeeded") {
      const amountRefunded = charge.object.amount_refunded - refund.object.amount;
      const object = { ...charge.object, amount_refunded: amountRefunded, refunded: false };
      books.charges.set(charge.object.id, { ...charge, object });
      announceChange(herald, refund, "failed", "refund.failed");
    }
  }
}

function announceChange(
  herald: Herald,
  refund: Refund,
  status: "succeeded" | "failed",
  event: string,
): void {
  const reason = status === "failed" ? { failure_reason: "expired_or_canceled_card" } : {};
  const object = { ...refund.object, status, ...reason };
  herald.books.refunds.set(object.id, { ...refund, object });
  announce(herald, refund.account, event, object, null);
}

export function showRefund({ books }: Herald, asked: Asked): object {
  const found = books.refunds.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("refund", asked.id);
  return found.object;
}

export function listRefunds({ books }: Herald, asked: Asked): object {
  const intent = wanted(asked, "payment_intent");
  const charge = wanted(asked, "charge");
  const found = books.refunds
    .values()
    .filter(({ account, object }) => account === asked.account && isOf(object, intent, charge));
  return listOf(
    found.map(({ object }) => object),
    asked,
    "/v1/refunds",
  );
}

function isOf(object: Refund["object"], intent: string | undefined, charge: string | undefined) {
  return (
    (intent === undefined || object.payment_intent === intent) &&
    (charge === undefined || object.charge === charge)
  );
}

function chargeWanted(books: Books, asked: Asked): Charge {
  const intentId = wanted(asked, "payment_intent");
  const intent = intentId === undefined ? undefined : books.intents.get(intentId);
  if (intentId !== undefined && intent?.account !== asked.account) {
    throw noSuch("payment_intent", intentId, "payment_intent");
  }
  const chargeId = wanted(asked, "charge") ?? intent?.object.latest_charge ?? undefined;
  if (chargeId === undefined && intentId === undefined) throw missing("payment_intent");
  const charge = books.charges.get(chargeId ?? "");
  if (intent && (intent.object.status !== "succeeded" || !charge)) {
    throw badState(
      `This PaymentIntent (${intent.object.id}) does not have a successful charge to refund.`,
    );
  }
  if (charge?.account !== asked.account) throw noSuch("charge", chargeId ?? "", "charge");
  if (charge.object.status === "failed") {
    throw badState("This charge failed.", { code: "charge_not_refundable" });
  }
  return charge;
}
