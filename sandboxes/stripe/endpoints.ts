import type { CallName } from "../faults.ts";
import { listDisputes } from "./disputes.ts";
import { cancelIntent, createIntent, listIntents, showIntent } from "./payment-intents.ts";
import { createPaymentMethod } from "./payment-methods.ts";
import { createRefund, listRefunds } from "./refunds.ts";
import type { StripeRequest } from "./request.ts";
import type { StripeStore } from "./store.ts";

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  call: CallName;
  /** Names of parameters; any other is refused. */
  params: string;
  /** Browsers may call it with the publishable key. */
  isForBrowsers?: boolean;
  run: (store: StripeStore, request: StripeRequest) => object;
}

/** The part of Stripe's API that this sandbox answers: the calls of the product and its page. */
export const endpoints: Endpoint[] = [
  { method: "GET", path: "/v1/balance", call: "check", params: "", run: balance },
  {
    method: "POST",
    path: "/v1/payment_methods",
    call: "tokenise",
    params: "type card",
    isForBrowsers: true,
    run: createPaymentMethod,
  },
  {
    method: "POST",
    path: "/v1/payment_intents",
    call: "charge",
    params:
      "amount currency confirm payment_method allowed_payment_method_types use_stripe_sdk return_url description metadata expand",
    run: createIntent,
  },
  {
    method: "GET",
    path: "/v1/payment_intents",
    call: "lookup",
    params: "limit starting_after created expand",
    run: listIntents,
  },
  {
    method: "GET",
    path: "/v1/payment_intents/:id",
    call: "lookup",
    params: "client_secret expand",
    isForBrowsers: true,
    run: showIntent,
  },
  {
    method: "POST",
    path: "/v1/payment_intents/:id/cancel",
    call: "void",
    params: "",
    run: cancelIntent,
  },
  {
    method: "POST",
    path: "/v1/refunds",
    call: "refund",
    params: "payment_intent amount reason metadata",
    run: createRefund,
  },
  {
    method: "GET",
    path: "/v1/refunds",
    call: "lookup",
    params: "payment_intent limit starting_after created",
    run: listRefunds,
  },
  {
    method: "GET",
    path: "/v1/disputes",
    call: "lookup",
    params: "payment_intent charge limit starting_after created",
    run: listDisputes,
  },
];

function balance(): object {
  const none = [{ amount: 0, currency: "usd", source_types: { card: 0 } }];
  return { object: "balance", available: none, livemode: false, pending: none };
}
