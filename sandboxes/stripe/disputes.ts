import { sendEvent } from "./events.ts";
import { listOf } from "./lists.ts";
import { param, type StripeRequest } from "./request.ts";
import { amountToRefund, type DisputeStep } from "../sandbox.ts";
import {
  type BalanceTransaction,
  type Charge,
  type Dispute,
  newId,
  secondsNow,
  type StripeStore,
} from "./store.ts";

/** Without a request from the product: a payer disputes a PaymentIntent's charge, and the bank decides. */
export function dispute(
  store: StripeStore,
  intentId: string,
  step: DisputeStep,
  amount?: number,
): boolean {
  const charge = store.charges.get(store.intents.get(intentId)?.object.latest_charge ?? "");
  if (charge?.object.status !== "succeeded") return false;
  const open = openDisputeOf(store, charge);
  if (step === "open") return open === undefined && openDispute(store, charge, amount);
  if (!open) return false;
  if (step === "win") win(store, open);
  else change(store, open, { status: "lost" }, ["closed"]);
  return true;
}

const openDisputeOf = ({ disputes }: StripeStore, { object: { id } }: Charge) =>
  disputes
    .values()
    .find(({ object }) => object.charge === id && object.status === "needs_response");

/** Whether its money was withdrawn or soon may be: such a charge cannot be refunded. */
export const isDisputed = ({ disputes }: StripeStore, { object: { id } }: Charge) =>
  disputes.values().some(({ object }) => object.charge === id && object.status !== "won");

function openDispute(store: StripeStore, charge: Charge, wanted?: number): boolean {
  const { id: chargeId, amount: charged, amount_refunded: refunded } = charge.object;
  const amount = amountToRefund(charged - refunded, wanted);
  if (amount === null) return false;
  store.charges.set(chargeId, { ...charge, object: { ...charge.object, disputed: true } });
  const id = newId("dp");
  const opened: Dispute = {
    account: charge.account,
    object: {
      id,
      object: "dispute",
      amount,
      balance_transactions: [balanceTransaction(store, -amount)],
      charge: chargeId,
      created: secondsNow(store),
      currency: "usd",
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: charge.object.payment_intent,
      reason: "fraudulent",
      status: "needs_response",
    },
  };
  change(store, opened, {}, ["created", "funds_withdrawn"]);
  return true;
}

function win(store: StripeStore, open: Dispute): void {
  const { amount, balance_transactions: before } = open.object;
  const balance = [...before, balanceTransaction(store, amount)];
  const won = { status: "won" as const, balance_transactions: balance };
  change(store, open, won, ["funds_reinstated", "closed"]);
}

function change(
  store: StripeStore,
  before: Dispute,
  changes: Partial<Dispute["object"]>,
  events: string[],
): void {
  const object = { ...before.object, ...changes };
  store.disputes.set(object.id, { ...before, object });
  for (const event of events)
    sendEvent(store, before.account, `charge.dispute.${event}`, object, null);
}

/** Stripe charges its own fee when it withdraws the money. */
function balanceTransaction(store: StripeStore, amount: number): BalanceTransaction {
  const fee = amount < 0 ? 1500 : 0;
  return {
    id: newId("txn"),
    object: "balance_transaction",
    amount,
    created: secondsNow(store),
    currency: "usd",
    fee,
    net: amount - fee,
    reporting_category: amount < 0 ? "dispute" : "dispute_reversal",
    type: "adjustment",
  };
}

export function listDisputes(store: StripeStore, request: StripeRequest): object {
  const [intent, charge] = [param(request, "payment_intent"), param(request, "charge")];
  const found = store.disputes
    .values()
    .filter(({ account }) => account === request.account)
    .map(({ object }) => object)
    .filter((object) => intent === undefined || object.payment_intent === intent)
    .filter((object) => charge === undefined || object.charge === charge);
  return listOf(found, request, "/v1/disputes");
}
