import { createServer, type Server } from "node:http";
import { Stripe } from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { otherAccounts } from "#sandboxes/accounts.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;
let stripe: Stripe;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
  stripe = clientWith(sandboxes.accounts.stripe.secretKey);
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

function clientWith(key: string, maxNetworkRetries = 0): Stripe {
  const { hostname, port } = new URL(sandboxes.addresses.stripe.apiUrl);
  const settings = { host: hostname, port: Number(port), protocol: "http" as const };
  return new Stripe(key, { ...settings, telemetry: false, maxNetworkRetries });
}

function wish(
  payment_method = "pm_card_visa",
  more: Partial<Stripe.PaymentIntentCreateParams> = {},
) {
  return {
    amount: 2000,
    currency: "usd",
    payment_method,
    confirm: true,
    allowed_payment_method_types: ["card"],
    use_stripe_sdk: true,
    return_url: "http://localhost:3000/dashboard",
    metadata: { reference: "P1" },
    ...more,
  } satisfies Stripe.PaymentIntentCreateParams;
}

const pay = (idempotencyKey: string, payment_method?: string) =>
  stripe.paymentIntents.create(wish(payment_method), { idempotencyKey });

async function refusal(attempt: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

test("a charge succeeds, and is found by id and list", async () => {
  const intent = await pay("P1");
  expect(intent).toMatchObject({ status: "succeeded", amount_received: 2000 });
  expect(intent.lastResponse.requestId).toMatch(/^req_/);
  expect(sandboxes.stripe.charges()).toMatchObject([
    { id: intent.id, reference: "P1", amountCents: 2000, state: "captured", cardLast4: "4242" },
  ]);

  const read = await stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
  expect(read.latest_charge).toMatchObject({ object: "charge", paid: true, amount_captured: 2000 });
  const listed = await stripe.paymentIntents.list({ created: { gte: intent.created }, limit: 10 });
  expect(listed.data.map(({ metadata }) => metadata["reference"])).toEqual(["P1"]);
  const later = await stripe.paymentIntents.list({ created: { gte: intent.created + 60 } });
  expect(later.data).toEqual([]);
});

test("keys are checked, and one merchant sees nothing of another", async () => {
  expect(await stripe.balance.retrieve()).toMatchObject({ object: "balance" });
  const wrong = await refusal(clientWith("sk_test_wrong").balance.retrieve());
  expect([wrong.type, wrong.statusCode]).toEqual(["StripeAuthenticationError", 401]);
  const { id } = await pay("P1");
  const other = clientWith(otherAccounts.stripe.secretKey);
  expect((await refusal(other.paymentIntents.retrieve(id))).code).toBe("resource_missing");
});

test("the same key gives the first answer again, even a decline", async () => {
  const first = await pay("P1");
  const again = await pay("P1");
  expect(again.id).toBe(first.id);
  expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
  const declined = await refusal(pay("P2", "pm_card_chargeDeclined"));
  const declinedAgain = await refusal(pay("P2", "pm_card_chargeDeclined"));
  expect(declinedAgain.payment_intent?.id).toBe(declined.payment_intent?.id);
  expect(sandboxes.stripe.charges()).toHaveLength(2);
});

test("a key used for something else, or still in flight, is refused", async () => {
  await pay("P1");
  const other = await refusal(pay("P1", "pm_card_mastercard"));
  expect([other.type, other.statusCode]).toEqual(["StripeIdempotencyError", 400]);

  sandboxes.stripe.fail({ call: "charge", kind: "slow", delayMs: 300 });
  const slow = pay("P2");
  await expect.poll(() => sandboxes.stripe.calls().length).toBe(3);
  const meanwhile = await refusal(pay("P2"));
  expect([meanwhile.statusCode, meanwhile.code]).toEqual([409, "idempotency_key_in_use"]);
  expect((await slow).status).toBe("succeeded");
  expect((await pay("P2")).id).toBe((await slow).id);
});

test("after a day a key is forgotten", async () => {
  const first = await pay("P1");
  sandboxes.advance(24 * 3_600_000 + 1);
  expect((await pay("P1")).id).not.toBe(first.id);
});

test("parameters that Endive removed, unknown and missing ones are refused, and the key stays free", async () => {
  const send = (body: object) =>
    stripe.rawRequest("POST", "/v1/payment_intents", body, { idempotencyKey: "P1" });
  const removed = await refusal(send({ ...wish(), payment_method_types: ["card"] }));
  expect(removed.code).toBe("payment_method_types_no_longer_supported");
  expect((await refusal(send({ ...wish(), amonut: 1 }))).code).toBe("parameter_unknown");
  const { amount: _amount, ...without } = wish();
  const missing = await refusal(send(without));
  expect([missing.code, missing.param]).toEqual(["parameter_missing", "amount"]);
  const { return_url: _url, ...nowhere } = wish();
  expect((await refusal(send(nowhere))).message).toContain("return_url");
  const both = { ...wish(), automatic_payment_methods: { enabled: true } };
  expect((await refusal(send(both))).type).toBe("StripeInvalidRequestError");
  expect((await pay("P1")).status).toBe("succeeded");
});

test.each([
  ["4000000000000002", "card_declined", "generic_decline"],
  ["4000000000009995", "card_declined", "insufficient_funds"],
  ["4000000000000069", "expired_card", ""],
  ["4000000000000127", "incorrect_cvc", ""],
  ["4000000000000119", "processing_error", ""],
])("card %s is declined with %s %s", async (number, code, declineCode) => {
  const error = await refusal(pay("P1", await methodOf(number)));
  expect(error).toMatchObject({ type: "StripeCardError", statusCode: 402, code });
  expect(error.decline_code ?? "").toBe(declineCode);
  expect(error.payment_intent).toMatchObject({
    status: "requires_payment_method",
    last_payment_error: { code },
  });
  expect(sandboxes.stripe.charges()).toMatchObject([{ state: "declined", reference: "P1" }]);
});

async function methodOf(number: string): Promise<string> {
  const body = new URLSearchParams({
    key: sandboxes.accounts.stripe.publishableKey,
    type: "card",
    "card[number]": number,
    "card[exp_month]": "12",
    "card[exp_year]": "2099",
    "card[cvc]": "123",
  });
  const url = `${sandboxes.addresses.stripe.apiUrl}/v1/payment_methods`;
  const answer = await fetch(url, { method: "POST", body });
  const { id }: { id: string } = await answer.json();
  return id;
}

test("a publishable key makes payment methods and nothing else", async () => {
  const wrong = await refusal(
    clientWith(sandboxes.accounts.stripe.publishableKey).paymentIntents.list(),
  );
  expect(wrong.code).toBe("secret_key_required");
});

test("a payment method pays once", async () => {
  const method = await methodOf("4242424242424242");
  await pay("P1", method);
  expect((await refusal(pay("P2", method))).message).toContain("previously used");
});

test("an intent that waits for its challenge is canceled, one that succeeded is not", async () => {
  const waiting = await pay("P1", await methodOf("4000000000003220"));
  expect((await stripe.paymentIntents.cancel(waiting.id)).status).toBe("canceled");
  const again = await refusal(stripe.paymentIntents.cancel(waiting.id));
  expect(again.code).toBe("payment_intent_unexpected_state");
  const paid = await pay("P2");
  const cancel = await refusal(stripe.paymentIntents.cancel(paid.id));
  expect(cancel.code).toBe("payment_intent_unexpected_state");
  expect(cancel.payment_intent).toMatchObject({ id: paid.id });
});

test("the list has pages", async () => {
  const made = [await pay("P1"), await pay("P2"), await pay("P3")].map(({ id }) => id);
  const listed: string[] = [];
  for await (const { id } of stripe.paymentIntents.list({ limit: 2 })) listed.push(id);
  expect(listed).toEqual(made.toReversed());
});

test("refunds repeat up to the charge and no further", async () => {
  const { id } = await pay("P1");
  const part = await stripe.refunds.create({ payment_intent: id, amount: 500 });
  expect(part).toMatchObject({ status: "succeeded", amount: 500 });
  const tooMuch = await refusal(stripe.refunds.create({ payment_intent: id, amount: 1501 }));
  expect(tooMuch.message).toContain("greater than unrefunded amount");
  await stripe.refunds.create({ payment_intent: id });
  const again = await refusal(stripe.refunds.create({ payment_intent: id }));
  expect(again.code).toBe("charge_already_refunded");
  expect(sandboxes.stripe.totals()).toMatchObject({ capturedCents: 2000, netCents: 0 });
});

test("a refund of the failing card fails later, and the merchant has the money again", async () => {
  const { id } = await pay("P1", await methodOf("4000000000005126"));
  await stripe.refunds.create({ payment_intent: id });
  sandboxes.stripe.settle();
  expect(sandboxes.stripe.totals().netCents).toBe(2000);
  expect((await stripe.refunds.list({ payment_intent: id })).data).toMatchObject([
    { status: "failed", failure_reason: "expired_or_canceled_card" },
  ]);
});

test("a challenge stops the charge until the payer answers it", async () => {
  const intent = await pay("P1", await methodOf("4000000000003220"));
  expect(intent).toMatchObject({
    status: "requires_action",
    next_action: { type: "use_stripe_sdk" },
  });
  const body = new URLSearchParams({
    client_secret: intent.client_secret ?? "",
    outcome: "complete",
  });
  await fetch(`${sandboxes.origin}/stripe/challenge`, { method: "POST", body });
  expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe("succeeded");
});

test("the SDK's own retry finds a lost answer under its key", async () => {
  const patient = clientWith(sandboxes.accounts.stripe.secretKey, 2);
  sandboxes.stripe.fail({ call: "charge", kind: "500-after" });
  const intent = await patient.paymentIntents.create(wish(), { idempotencyKey: "P1" });
  expect(intent.status).toBe("succeeded");
  expect(sandboxes.stripe.totals().charges).toBe(1);
});

test("faults reach the SDK unchanged", async () => {
  sandboxes.stripe.fail({ call: "charge", kind: "busy" });
  expect((await refusal(pay("P1"))).type).toBe("StripeRateLimitError");
  sandboxes.stripe.fail({ call: "charge", kind: "unsure-after" });
  expect((await refusal(pay("P2"))).type).toBe("StripeAPIError");
  expect((await refusal(pay("P2"))).type).toBe("StripeAPIError"); // stored under the key
  sandboxes.stripe.fail({ call: "charge", kind: "truncated" });
  expect((await refusal(pay("P3"))).type).toBe("StripeConnectionError");
  sandboxes.stripe.fail({ call: "charge", kind: "html" });
  expect((await refusal(pay("P4"))).type).toBe("StripeAPIError");
  expect(sandboxes.stripe.charges().map(({ reference }) => reference)).toEqual(["P1", "P1", "P1"]);
});

test("webhooks pass the SDK's verification, and a forged copy does not", async () => {
  const heard: { signature: string; body: string }[] = [];
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      heard.push({ signature: String(request.headers["stripe-signature"]), body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  sandboxes.stripe.sendWebhooksTo(`http://127.0.0.1:${portOf(listener)}/`);
  sandboxes.stripe.fail({ call: "webhook", kind: "webhook-forged" });
  const { id } = await pay("P1");
  await sandboxes.idle();
  listener.close();
  const { webhookSecret } = sandboxes.accounts.stripe;
  const verified = heard.flatMap(({ body, signature }) => {
    try {
      return [stripe.webhooks.constructEvent(body, signature, webhookSecret)];
    } catch {
      return [];
    }
  });
  expect(verified.map(({ type }) => type).toSorted()).toEqual([
    "charge.succeeded",
    "payment_intent.created",
    "payment_intent.succeeded",
  ]);
  expect(heard).toHaveLength(4);
  expect(verified.find(({ type }) => type === "payment_intent.succeeded")).toMatchObject({
    request: { idempotency_key: "P1" },
    data: { object: { id, metadata: { reference: "P1" } } },
  });
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  return address.port;
}
