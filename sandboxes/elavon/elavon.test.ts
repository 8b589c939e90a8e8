import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { otherAccounts } from "#sandboxes/accounts.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

const credentials = ({ merchantId, userId, pin } = sandboxes.accounts.elavon) => ({
  ssl_merchant_id: merchantId,
  ssl_user_id: userId,
  ssl_pin: pin,
});

async function session(more: Record<string, string> = {}, account = credentials()) {
  const answer = await fetch(sandboxes.addresses.elavon.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      ...account,
      ssl_transaction_type: "ccsale",
      ssl_amount: "20.00",
      ssl_invoice_number: "P1",
      ...more,
    }),
  });
  return { status: answer.status, text: (await answer.text()).trim() };
}

interface Outcome {
  callback: string;
  value: string | Record<string, string>;
}

async function pay(token: string, more: Record<string, string> = {}): Promise<Outcome> {
  const answer = await fetch(new URL("sale", sandboxes.addresses.elavon.scriptUrl), {
    method: "POST",
    body: new URLSearchParams({
      ssl_txn_auth_token: token,
      ssl_card_number: "4124939999999990",
      ssl_exp_date: "1299",
      ssl_cvv2cvc2: "123",
      ssl_cvv2cvc2_indicator: "1",
      ...more,
    }),
  });
  return await answer.json();
}

const saleOf = async (amount = "20.00") => pay((await session({ ssl_amount: amount })).text);

/** The answer's elements, first of each name. */
async function xml(fields: Record<string, string>, account = credentials()) {
  const inside = Object.entries({ ...account, ...fields })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("");
  const answer = await fetch(sandboxes.addresses.elavon.xmlUrl, {
    method: "POST",
    body: new URLSearchParams({ xmldata: `<txn>${inside}</txn>` }),
  });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  const found = [...text.matchAll(/<(\w+)>([^<]*)(?=<)/g)].toReversed();
  return Object.fromEntries(found.map(([, name = "", value = ""]) => [name, value]));
}

const query = (fields: Record<string, string>) =>
  xml({ ssl_transaction_type: "txnquery", ...fields });

function fieldsOf({ value }: Outcome): Record<string, string> {
  if (typeof value === "string") throw new Error(value);
  return value;
}

test("a session token is bare text, and wrong credentials give none", async () => {
  expect((await session()).text).toMatch(/^[\w+/=]{40,}$/);
  const { pin: _pin, ...known } = sandboxes.accounts.elavon;
  const wrong = await session({}, credentials({ ...known, pin: "wrong" }));
  expect(wrong.text).toContain("errorCode=4025");
  const nobody = credentials({ merchantId: "1", userId: "1", pin: "1" });
  expect((await session({}, nobody)).status).toBe(403);
  expect((await session({ ssl_amount: "0" })).text).toContain("errorCode=5002");
});

