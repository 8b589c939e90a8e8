import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { otherAccounts } from "#sandboxes/accounts.ts";
import { readNameValue, writeNameValue } from "#sandboxes/payflow/name-value.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

const chance = () => randomBytes(16).toString("hex");

async function gateway(
  fields: Record<string, string>,
  requestId = chance(),
  account = sandboxes.accounts.paypal_payflow_pro,
): Promise<Record<string, string>> {
  const { partner, vendor, user, password } = account;
  const all = {
    PARTNER: partner,
    VENDOR: vendor,
    USER: user,
    PWD: password,
    TENDER: "C",
    ...fields,
  };
  const answer = await fetch(sandboxes.addresses.paypal_payflow_pro.apiUrl, {
    method: "POST",
    headers: { "content-type": "text/namevalue", "x-vps-request-id": requestId },
    body: writeNameValue(all),
  });
  expect(answer.status).toBe(200);
  return readNameValue(await answer.text()) ?? {};
}

async function secureToken(more: Record<string, string> = {}) {
  return await gateway({
    TRXTYPE: "A",
    AMT: "0.00",
    CURRENCY: "USD",
    CREATESECURETOKEN: "Y",
    SECURETOKENID: chance(),
    SILENTTRAN: "TRUE",
    RETURNURL: "http://localhost:3000/payflow/return?way=return",
    ERRORURL: "http://localhost:3000/payflow/return?way=error",
    BILLTOSTREET: "123 Main Street",
    BILLTOZIP: "02101",
    USER1: "A & B",
    ...more,
  });
}

interface Posted {
  action: string;
  fields: Record<string, string>;
}

/** The fields and address that the returned page would post. */
async function submit(
  token: Record<string, string>,
  more: Record<string, string> = {},
): Promise<Posted> {
  const answer = await fetch(sandboxes.addresses.paypal_payflow_pro.postUrl, {
    method: "POST",
    body: new URLSearchParams({
      SECURETOKEN: token["SECURETOKEN"] ?? "",
      SECURETOKENID: token["SECURETOKENID"] ?? "",
      acct: "4111111111111111",
      expdate: "1249",
      csc: "123",
      ...more,
    }),
  });
  const page = await answer.text();
  const plain = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  const inputs = [...page.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: plain(/action="([^"]*)"/.exec(page)?.[1] ?? ""),
    fields: Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, plain(value)])),
  };
}

async function verified(more: Record<string, string> = {}): Promise<string> {
  const { fields } = await submit(await secureToken(), more);
  return fields["PNREF"] ?? "";
}

/** A sale made by the browser with the server's token. */
async function tokenSale(more: Record<string, string> = {}, card: Record<string, string> = {}) {
  const token = await secureToken({
    TRXTYPE: "S",
    AMT: "20.00",
    CUSTREF: "P1",
    INVNUM: "P1",
    ...more,
  });
  return { token, ...(await submit(token, card)) };
}

/** A sale by reference to a verification, at a merchant who allows that. */
async function sale(more: Record<string, string> = {}, requestId = chance()) {
  sandboxes.paypal_payflow_pro.allowReferences(true);
  const origId = more["ORIGID"] ?? (await verified());
  const fields = { TRXTYPE: "S", AMT: "20.00", CUSTREF: "P1", CURRENCY: "USD" };
  return await gateway({ ...fields, ORIGID: origId, ...more }, requestId);
}

test("values are read as they are, and those with a sign by their length", () => {
  const fields = { A: "x+y %20", B: "a=b&c", C: "" };
  expect(writeNameValue(fields)).toBe("A=x+y %20&B[5]=a=b&c&C=");
  expect(readNameValue("a=x+y %20&B[5]=a=b&c&C=")).toEqual(fields);
  expect(readNameValue("B[9]=abc")).toBeNull();
});

