import { createHmac } from "node:crypto";
import { Stripe } from "stripe";
import { afterEach, describe, expect } from "vitest";
import { payByCard } from "#cards/contract.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { aVisitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

let address: string;

const test = cardTest();
test.beforeAll(async () => {
  address = await app.server.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => {
  sandboxes.anet.stopFailing();
  sandboxes.stripe.stopFailing();
});

async function pay(processor: "anet" | "stripe", debtor: Debtor) {
  const token = await tokenFrom(processor, { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  return await debtor.visitor.ask(payByCard, { body });
}

const standing = (debtor: Debtor) => standingOf(app.db, debtor.debits[0] ?? 0);
const paid = { balance: 0, pending: 0 };

describe.each(["anet", "stripe"] as const)("%s", (processor) => {
  const listen = (debtor: Debtor) =>
    sandboxes[processor].sendWebhooksTo(`${address}/webhooks/${processor}/${debtor.network.id}`);

  test("a payment whose answer was lost is settled by its webhook, sent twice", async () => {
    const debtor = await aDebtor(app, processor);
    listen(debtor);
    sandboxes[processor].fail({ call: "webhook", kind: "webhook-twice", times: 3 });
    sandboxes[processor].fail({ call: "charge", kind: "500-after" });
    await pay(processor, debtor);
    await sandboxes.idle();
    expect(await standing(debtor)).toEqual(paid);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test("a webhook that arrives before the answer posts the payment once", async () => {
    const debtor = await aDebtor(app, processor);
    listen(debtor);
    sandboxes[processor].fail({ call: "charge", kind: "slow-after", delayMs: 300 });
    expect((await pay(processor, debtor)).status).toBe(200);
    await sandboxes.idle();
    expect(await standing(debtor)).toEqual(paid);
    expect(sandboxes[processor].deliveries().map((each) => each.status)).not.toContain(500);
  });

  test("a forged webhook is refused; the genuine one is accepted", async () => {
    const debtor = await aDebtor(app, processor);
    listen(debtor);
    sandboxes[processor].fail({ call: "webhook", kind: "webhook-forged", times: 1 });
    const known = sandboxes[processor].deliveries().length;
    await pay(processor, debtor);
    await sandboxes.idle();
    const statuses = sandboxes[processor]
      .deliveries()
      .slice(known)
      .map((each) => each.status);
    expect(statuses.filter((status) => status !== 200)).toEqual([401]);
    expect(await standing(debtor)).toEqual(paid);
  });

  test("an unknown network, or one without the processor, has no webhook", async () => {
    const other = await aDebtor(app, "elavon");
    const visitor = aVisitor(app);
    for (const network of ["999999999", "x", String(other.network.id)]) {
      const url = `/webhooks/${processor}/${network}`;
      const headers = { "content-type": "application/json" };
      expect((await visitor.sendRaw({ method: "POST", url, headers, payload: "{}" })).status).toBe(
        404,
      );
    }
    const url = `/webhooks/elavon/${other.network.id}`;
    expect((await visitor.sendRaw({ method: "POST", url, payload: "{}" })).status).toBe(404);
  });
});

test("a body changed by one byte, an old signature and an unsigned body are refused", async () => {
  const debtor = await aDebtor(app, "stripe");
  const { webhookSecret: secret } = sandboxes.accounts.stripe;
  const payload = JSON.stringify({ id: "evt_1", object: "event", type: "x", data: { object: {} } });
  const { webhooks } = new Stripe("sk_test_none");
  const signed = (more: object = {}) =>
    webhooks.generateTestHeaderString({ payload, secret, ...more });
  const send = async (body: string, signature?: string) => {
    const answer = await fetch(`${address}/webhooks/stripe/${debtor.network.id}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(signature && { "stripe-signature": signature }),
      },
      body,
    });
    return answer.status;
  };
  expect(await send(payload, signed())).toBe(200);
  expect(await send(payload, signed())).toBe(200);
  expect(await send(`${payload} `, signed())).toBe(401);
  expect(await send(payload, signed({ timestamp: Math.floor(Date.now() / 1000) - 600 }))).toBe(401);
  expect(await send(payload)).toBe(401);
  expect(await send("x".repeat(300 * 1024), signed())).toBe(413);
});

test.each([
  ["reopens the debit", 0],
  ["reopens the debit even if Stripe does not answer when it sends its notice", 1],
])("a refund made in the processor's own pages %s", async (_which, failures) => {
  const debtor = await aDebtor(app, "stripe");
  await pay("stripe", debtor);
  if (failures > 0) sandboxes.stripe.fail({ call: "lookup", kind: "500-before", times: 2 });
  sandboxes.stripe.sendWebhooksTo(`${address}/webhooks/stripe/${debtor.network.id}`);
  const [payment] = await app.db
    .selectFrom("cardPayments")
    .select("transactionId")
    .where("networkId", "=", debtor.network.id)
    .execute();
  const api = new URL(sandboxes.addresses.stripe.apiUrl);
  const client = new Stripe(sandboxes.accounts.stripe.secretKey, {
    host: api.hostname,
    port: api.port,
    protocol: "http",
  });
  await client.refunds.create({ payment_intent: payment?.transactionId ?? "" });
  await sandboxes.idle();
  expect(await standing(debtor)).toEqual({ balance: 5000, pending: 0 });
});

test("Authorize.Net's signature is accepted in upper or lower case", async () => {
  const debtor = await aDebtor(app, "anet");
  const payload = JSON.stringify({ notificationId: "n-1", eventType: "x", payload: { id: "0" } });
  const { signatureKey } = sandboxes.accounts.anet;
  const hash = createHmac("sha512", signatureKey).update(payload).digest("hex");
  for (const signature of [`sha512=${hash}`, `sha512=${hash.toUpperCase()}`]) {
    const answer = await fetch(`${address}/webhooks/anet/${debtor.network.id}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-anet-signature": signature },
      body: payload,
    });
    expect(answer.status).toBe(200);
  }
});
