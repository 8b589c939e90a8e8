import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { Stripe } from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readNameValue, writeNameValue } from "#sandboxes/payflow/name-value.ts";
import { type ProcessorName, processorNames } from "#sandboxes/processors.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { testValues } from "#sandboxes/test-values.ts";
import { launchBrowser } from "#tests/support/chromium.ts";

let sandboxes: Sandboxes;
let browser: Browser;

const folder = mkdtempSync(join(tmpdir(), "sandboxes-"));
const stateFile = join(folder, "state.jsonl");

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0, stateFile });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await sandboxes.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => sandboxes.reset());

test("the documentation shows the same table as the page", () => {
  const rows = testValues.map(
    ({ outcome, values }) =>
      `| ${outcome} | ${processorNames.map((name) => values[name] ?? "").join(" | ")} |`,
  );
  const written = readFileSync(new URL("../docs/sandboxes.md", import.meta.url), "utf8");
  expect(written).toContain(`|---|---|---|---|---|---|\n${rows.join("\n")}\n`);
});

const promised = testValues.flatMap(({ outcome, values }) => {
  const states: Record<string, string[]> = {
    "A payment that succeeds": ["captured"],
    "A decline": ["declined", "none"],
    "A decline at tokenising, not at the charge": ["none"],
    "A charge held for review": ["held"],
    "Money taken, but no callback": ["captured"],
    "A partial approval": ["captured"],
    "Approved, but refused by the account's own rules": ["pending"],
    "An expired card": ["declined", "none"],
    "A wrong card code": ["declined", "captured"],
    "A processor error": ["declined", "none"],
    "A limit exceeded": ["declined"],
  };
  const expected = states[outcome];
  return expected
    ? processorNames.flatMap((name) => {
        const value = values[name];
        return value === undefined ? [] : [{ outcome, name, value, expected }];
      })
    : [];
});

test.each(promised)("$outcome with $name: $value", async ({ name, value, expected }) => {
  const number = /\d{4} \d{4} \d{4} \d{4}/.exec(value)?.[0].replaceAll(" ", "");
  const cents = /ending in (\.\d\d)/.exec(value)?.[1];
  const dollars = /^\$([\d,.]+)$/.exec(value)?.[1]?.replace(",", "");
  const code = /the code (\d+)/.exec(value)?.[1];
  await payBy[name]({
    number: number ?? "5105105105105100",
    amount: dollars ?? `20${cents ?? ".00"}`,
    code: code ?? "123",
  });
  expect(expected).toContain(sandboxes[name].charges().at(-1)?.state ?? "none");
});

interface Wish {
  number: string;
  amount: string;
  code: string;
}