test("a sale is approved for the session's amount, and verified by its id", async () => {
  const { text: token } = await session({ ssl_amount: "0.37" });
  const outcome = await pay(token, { ssl_amount: "0.01" });
  expect(outcome).toMatchObject({
    callback: "onApproval",
    value: { ssl_result: "0", ssl_result_message: "APPROVAL", ssl_amount: ".37" },
  });
  const { ssl_txn_id: id = "" } = fieldsOf(outcome);
  expect(id).toMatch(/^\d{6}[0-9A-F]{3}-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
  const found = await query({ ssl_txn_id: id });
  expect(found).toMatchObject({
    ssl_txn_id: id,
    ssl_transaction_type: "SALE",
    ssl_amount: ".37",
    ssl_invoice_number: "P1",
    ssl_trans_status: "OPN",
    ssl_card_number: "41**********9990",
  });
  expect(found).not.toHaveProperty("ssl_result");
  expect(sandboxes.elavon.charges()).toMatchObject([
    { id, reference: "P1", amountCents: 37, state: "captured", cardLast4: "9990" },
  ]);
});

test.each([
  ["20.05", "DECLINED"],
  ["20.14", "DECLINED CVV2"],
  ["20.54", "EXPIRED CARD"],
  ["20.61", "AMT OVER SVC LMT"],
])("an amount of %s is declined as %s", async (amount, message) => {
  expect(await saleOf(amount)).toMatchObject({
    callback: "onDeclined",
    value: { ssl_result: "1", ssl_result_message: message },
  });
  expect(sandboxes.elavon.totals().charges).toBe(0);
});

test("the other amounts of the table: partly approved, without a callback, timed out before or after", async () => {
  expect(fieldsOf(await saleOf("20.65"))["ssl_result_message"]).toBe("PARTIAL APPROVAL");
  expect((await saleOf("20.91")).callback).toBe("none");
  expect((await saleOf("20.96")).callback).toBe("onError");
  expect((await saleOf("20.97")).callback).toBe("onError");
  const amounts = sandboxes.elavon.charges().map(({ amountCents }) => amountCents);
  expect(amounts).toEqual([1032, 2091, 2097]);
});

test.each([
  ["20.81", "PST"],
  ["20.82", "FPR"],
])(
  "an amount of %s is approved, fails rule %s, and stays held until it is voided",
  async (amount, status) => {
    const outcome = await saleOf(amount);
    expect(outcome.callback).toBe("onApproval");
    const { ssl_txn_id: id = "" } = fieldsOf(outcome);
    expect(await query({ ssl_txn_id: id })).toMatchObject({
      ssl_result_message: "APPROVAL",
      ssl_trans_status: status,
    });
    expect(sandboxes.elavon.settle()).toBe(0);
    expect((await xml({ ssl_transaction_type: "ccvoid", ssl_txn_id: id }))["ssl_result"]).toBe("0");
    expect(sandboxes.elavon.charges().at(-1)?.state).toBe("voided");
  },
);

test("invalid fields reach onDeclined in the other shape", async () => {
  const { text: token } = await session();
  const wrong = await pay(token, { ssl_card_number: "4124939999999991" });
  expect(wrong).toMatchObject({ callback: "onDeclined", value: { errorCode: "5000" } });
  expect(wrong.value).not.toHaveProperty("ssl_txn_id");
  const expired = await pay(token, { ssl_exp_date: "1220" });
  expect(fieldsOf(expired)["ssl_result_message"]).toBe("EXPIRED CARD");
  expect(fieldsOf(await pay(token, { ssl_cvv2cvc2: "1" }))["errorCode"]).toBe("5021");
});

test("a session allows one approval, five declines and fifteen minutes", async () => {
  const { text: used } = await session();
  await pay(used);
  expect((await pay(used)).callback).toBe("onError");

  const { text: declined } = await session({ ssl_amount: "20.05" });
  const callbacks = [];
  for (let n = 0; n < 6; n += 1) callbacks.push((await pay(declined)).callback);
  expect(callbacks).toEqual([...Array.from({ length: 5 }, () => "onDeclined"), "onError"]);

  const { text: old } = await session();
  sandboxes.advance(15 * 60_000 + 1);
  expect((await pay(old)).callback).toBe("onError");
  expect(sandboxes.elavon.totals().charges).toBe(1);
});

test("an open sale is voided once, a settled one returned up to its amount", async () => {
  const idOf = async () => fieldsOf(await saleOf())["ssl_txn_id"] ?? "";
  const [voided, kept] = [await idOf(), await idOf()];
  const change = (type: string, id: string, more = {}) =>
    xml({ ssl_transaction_type: type, ssl_txn_id: id, ...more });
  expect((await change("ccvoid", voided))["ssl_result"]).toBe("0");
  expect((await change("ccvoid", voided))["errorCode"]).toBe("5040");
  expect((await query({ ssl_txn_id: voided }))["ssl_transaction_type"]).toBe("VOID");
  expect((await change("ccreturn", kept))["errorCode"]).toBe("5040");

  expect(sandboxes.elavon.settle()).toBe(1);
  expect((await query({ ssl_txn_id: kept }))["ssl_trans_status"]).toBe("STL");
  expect((await change("ccvoid", kept))["errorCode"]).toBe("5040");
  expect((await change("ccreturn", kept, { ssl_amount: "5.00" }))["ssl_result"]).toBe("0");
  expect((await change("ccreturn", kept, { ssl_amount: "15.01" }))["errorCode"]).toBe("5091");
  expect(sandboxes.elavon.totals()).toMatchObject({ capturedCents: 2000, netCents: 1500 });
});

test("transactions are searched by Eastern times, newest first", async () => {
  const begun = Date.now();
  await saleOf("20.00");
  await saleOf("30.00");
  const minutesLater = (minutes: number) =>
    new Date(begun + minutes * 60_000)
      .toLocaleString("en-US", {
        timeZone: "America/New_York",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      })
      .replace(",", "")
      .replace("\u202f", " ");
  const between = (start: number, end: number) =>
    query({
      ssl_search_start_date: minutesLater(start),
      ssl_search_end_date: minutesLater(end),
    });
  const found = await between(-70, 140);
  expect([found["ssl_txn_count"], found["ssl_amount"]]).toEqual(["2", "30.00"]);
  expect((await between(-300, -70))["ssl_txn_count"]).toBe("0");
  expect((await between(-40 * 24 * 60, 0))["errorCode"]).toBe("5099");
  expect((await between(70, 0))["errorCode"]).toBe("5099");
  expect((await query({}))["errorCode"]).toBe("5095");
});

test("the XML interface refuses bad credentials, bad XML and another merchant's transactions", async () => {
  const { pin: _pin, ...known } = sandboxes.accounts.elavon;
  const wrong = credentials({ ...known, pin: "wrong" });
  const refused = await xml({ ssl_transaction_type: "txnquery", ssl_txn_id: "1" }, wrong);
  expect(refused["errorCode"]).toBe("4025");
  expect((await query({ ssl_description: "a & <b>" }))["errorCode"]).toBe("6042");
  const { ssl_txn_id: id = "" } = fieldsOf(await saleOf());
  const other = credentials(otherAccounts.elavon);
  const foreign = await xml({ ssl_transaction_type: "txnquery", ssl_txn_id: id }, other);
  expect(foreign["errorCode"]).toBe("5040");
});