test("a secure token verifies the card in the browser, and the server charges it by reference", async () => {
  const token = await secureToken();
  expect(token).toMatchObject({ RESULT: "0", RESPMSG: "Approved" });
  expect(token["SECURETOKEN"]).toMatch(/^[\w+/]+=$/);
  const { action, fields } = await submit(token);
  expect(action).toBe("http://localhost:3000/payflow/return?way=return");
  expect(fields).toMatchObject({
    RESULT: "0",
    RESPMSG: "Verified",
    ACCT: "1111",
    CARDTYPE: "0",
    AVSADDR: "Y",
    AVSZIP: "Y",
    CVV2MATCH: "Y",
    USER1: "A & B",
    SECURETOKENID: token["SECURETOKENID"],
  });
  const { SECURETOKEN = "" } = token;
  const inquiry = await gateway({ TRXTYPE: "I", SECURETOKEN });
  expect(inquiry).toMatchObject({ RESULT: "0", ORIGRESULT: "0", ORIGPNREF: fields["PNREF"] });

  const sold = await sale({ ORIGID: fields["PNREF"] ?? "" });
  expect(sold).toMatchObject({ RESULT: "0", AMT: "20.00" });
  expect(sold["PNREF"]).toMatch(/^\w{12}$/);
  expect(sandboxes.paypal_payflow_pro.charges()).toMatchObject([
    { id: sold["PNREF"], reference: "P1", amountCents: 2000, state: "captured", cardLast4: "1111" },
  ]);
});

test("a secure token with an amount is charged in the browser, and found by its token and by our reference", async () => {
  const { token, fields } = await tokenSale();
  expect(fields).toMatchObject({ RESULT: "0", RESPMSG: "Approved", AMT: "20.00", TRXTYPE: "S" });
  const found = { ORIGRESULT: "0", ORIGPNREF: fields["PNREF"], AMT: "20.00", TRANSSTATE: "6" };
  const { SECURETOKEN = "" } = token;
  expect(await gateway({ TRXTYPE: "I", SECURETOKEN })).toMatchObject(found);
  expect(await gateway({ TRXTYPE: "I", CUSTREF: "P1" })).toMatchObject(found);
  expect(sandboxes.paypal_payflow_pro.charges()).toMatchObject([
    { id: fields["PNREF"], reference: "P1", amountCents: 2000, state: "captured" },
  ]);
});

test("a reference transaction is refused until the merchant allows it, and so is the void of a verification", async () => {
  const ORIGID = await verified();
  const charge = { TRXTYPE: "S", AMT: "20.00", CUSTREF: "P1", CURRENCY: "USD", ORIGID };
  expect((await gateway(charge))["RESULT"]).toBe("117");
  expect((await gateway({ TRXTYPE: "V", ORIGID }))["RESULT"]).toBe("117");
  expect(sandboxes.paypal_payflow_pro.totals()).toMatchObject({ capturedCents: 0 });
  sandboxes.paypal_payflow_pro.allowReferences(true);
  expect((await gateway(charge))["RESULT"]).toBe("0");
  expect((await gateway({ TRXTYPE: "V", ORIGID }))["RESULT"]).toBe("0");
  sandboxes.reset();
  const again = await verified();
  expect((await gateway({ ...charge, ORIGID: again }))["RESULT"]).toBe("117");
});

test.each([
  ["4000000000000127", "127", "6", "captured"],
  ["4000000000003402", "402", "106", "held"],
  ["4000000000002404", "404", "106", "held"],
  ["4000000000000259", "126", "206", "held"],
  ["4000000000009995", "50", "1", "declined"],
])(
  "a sale with card %s returns RESULT %s, in state %s",
  async (acct, RESULT, TRANSSTATE, state) => {
    const { fields } = await tokenSale({}, { acct });
    expect(fields["RESULT"]).toBe(RESULT);
    const inquiry = await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
    expect(inquiry).toMatchObject({ ORIGRESULT: RESULT, TRANSSTATE });
    expect(sandboxes.paypal_payflow_pro.charges()).toMatchObject([{ state }]);
  },
);

test.each([
  ["1126.00", "126"],
  ["1127.00", "127"],
  ["1402.00", "402"],
  ["1117.00", "117"],
])("a token's sale of %s also returns RESULT %s", async (AMT, RESULT) => {
  expect((await tokenSale({ AMT })).fields["RESULT"]).toBe(RESULT);
});

test("an unclear sale is decided later: done or not", async () => {
  const { paypal_payflow_pro: payflow } = sandboxes;
  const decided = async (decision: "approve" | "decline") => {
    const { fields } = await tokenSale({}, { acct: "4000000000003402" });
    expect(payflow.decide(fields["PNREF"] ?? "", decision)).toBe(true);
    return await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
  };
  expect(await decided("approve")).toMatchObject({ ORIGRESULT: "402", TRANSSTATE: "6" });
  expect(await decided("decline")).toMatchObject({ ORIGRESULT: "402", TRANSSTATE: "1" });
});