/** A whole payment at each processor, in as few calls as possible. */
const payBy: Record<ProcessorName, (wish: Wish) => Promise<void>> = {
  async anet({ number, amount, code }) {
    const { apiLoginId: name, transactionKey, clientKey } = sandboxes.accounts.anet;
    const ask = async (body: object) => {
      const text = await post(sandboxes.addresses.anet.apiUrl, JSON.stringify(body));
      return JSON.parse(text);
    };
    const token = { cardNumber: number, expirationDate: "1249", cardCode: code };
    const { opaqueData } = await ask({
      securePaymentContainerRequest: {
        merchantAuthentication: { name, clientKey },
        data: { type: "TOKEN", id: "1", token },
      },
    });
    const payment = { opaqueData };
    await ask({
      createTransactionRequest: {
        merchantAuthentication: { name, transactionKey },
        transactionRequest: { transactionType: "authCaptureTransaction", amount, payment },
      },
    });
  },

  async stripe({ number, amount, code }) {
    const { secretKey: key } = sandboxes.accounts.stripe;
    const api = `${sandboxes.addresses.stripe.apiUrl}/v1`;
    const card = { "card[number]": number, "card[exp_month]": "12", "card[exp_year]": "2049" };
    const method = await post(`${api}/payment_methods`, {
      key,
      type: "card",
      ...card,
      "card[cvc]": code,
    });
    const { id }: { id?: string } = JSON.parse(method);
    await post(`${api}/payment_intents`, {
      key,
      amount: amount.replace(".", ""),
      currency: "usd",
      payment_method: id ?? "",
      confirm: "true",
      return_url: "http://localhost/",
    });
  },

  async elavon({ number, amount, code }) {
    const { merchantId, userId, pin } = sandboxes.accounts.elavon;
    const { tokenUrl, scriptUrl } = sandboxes.addresses.elavon;
    const token = await post(tokenUrl, {
      ssl_merchant_id: merchantId,
      ssl_user_id: userId,
      ssl_pin: pin,
      ssl_transaction_type: "ccsale",
      ssl_amount: amount,
    });
    await post(new URL("sale", scriptUrl).href, {
      ssl_txn_auth_token: token.trim(),
      ssl_card_number: number,
      ssl_exp_date: "1249",
      ssl_cvv2cvc2: code,
    });
  },

  async lawpay({ number, amount, code }) {
    const { publicKey, secretKey } = sandboxes.accounts.lawpay;
    const { apiUrl } = sandboxes.addresses.lawpay;
    const card = { number, exp_month: 12, exp_year: 2049, cvv: code };
    const token = await post(`${apiUrl}/tokens`, JSON.stringify(card), basic(publicKey));
    const { id: method }: { id: string } = JSON.parse(token);
    const charge = { amount: amount.replace(".", ""), method };
    await post(`${apiUrl}/charges`, JSON.stringify(charge), basic(secretKey));
  },

  async paypal_payflow_pro({ number, amount, code }) {
    const { partner, vendor, user, password } = sandboxes.accounts.paypal_payflow_pro;
    const { apiUrl, postUrl } = sandboxes.addresses.paypal_payflow_pro;
    const ask = async (fields: Record<string, string>) => {
      const account = { PARTNER: partner, VENDOR: vendor, USER: user, PWD: password, TENDER: "C" };
      const headers = { "x-vps-request-id": randomBytes(16).toString("hex") };
      return readNameValue(await post(apiUrl, writeNameValue({ ...account, ...fields }), headers));
    };
    const { SECURETOKEN = "", SECURETOKENID = "" } =
      (await ask({
        TRXTYPE: "S",
        AMT: amount,
        CREATESECURETOKEN: "Y",
        SECURETOKENID: randomBytes(16).toString("hex"),
        SILENTTRAN: "TRUE",
        RETURNURL: "http://localhost/",
      })) ?? {};
    const card = { ACCT: number, EXPDATE: "1249", CSC: code };
    await post(postUrl, { SECURETOKEN, SECURETOKENID, ...card });
  },
};

const basic = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:`).toString("base64")}`,
  "content-type": "application/json",
});

async function post(
  url: string,
  body: string | Record<string, string>,
  headers: Record<string, string> = {},
): Promise<string> {
  const sent = typeof body === "string" ? body : new URLSearchParams(body);
  const answer = await fetch(url, { method: "POST", headers, body: sent });
  return await answer.text();
}

test("charges survive a restart, and no card number is saved", async () => {
  const paid = { number: "5105105105105100", amount: "20.00", code: "987" };
  for (const name of processorNames) await payBy[name](paid);
  const api = new URL(sandboxes.addresses.stripe.apiUrl);
  const settings = { host: api.hostname, port: Number(api.port), protocol: "http" as const };
  const stripe = new Stripe(sandboxes.accounts.stripe.secretKey, { ...settings, telemetry: false });
  const card = { number: paid.number, exp_month: 12, exp_year: 2049, cvc: paid.code };
  await stripe.paymentMethods.create({ type: "card", card }); // the SDK sends a key with it, and the answer is stored under that key

  const written = readFileSync(stateFile, "utf8");
  expect(written).not.toContain(paid.number);
  expect(written).not.toMatch(/"987"/);
  const again = await startSandboxes({ port: 0, stateFile });
  for (const name of processorNames)
    expect(again[name].charges()).toEqual(sandboxes[name].charges());
  expect(processorNames.map((name) => again[name].totals().capturedCents)).toEqual(
    processorNames.map(() => 2000),
  );
  await again.close();
});

