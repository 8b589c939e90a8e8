import { cents, dollarsText } from "#kit/domain/money.ts";
import { amountToRefund } from "../sandbox.ts";
import { isDisputed } from "./disputes.ts";
import { badParameter, badState, missing, noSuch } from "./errors.ts";
import { sendEvent } from "./events.ts";
import { listOf } from "./lists.ts";
import { metadataParam, param, type StripeRequest } from "./request.ts";
import { type Charge, newId, type Refund, secondsNow, type StripeStore } from "./store.ts";

/** POST /v1/refunds: of a whole charge or a part, repeatedly up to its amount. */
export function createRefund(store: StripeStore, request: StripeRequest): object {
  const charge = chargeToRefund(store, request);
  const { id, amount: charged, amount_refunded: refunded } = charge.object;
  if (charge.object.refunded) {
    const message = `Charge ${id} has already been refunded.`;
    throw badState(message, { code: "charge_already_refunded" });
  }
  if (isDisputed(store, charge)) {
    const message = `Charge ${id} has been charged back; cannot issue a refund.`;
    throw badState(message, { code: "charge_disputed" });
  }
  const left = charged - refunded;
  const amount = Number(param(request, "amount") ?? left);
  if (!Number.isInteger(amount) || amount < 1) {
    throw badParameter("amount", "parameter_invalid_integer", "Invalid positive integer");
  }
  if (amount > left) {
    const [wish, rest] = [dollarsText(cents(amount)), dollarsText(cents(left))];
    const message = `Refund amount ($${wish}) is greater than unrefunded amount on charge ($${rest})`;
    throw badState(message, { param: "amount" });
  }
  const described = {
    metadata: metadataParam(request),
    reason: param(request, "reason") ?? null,
  };
  return refundCharge(store, charge, amount, { described, cause: request });
}

/** In Stripe's Dashboard: all that is left, or a part. */
export function refundAtProcessor(store: StripeStore, intentId: string, wanted?: number): boolean {
  const charge = store.charges.get(store.intents.get(intentId)?.object.latest_charge ?? "");
  if (charge?.object.status !== "succeeded" || isDisputed(store, charge)) return false;
  const left = charge.object.amount - charge.object.amount_refunded;
  const amount = amountToRefund(left, wanted);
  if (amount === null) return false;
  const described = { metadata: {}, reason: "requested_by_customer" };
  refundCharge(store, charge, amount, { described, cause: null });
  return true;
}

/** `cause` is null for events without a request. */
function refundCharge(
  store: StripeStore,
  charge: Charge,
  amount: number,
  { described, cause }: { described: object; cause: StripeRequest | null },
): object {
  const { account } = charge;
  const refund = insertRefund(store, charge, amount, described);
  const amountRefunded = charge.object.amount_refunded + amount;
  const isWhole = amountRefunded === charge.object.amount;
  const object = { ...charge.object, amount_refunded: amountRefunded, refunded: isWhole };
  store.charges.set(object.id, { ...charge, object });
  sendEvent(store, account, "charge.refunded", object, cause);
  sendEvent(store, account, "refund.created", refund.object, cause);
  return refund.object;
}

function insertRefund(
  store: StripeStore,
  charge: Charge,
  amount: number,
  described: object,
): Refund {
  const id = newId("re");
  return store.refunds.set(id, {
    account: charge.account,
    object: {
      ...described,
      id,
      object: "refund",
      amount,
      charge: charge.object.id,
      created: secondsNow(store),
      currency: "usd",
      payment_intent: charge.object.payment_intent,
      status: charge.refund === "late" ? "pending" : "succeeded",
    },
  });
}

/** Days later: the late refund succeeds, and the failing card's refund fails. */
export function settleRefunds(store: StripeStore): void {
  for (const refund of store.refunds.values()) {
    const charge = store.charges.get(refund.object.charge);
    if (charge?.refund === "late" && refund.object.status === "pending") {
      changeRefund(store, refund, "refund.updated", { status: "succeeded" });
    }
    if (charge?.refund === "fails" && refund.object.status === "succeeded") {
      const amountRefunded = charge.object.amount_refunded - refund.object.amount;
      const object = { ...charge.object, amount_refunded: amountRefunded, refunded: false };
      store.charges.set(charge.object.id, { ...charge, object });
      const failure = { status: "failed" as const, failure_reason: "expired_or_canceled_card" };
      changeRefund(store, refund, "refund.failed", failure);
    }
  }
}

function changeRefund(
  store: StripeStore,
  refund: Refund,
  event: string,
  changes: Partial<Refund["object"]>,
): void {
  const object = { ...refund.object, ...changes };
  store.refunds.set(object.id, { ...refund, object });
  sendEvent(store, refund.account, event, object, null);
}

export function listRefunds(store: StripeStore, request: StripeRequest): object {
  const intent = param(request, "payment_intent");
  const found = store.refunds
    .values()
    .filter(({ account }) => account === request.account)
    .map(({ object }) => object)
    .filter((object) => intent === undefined || object.payment_intent === intent);
  return listOf(found, request, "/v1/refunds");
}

function chargeToRefund(store: StripeStore, request: StripeRequest): Charge {
  const intentId = param(request, "payment_intent");
  if (intentId === undefined) throw missing("payment_intent");
  const intent = store.intents.get(intentId);
  if (intent?.account !== request.account) {
    throw noSuch("payment_intent", intentId, "payment_intent");
  }
  const charge = store.charges.get(intent.object.latest_charge ?? "");
  if (intent.object.status !== "succeeded" || !charge) {
    throw badState(`This PaymentIntent (${intentId}) does not have a successful charge to refund.`);
  }
  return charge;
}