test("a void adds a thousand to the state, whoever makes it", async () => {
  const { paypal_payflow_pro: payflow } = sandboxes;
  const first = (await tokenSale()).fields["PNREF"] ?? "";
  expect(payflow.voidAtProcessor(first)).toBe(true);
  expect(payflow.voidAtProcessor(first)).toBe(false);
  const stateOf = async (ORIGID: string) => (await gateway({ TRXTYPE: "I", ORIGID }))["TRANSSTATE"];
  expect(await stateOf(first)).toBe("1006");
  const second = (await tokenSale()).fields["PNREF"] ?? "";
  expect((await gateway({ TRXTYPE: "V", ORIGID: second }))["RESULT"]).toBe("0");
  expect(await stateOf(second)).toBe("1006");
  expect(payflow.totals()).toMatchObject({ capturedCents: 0 });
  const settled = (await tokenSale()).fields["PNREF"] ?? "";
  payflow.settle();
  expect(payflow.voidAtProcessor(settled)).toBe(false);
});

test("a token is used up by a success, three tries or twenty minutes", async () => {
  const token = await secureToken();
  expect((await submit(token)).fields["RESULT"]).toBe("0");
  const again = await submit(token);
  expect([again.fields["RESULT"], again.action]).toEqual([
    "160",
    "http://localhost:3000/payflow/return?way=error",
  ]);

  const unlucky = await secureToken();
  const results = [];
  for (let n = 0; n < 4; n += 1) {
    results.push((await submit(unlucky, { acct: "4000000000000002" })).fields["RESULT"]);
  }
  expect(results).toEqual(["12", "12", "12", "160"]);

  const old = await secureToken();
  sandboxes.advance(20 * 60_000 + 1);
  expect((await submit(old)).fields["RESULT"]).toBe("162");
  expect((await submit({ SECURETOKEN: "unknown" })).action).toBe("");
});

test("of two presses at the same time, the second is answered that the first is in progress", async () => {
  const token = await secureToken();
  sandboxes.paypal_payflow_pro.fail({ call: "tokenise", kind: "slow", delayMs: 3_000 });
  const first = submit(token);
  await expect.poll(() => sandboxes.paypal_payflow_pro.calls().length).toBe(2);
  expect((await submit(token)).fields["RESULT"]).toBe("161");
  expect((await first).fields["RESULT"]).toBe("0");
});

test.each([
  [{ acct: "4111111111111112" }, "23"],
  [{ expdate: "0298" }, "24"],
  [{ acct: "4000000000000002" }, "12"],
])("a form with %o returns RESULT %s", async (wrong, result) => {
  expect((await submit(await secureToken(), wrong)).fields["RESULT"]).toBe(result);
});

test.each([
  ["1000.00", "0"],
  ["1012.00", "12"],
  ["1013.00", "13"],
  ["1104.00", "104"],
  ["1077.00", "12"],
  ["2000.00", "1000"],
  ["2100.00", "12"],
  ["-1", "4"],
  ["$5", "4"],
])("a sale of %s answers with RESULT %s", async (AMT, result) => {
  expect((await sale({ AMT }))["RESULT"]).toBe(result);
});

test("a verified card may still be refused when it is charged", async () => {
  const ORIGID = await verified({ acct: "4000000000000341" });
  expect((await sale({ ORIGID }))["RESULT"]).toBe("12");
  expect(sandboxes.paypal_payflow_pro.charges()).toMatchObject([{ state: "declined" }]);
});

test("a request id runs once, whatever is sent under it later", async () => {
  const ORIGID = await verified();
  const id = chance();
  const first = await sale({ ORIGID }, id);
  const again = await sale({ ORIGID, AMT: "99.00" }, id);
  expect(again).toMatchObject({ PNREF: first["PNREF"], AMT: "20.00", DUPLICATE: "1" });
  expect(first).not.toHaveProperty("DUPLICATE");
  const missing = await sale({ ORIGID }, " ");
  expect(missing["RESULT"]).toBe("7");
  expect(sandboxes.paypal_payflow_pro.charges()).toHaveLength(1);
});