test("the page shows what to type and what was charged, and makes a call fail", async () => {
  await payBy.anet({ number: "4111111111111111", amount: "20.00", code: "123" });
  const page = await browser.newPage();
  await page.goto(sandboxes.origin);
  await page.getByRole("row", { name: /A decline 4000 0000 0000 9995/ }).waitFor();
  await page.getByRole("row", { name: /Authorize.Net .* captured \$20\.00/ }).waitFor();
  await page.getByLabel("Processor").selectOption("Stripe");
  await page.getByLabel("Fault").selectOption("500-after");
  await page.getByRole("button", { name: "Fail the next call" }).click();
  await page.getByText("Stripe: 500-after on charge").waitFor();
  expect(sandboxes.stripe.activeFaults()).toEqual([
    { call: "charge", kind: "500-after", times: 1 },
  ]);
  await page.getByRole("button", { name: "Settle the open batches" }).click();
  await page.getByRole("row", { name: /settled \$20\.00/ }).waitFor();
  await page.close();
});

test("the page refunds and disputes like the processor's own pages", async () => {
  const paid = { number: "5105105105105100", amount: "20.00", code: "123" };
  await payBy.anet(paid);
  const page = await browser.newPage();
  await page.goto(sandboxes.origin);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const answer = (text: string) => page.locator("#done", { hasText: text }).waitFor();
  await press("Refund");
  await answer("That cannot be done with this transaction."); // it is not settled
  sandboxes.anet.settle();
  await page.getByLabel("Amount").fill("5.5");
  await press("Refund");
  await page.getByRole("row", { name: /settled \$20\.00 \$5\.50/ }).waitFor();
  await page.getByLabel("Amount").fill("");
  await press("Refund");
  await page.getByRole("row", { name: /settled \$20\.00 \$20\.00/ }).waitFor();
  await payBy.stripe(paid);
  await page.reload();
  await page.getByRole("row", { name: /Stripe .* captured/ }).waitFor();
  const value = `stripe ${sandboxes.stripe.charges()[0]?.id}`;
  await page.getByRole("combobox", { name: "Transaction" }).selectOption({ value });
  await press("Win the dispute");
  await answer("That cannot be done with this transaction."); // there is no dispute
  await press("Dispute");
  await answer("Done.");
  expect(sandboxes.anet.totals().refundedCents).toBe(2000);
  expect(sandboxes.stripe.dispute(value.replace("stripe ", ""), "lose")).toBe(true);
  await page.close();
});

test("other processes refund, void and dispute through the control routes", async () => {
  const paid = { number: "5105105105105100", amount: "20.00", code: "123" };
  const steer = async (path: string, body: object) =>
    JSON.parse(
      await post(`${sandboxes.origin}/_control/${path}`, JSON.stringify(body), {
        "content-type": "application/json",
      }),
    );
  await payBy.lawpay(paid);
  const charge = { id: sandboxes.lawpay.charges()[0]?.id };
  const part = { ...charge, amountCents: 1500 };
  expect(await steer("lawpay/refund", part)).toEqual({ refunded: true });
  expect(await steer("lawpay/refund", part)).toEqual({ refunded: false });
  expect(await steer("lawpay/void", charge)).toEqual({ voided: false });
  await payBy.stripe(paid);
  const disputed = { id: sandboxes.stripe.charges()[0]?.id };
  for (const [step, isDone] of [
    ["win", false],
    ["open", true],
    ["open", false],
    ["win", true],
    ["lose", false],
  ] as const)
    expect(await steer("stripe/dispute", { ...disputed, step })).toEqual({ disputed: isDone });
});
