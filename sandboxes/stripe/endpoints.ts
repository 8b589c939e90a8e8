import type { CallName } from "../faults.ts";
import { type Asked, wanted } from "./asked.ts";
import { answerDispute, closeDispute, showDispute } from "./disputes.ts";
import type { Herald } from "./events.ts";
import { listOf } from "./lists.ts";
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  listIntents,
  searchIntents,
  showIntent,
  updateIntent,
} from "./payment-intents.ts";
import { createPaymentMethod, createToken, showPaymentMethod } from "./payment-methods.ts";
import { createRefund, listRefunds, showRefund } from "./refunds.ts";
import { noSuch } from "./refusals.ts";
import { listAt } from "../tree.ts";
import { createEndpoint, deleteEndpoint, listEndpoints } from "./webhook-endpoints.ts";

export interface Endpoint {
  method: "GET" | "POST" | "DELETE";
  path: string;
  call: CallName;
  /** Names of parameters; any other is refused. */
  params: string;
  /** Browsers may call it with the publishable key. */
  isForBrowsers?: boolean;
  run: (herald: Herald, asked: Asked) => object;
}

const confirming =
  "payment_method payment_method_data payment_method_options confirmation_token return_url use_stripe_sdk off_session error_on_requires_action mandate_data receipt_email setup_future_usage shipping capture_method";
const paging = "limit starting_after ending_before created";

/** What of Stripe's API this stand-in answers. */
export const endpoints: Endpoint[] = [
  { method: "GET", path: "/v1/account", call: "check", params: "", run: account },
  { method: "GET", path: "/v1/accounts/:id", call: "check", params: "", run: account },
  { method: "GET", path: "/v1/balance", call: "check", params: "", run: balance },
  {
    method: "POST",
    path: "/v1/payment_methods",
    call: "tokenise",
    params: "type card billing_details metadata allow_redisplay",
    isForBrowsers: true,
    run: ({ books }, asked) => createPaymentMethod(books, asked),
  },
  {
    method: "GET",
    path: "/v1/payment_methods/:id",
    call: "lookup",
    params: "",
    run: ({ books }, asked) => showPaymentMethod(books, asked),
  },
  {
    method: "POST",
    path: "/v1/tokens",
    call: "tokenise",
    params: "card",
    isForBrowsers: true,
    run: ({ books }, asked) => createToken(books, asked),
  },
  {
    method: "POST",
    path: "/v1/payment_intents",
    call: "charge",
    params: `amount currency confirm confirmation_method allowed_payment_method_types automatic_payment_methods excluded_payment_method_types payment_method_configuration customer description metadata statement_descriptor statement_descriptor_suffix on_behalf_of transfer_data transfer_group application_fee_amount radar_options ${confirming}`,
    run: createIntent,
  },
  {
    method: "GET",
    path: "/v1/payment_intents",
    call: "lookup",
    params: `customer ${paging}`,
    run: listIntents,
  },
  {
    method: "GET",
    path: "/v1/payment_intents/search",
    call: "lookup",
    params: "query limit page",
    run: searchIntents,
  },
  {
    method: "GET",
    path: "/v1/payment_intents/:id",
    call: "lookup",
    params: "client_secret",
    isForBrowsers: true,
    run: showIntent,
  },
  {
    method: "POST",
    path: "/v1/payment_intents/:id",
    call: "charge",
    params: "amount description metadata receipt_email",
    run: updateIntent,
  },
  {
    method: "POST",
    path: "/v1/payment_intents/:id/confirm",
    call: "charge",
    params: `client_secret ${confirming}`,
    isForBrowsers: true,
    run: confirmIntent,
  },
  {
    method: "POST",
    path: "/v1/payment_intents/:id/capture",
    call: "charge",
    params: "amount_to_capture metadata",
    run: captureIntent,
  },
  {
    method: "POST",
    path: "/v1/payment_intents/:id/cancel",
    call: "void",
    params: "cancellation_reason",
    run: cancelIntent,
  },
  { method: "GET", path: "/v1/charges/:id", call: "lookup", params: "", run: showCharge },
  {
    method: "GET",
    path: "/v1/charges",
    call: "lookup",
    params: `payment_intent customer ${paging}`,
    run: listCharges,
  },
  {
    method: "POST",
    path: "/v1/refunds",
    call: "refund",
    params: "payment_intent charge amount reason metadata",
    run: createRefund,
  },
  { method: "GET", path: "/v1/refunds/:id", call: "lookup", params: "", run: showRefund },
  {
    method: "GET",
    path: "/v1/refunds",
    call: "lookup",
    params: `payment_intent charge ${paging}`,
    run: listRefunds,
  },
  { method: "GET", path: "/v1/disputes/:id", call: "lookup", params: "", run: showDispute },
  {
    method: "POST",
    path: "/v1/disputes/:id",
    call: "refund",
    params: "evidence submit metadata",
    run: answerDispute,
  },
  {
    method: "POST",
    path: "/v1/disputes/:id/close",
    call: "refund",
    params: "",
    run: closeDispute,
  },
  { method: "GET", path: "/v1/events/:id", call: "lookup", params: "", run: showEvent },
  {
    method: "GET",
    path: "/v1/events",
    call: "lookup",
    params: `type types ${paging}`,
    run: listEvents,
  },
  {
    method: "POST",
    path: "/v1/webhook_endpoints",
    call: "check",
    params: "url enabled_events description api_version metadata",
    run: createEndpoint,
  },
  {
    method: "GET",
    path: "/v1/webhook_endpoints",
    call: "check",
    params: paging,
    run: listEndpoints,
  },
  {
    method: "DELETE",
    path: "/v1/webhook_endpoints/:id",
    call: "check",
    params: "",
    run: deleteEndpoint,
  },
];

function account(_herald: Herald, asked: Asked): object {
  return {
    id: asked.account,
    object: "account",
    charges_enabled: true,
    country: "US",
    default_currency: "usd",
    details_submitted: true,
    payouts_enabled: true,
  };
}

function balance(): object {
  const none = [{ amount: 0, currency: "usd", source_types: { card: 0 } }];
  return { object: "balance", available: none, livemode: false, pending: none };
}

function showCharge({ books }: Herald, asked: Asked): object {
  const found = books.charges.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("charge", asked.id);
  return found.object;
}

function listCharges({ books }: Herald, asked: Asked): object {
  const intent = wanted(asked, "payment_intent");
  const found = books.charges
    .values()
    .filter(({ account: owner, object }) => owner === asked.account && isListed(asked, object))
    .map(({ object }) => object)
    .filter((object) => intent === undefined || object.payment_intent === intent);
  return listOf(found, asked, "/v1/charges");
}

function isListed({ listedUntil }: Asked, { created }: { created: number }): boolean {
  return created * 1_000 <= listedUntil;
}

function showEvent({ books }: Herald, asked: Asked): object {
  const found = books.events.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("event", asked.id);
  return found.object;
}

function listEvents({ books }: Herald, asked: Asked): object {
  const types = [wanted(asked, "type"), ...listAt(asked.params, "types").map(String)];
  const chosen = types.filter((type) => type !== undefined);
  const found = books.events
    .values()
    .filter(({ account: owner, object }) => owner === asked.account && isListed(asked, object))
    .map(({ object }) => object)
    .filter(({ type }) => chosen.length === 0 || chosen.includes(type));
  return listOf(found, asked, "/v1/events");
}