test("an inconclusive answer is stored under its request id; an inquiry knows what happened", async () => {
  const ORIGID = await verified();
  const id = chance();
  sandboxes.paypal_payflow_pro.fail({ call: "charge", kind: "unsure-after" });
  expect((await sale({ ORIGID }, id))["RESULT"]).toBe("104");
  expect(await sale({ ORIGID }, id)).toMatchObject({ RESULT: "104", DUPLICATE: "1" });
  const inquiry = await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
  expect(inquiry).toMatchObject({ RESULT: "0", ORIGRESULT: "0", TRANSSTATE: "6" });
});

test("an inquiry finds the newest of a reference, and reports a missing one", async () => {
  await sale({ AMT: "1012.00" });
  const newest = await sale();
  const inquiry = await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
  expect(inquiry).toMatchObject({ ORIGRESULT: "0", ORIGPNREF: newest["PNREF"], AMT: "20.00" });
  expect((await gateway({ TRXTYPE: "I", CUSTREF: "P2" }))["RESULT"]).toBe("20");
  expect((await gateway({ TRXTYPE: "I", ORIGID: "A00000000000" }))["RESULT"]).toBe("19");
  expect((await gateway({ TRXTYPE: "I", ORIGID: "short" }))["RESULT"]).toBe("7");
  const other = otherAccounts.paypal_payflow_pro;
  expect((await gateway({ TRXTYPE: "I", CUSTREF: "P1" }, chance(), other))["RESULT"]).toBe("20");
});

test("a void works before settlement, a credit after it and up to the amount", async () => {
  const [{ PNREF: voided = "" }, { PNREF: kept = "" }] = [await sale(), await sale()];
  const change = (TRXTYPE: string, ORIGID: string, more: Record<string, string> = {}) =>
    gateway({ TRXTYPE, ORIGID, ...more });
  expect((await change("C", kept))["RESULT"]).toBe("105");
  expect((await change("V", voided))["RESULT"]).toBe("0");
  expect((await change("V", voided))["RESULT"]).toBe("108");
  expect(sandboxes.paypal_payflow_pro.settle()).toBe(1);
  expect((await change("V", kept))["RESULT"]).toBe("108");
  expect((await change("C", kept, { AMT: "5.00" }))["RESULT"]).toBe("0");
  expect((await change("C", kept, { AMT: "15.01" }))["RESULT"]).toBe("105");
  expect((await change("I", kept))["TRANSSTATE"]).toBe("8");
  expect(sandboxes.paypal_payflow_pro.totals()).toMatchObject({
    capturedCents: 2000,
    netCents: 1500,
  });
});

test("a sale held by the fraud filters waits for a decision", async () => {
  const held = await sale({ ORIGID: await verified({ acct: "4000000000000259" }) });
  expect(held["RESULT"]).toBe("126");
  expect(sandboxes.paypal_payflow_pro.decide(held["PNREF"] ?? "", "approve")).toBe(true);
  const inquiry = await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
  expect(inquiry).toMatchObject({ ORIGRESULT: "0", TRANSSTATE: "6" });
});

test("and one that the merchant rejects is voided", async () => {
  const { fields } = await tokenSale({}, { acct: "4000000000000259" });
  expect(sandboxes.paypal_payflow_pro.decide(fields["PNREF"] ?? "", "decline")).toBe(true);
  const inquiry = await gateway({ TRXTYPE: "I", CUSTREF: "P1" });
  expect(inquiry).toMatchObject({ ORIGRESULT: "128", TRANSSTATE: "1206" });
  expect(sandboxes.paypal_payflow_pro.charges()).toMatchObject([{ state: "declined" }]);
});

test("credentials, tender, type, currency and order are refused by their own numbers", async () => {
  const good = sandboxes.accounts.paypal_payflow_pro;
  const as = async (account: typeof good) =>
    (await gateway({ TRXTYPE: "I", CUSTREF: "P1" }, chance(), account))["RESULT"];
  expect(await as({ ...good, password: "wrong" })).toBe("1");
  expect(await as({ ...good, vendor: "nobody" })).toBe("26");
  expect(await as({ ...good, partner: "Nobody" })).toBe("27");
  expect((await sale({ TENDER: "G" }))["RESULT"]).toBe("2");
  expect((await gateway({ TRXTYPE: "G" }))["RESULT"]).toBe("3");
  expect((await sale({ CURRENCY: "EUR" }))["RESULT"]).toBe("6");
  expect((await gateway({ TRXTYPE: "V" }))["RESULT"]).toBe("7");
  expect((await gateway({ TRXTYPE: "V", ORIGID: "A00000000000" }))["RESULT"]).toBe("19");
});
