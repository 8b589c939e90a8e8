import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { otherAccounts } from "#sandboxes/accounts.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads the parts it expects
  body: any;
}

async function call(
  method: "GET" | "POST",
  path: string,
  body?: object,
  key: string = sandboxes.accounts.lawpay.secretKey,
): Promise<Answer> {
  const answer = await fetch(`${sandboxes.addresses.lawpay.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "content-type": "application/json",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function tokenOf(number = "4242424242424242", more: object = {}): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2099, cvv: "123", ...more };
  const { publicKey } = sandboxes.accounts.lawpay;
  return (await call("POST", "/tokens", card, publicKey)).body.id;
}

interface Wish {
  number?: string;
  reference?: string;
  token?: string;
  account_id?: string;
  key?: string;
}

async function charge({ number, reference = "P1", token, account_id, key }: Wish = {}) {
  const body = {
    amount: "2000",
    method: token ?? (await tokenOf(number)),
    account_id: account_id ?? sandboxes.accounts.lawpay.accountId,
    reference,
  };
  return await call("POST", "/charges", body, key);
}

const codeOf = ({ status, body }: Answer) => [status, body.messages[0].code];

test("a token is charged once, in cents, and is authorised until the daily run completes it", async () => {
  const token = await tokenOf();
  const { status, body } = await charge({ token });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    type: "CHARGE",
    status: "AUTHORIZED",
    amount: 2000,
    reference: "P1",
    method: { number: "************4242", card_type: "VISA" },
  });
  expect(body.id).toMatch(/^[\w-]{22}$/);
  expect(codeOf(await charge({ token }))).toEqual([422, "no_card_details_or_token_present"]);
  expect(sandboxes.lawpay.settle()).toBe(1);
  expect((await call("GET", `/transactions/${body.id}`)).body.status).toBe("COMPLETED");
  expect(sandboxes.lawpay.charges()).toMatchObject([
    { id: body.id, reference: "P1", amountCents: 2000, state: "settled", cardLast4: "4242" },
  ]);
});

test("a token expires after five minutes", async () => {
  const token = await tokenOf();
  sandboxes.advance(5 * 60_000 + 1);
  expect(codeOf(await charge({ token }))).toEqual([422, "no_card_details_or_token_present"]);
});

test.each([
  ["4000000000000002", "card_declined"],
  ["4000000000000044", "card_declined_insufficient_funds"],
  ["4000000000000069", "card_expired"],
  ["4000000000000127", "card_declined_hold"],
  ["4242424242424241", "card_number_invalid"],
])("card %s becomes a token, and its charge fails with %s", async (number, code) => {
  const refused = await charge({ number });
  expect(codeOf(refused)).toEqual([422, code]);
  const { body } = await call("GET", `/transactions/${refused.body.messages[0].entity_id}`);
  expect(body).toMatchObject({ status: "FAILED", failure_code: code });
  expect(sandboxes.lawpay.totals().charges).toBe(0);
});

test("keys are checked, and show their accounts", async () => {
  const { accountId, trustAccountId, liveSecretKey, publicKey } = sandboxes.accounts.lawpay;
  const { body } = await call("GET", "/merchant");
  expect(body.merchant_accounts).toMatchObject([
    { id: accountId, name: "Operating", primary: true, trust_account: false, type: "TEST" },
    { id: trustAccountId, name: "Trust", trust_account: true },
  ]);
  expect((await call("GET", "/merchant", undefined, liveSecretKey)).body.merchant_accounts).toEqual(
    [],
  );
  expect(codeOf(await call("GET", "/merchant", undefined, "wrong"))).toEqual([
    401,
    "not_authorized",
  ]);
  expect((await call("GET", "/merchant", undefined, publicKey)).status).toBe(401);
  expect(codeOf(await charge({ key: liveSecretKey }))).toEqual([
    422,
    "unavailable_for_merchant_mode",
  ]);
  const foreign = otherAccounts.lawpay.accountId;
  expect(codeOf(await charge({ account_id: foreign }))).toEqual([404, "resource_not_found"]);
});

test("a charge is found by the beginning of its reference, in its own account and mode", async () => {
  await charge({ reference: "P1" });
  await charge({ reference: "P10" });
  const path = `/transactions?qf=reference:P1&order_by=-created&start_date=${new Date(Date.now() - 60_000).toISOString()}`;
  const { body } = await call("GET", path);
  expect(body.total_entries).toBe(2);
  expect(body.results.map((each: { reference: string }) => each.reference)).toEqual(["P10", "P1"]);
  const { liveSecretKey } = sandboxes.accounts.lawpay;
  for (const key of [liveSecretKey, otherAccounts.lawpay.secretKey]) {
    expect((await call("GET", path, undefined, key)).body.total_entries).toBe(0);
  }
});

test("a charge is voided while authorised, and refunded up to its amount", async () => {
  const voided = (await charge()).body.id;
  expect((await call("POST", `/transactions/${voided}/void`)).body.status).toBe("VOIDED");
  const again = await call("POST", `/transactions/${voided}/void`);
  expect(codeOf(again)).toEqual([422, "not_valid_for_transaction_status"]);

  const { id } = (await charge()).body;
  sandboxes.lawpay.settle();
  expect((await call("POST", `/transactions/${id}/void`)).status).toBe(422);
  const refund = await call("POST", `/charges/${id}/refund`, { amount: 500, reference: "R1" });
  expect(refund.body).toMatchObject({ type: "REFUND", status: "AUTHORIZED", amount: 500 });
  const tooMuch = await call("POST", `/charges/${id}/refund`, { amount: 1501 });
  expect(codeOf(tooMuch)).toEqual([422, "refund_exceeds_transaction"]);
  const { body } = await call("GET", `/transactions/${id}`);
  expect(body).toMatchObject({ amount_refunded: 500, refunds: [{ reference: "R1" }] });
  expect(sandboxes.lawpay.totals()).toMatchObject({ capturedCents: 2000, netCents: 1500 });
});

test("a settlement that fails takes the money back", async () => {
  const { id } = (await charge()).body;
  sandboxes.lawpay.settle([id]);
  const { body } = await call("GET", `/transactions/${id}`);
  expect(body).toMatchObject({ status: "FAILED", failure_code: "settlement_failed" });
});

test("when the processor cannot say, the error gives the transaction's id", async () => {
  sandboxes.lawpay.fail({ call: "charge", kind: "unsure-after" });
  const unsure = await charge();
  expect(codeOf(unsure)).toEqual([500, "card_processor_not_available"]);
  const { body } = await call("GET", `/transactions/${unsure.body.messages[0].entity_id}`);
  expect(body.status).toBe("AUTHORIZED");
});

test("a pending charge is decided later", async () => {
  const { body } = await charge({ number: "4000000000000259" });
  expect(body.status).toBe("PENDING");
  expect(sandboxes.lawpay.decide(body.id, "decline")).toBe(true);
  expect(sandboxes.lawpay.charges()).toMatchObject([{ state: "declined" }]);
});

test("mistakes in the request are named", async () => {
  const { body } = await call("POST", "/charges", { method: await tokenOf() });
  expect(body.messages[0]).toMatchObject({
    code: "invalid_data",
    context: "amount",
    sub_code: "not_null",
  });
  expect(codeOf(await call("POST", "/charges", { amount: 1 }))).toEqual([422, "no_payment_method"]);
  const nonsense = await fetch(`${sandboxes.addresses.lawpay.apiUrl}/charges`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{",
  });
  expect(nonsense.status).toBe(400);
});
