import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { otherAccounts } from "#sandboxes/accounts.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

const nowadays = String(new Date().getFullYear() + 2);

async function post(body: object): Promise<string> {
  const answer = await fetch(sandboxes.addresses.anet.apiUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return Buffer.from(await answer.arrayBuffer()).toString();
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test reads the parts of an answer it expects
async function call(name: string, rest: object, account = sandboxes.accounts.anet): Promise<any> {
  const { apiLoginId, transactionKey } = account;
  const merchantAuthentication = { name: apiLoginId, transactionKey };
  const text = await post({ [name]: { merchantAuthentication, ...rest } });
  return JSON.parse(text.replace(/^\uFEFF/, ""));
}

interface CardWish {
  cardNumber?: string;
  cardCode?: string;
}

async function nonce({ cardNumber = "4111111111111111", cardCode = "123" }: CardWish = {}) {
  const { apiLoginId, clientKey } = sandboxes.accounts.anet;
  const token = { cardNumber, expirationDate: `12${nowadays}`, cardCode };
  const text = await post({
    securePaymentContainerRequest: {
      merchantAuthentication: { name: apiLoginId, clientKey },
      data: { type: "TOKEN", id: "a guid", token },
    },
  });
  return JSON.parse(text.replace(/^\uFEFF/, "")).opaqueData;
}

interface ChargeWish extends CardWish {
  amount?: string;
  invoiceNumber?: string;
  zip?: string;
  settings?: object[];
  opaqueData?: object;
}

async function charge(wish: ChargeWish = {}) {
  const { amount = "20.00", invoiceNumber = "P1-1", zip, settings, opaqueData } = wish;
  return await call("createTransactionRequest", {
    refId: invoiceNumber,
    transactionRequest: {
      transactionType: "authCaptureTransaction",
      amount,
      payment: { opaqueData: opaqueData ?? (await nonce(wish)) },
      order: { invoiceNumber, description: "Dues" },
      customer: { id: "7" },
      ...(zip && { billTo: { zip } }),
      ...(settings && { transactionSettings: { setting: settings } }),
    },
  });
}

const unsettled = () =>
  call("getUnsettledTransactionListRequest", {
    status: "any",
    sorting: { orderBy: "submitTimeUTC", orderDescending: true },
    paging: { limit: 100, offset: 1 },
  });

const charged = () => sandboxes.anet.charges().map(({ reference, state }) => [reference, state]);

test("an answer begins with a byte order mark and has status 200 even for a refusal", async () => {
  const text = await post({ getMerchantDetailsRequest: {} });
  expect(text.charCodeAt(0)).toBe(0xfeff);
  expect(JSON.parse(text.slice(1)).messages).toEqual({
    resultCode: "Error",
    message: [
      { code: "E00007", text: "User authentication failed due to invalid authentication values." },
    ],
  });
});

test("credentials are checked by getMerchantDetails", async () => {
  const details = await call("getMerchantDetailsRequest", { refId: "r1" });
  expect([details.refId, details.messages.resultCode]).toEqual(["r1", "Ok"]);
  expect(details.publicClientKey).toBe(sandboxes.accounts.anet.clientKey);
});

test("a nonce is charged once, and the charge is found by its invoice number", async () => {
  const { transactionResponse, refId, messages } = await charge({ amount: "12.34" });
  expect(transactionResponse).toMatchObject({
    responseCode: "1",
    accountNumber: "XXXX1111",
    accountType: "Visa",
    cvvResultCode: "P",
    messages: [{ code: "1", description: "This transaction has been approved." }],
  });
  expect(transactionResponse.transId).toMatch(/^\d{11}$/);
  expect([refId, messages.resultCode]).toEqual(["P1-1", "Ok"]);
  expect(sandboxes.anet.charges()).toMatchObject([
    { reference: "P1-1", amountCents: 1234, state: "captured", cardLast4: "1111" },
  ]);

  const list = await unsettled();
  expect(list.totalNumInResultSet).toBe(1);
  expect(list.transactions[0]).toMatchObject({
    transId: transactionResponse.transId,
    invoiceNumber: "P1-1",
    settleAmount: 12.34,
    transactionStatus: "capturedPendingSettlement",
  });
});

test("a used or old nonce, or one of another login, is refused", async () => {
  const used = await nonce();
  await charge({ opaqueData: used });
  const again = await charge({ opaqueData: used, invoiceNumber: "P1-2" });
  expect(again.messages.message[0].code).toBe("E00114");

  const foreign = await nonce();
  const transactionRequest = {
    transactionType: "authCaptureTransaction",
    amount: "1.00",
    payment: { opaqueData: foreign },
  };
  const elsewhere = await call(
    "createTransactionRequest",
    { transactionRequest },
    otherAccounts.anet,
  );
  expect(elsewhere.messages.message[0].code).toBe("E00116");

  const old = await nonce();
  sandboxes.advance(15 * 60_000 + 1);
  const late = await charge({ opaqueData: old });
  expect(late.messages.message[0].code).toBe("E00115");
  expect(charged()).toEqual([["P1-1", "captured"]]);
});

test("elements in the wrong order, unknown or too long are refused with E00003", async () => {
  const payment = { opaqueData: await nonce() };
  const wrongOrder = await call("createTransactionRequest", {
    transactionRequest: { amount: "1.00", transactionType: "authCaptureTransaction", payment },
  });
  expect(wrongOrder.messages.message[0]).toMatchObject({ code: "E00003" });
  expect(wrongOrder.messages.message[0].text).toContain("invalid child element 'transactionType'");

  const text = await post({
    createTransactionRequest: { refId: "1", merchantAuthentication: {}, transactionRequest: {} },
  });
  expect(text).toContain("invalid child element 'merchantAuthentication'");

  const unknown = await call("getTransactionDetailsRequest", { transactionId: "1" });
  expect(unknown.messages.message[0].text).toContain("'transactionId'");

  const long = await charge({ invoiceNumber: "123456789012345678901" });
  expect(long.messages.message[0].text).toContain("greater than the MaxLength");
  expect(charged()).toEqual([]);
});

test.each([
  [{ zip: "46282" }, "2", "2", "Ok"],
  [{ cardCode: "901" }, "2", "65", "Error"],
  [{ cardNumber: "4000000000000002" }, "2", "2", "Ok"],
  [{ cardNumber: "4000000000000119" }, "3", "19", "Error"],
  [{ amount: "0" }, "3", "5", "Error"],
])("%o gives response code %s with reason %s", async (wish, responseCode, reason, resultCode) => {
  const { transactionResponse, messages } = await charge(wish);
  expect(transactionResponse.responseCode).toBe(responseCode);
  expect(transactionResponse.errors[0].errorCode).toBe(reason);
  expect(messages.resultCode).toBe(resultCode);
  expect(sandboxes.anet.totals()).toMatchObject({ charges: 0, capturedCents: 0 });
});

test("a repeat inside the window is a duplicate, and the answer gives the first one's id if the request named the window", async () => {
  const settings = [{ settingName: "duplicateWindow", settingValue: "600" }];
  const first = await charge({ settings });
  const repeat = await charge({ settings });
  expect(repeat.transactionResponse).toMatchObject({
    responseCode: "3",
    transId: first.transactionResponse.transId,
    errors: [{ errorCode: "11", errorText: "A duplicate transaction has been submitted." }],
  });
  const silent = [await charge(), await charge()].at(-1);
  expect(silent.transactionResponse).toMatchObject({ responseCode: "3", transId: "0" });
  const another = await charge({ settings, invoiceNumber: "P1-2" });
  expect(another.transactionResponse.responseCode).toBe("1");

  sandboxes.advance(600_001);
  const later = await charge({ settings });
  expect(later.transactionResponse.responseCode).toBe("1");
});

test("a charge is voided once before settlement, and refunded after it, up to its amount", async () => {
  const voided = (await charge()).transactionResponse.transId;
  const voiding = {
    transactionRequest: { transactionType: "voidTransaction", refTransId: voided },
  };
  const done = await call("createTransactionRequest", voiding);
  expect(done.transactionResponse.responseCode).toBe("1");
  const again = await call("createTransactionRequest", voiding);
  expect(again.transactionResponse.messages[0].code).toBe("310");

  const kept = (await charge({ invoiceNumber: "P2-1" })).transactionResponse.transId;
  const refund = (amount: string, cardNumber = "1111", invoiceNumber = `R${amount}`) =>
    call("createTransactionRequest", {
      transactionRequest: {
        transactionType: "refundTransaction",
        amount,
        payment: { creditCard: { cardNumber, expirationDate: "XXXX" } },
        refTransId: kept,
        order: { invoiceNumber },
      },
    });
  const early = await refund("5.00");
  expect(early.transactionResponse.errors[0].errorCode).toBe("54");
  expect(sandboxes.anet.settle()).toBe(2);
  const wrongCard = await refund("5.00", "2222");
  expect(wrongCard.transactionResponse.errors[0].errorCode).toBe("54");
  expect((await refund("5.00")).transactionResponse.responseCode).toBe("1");
  expect((await refund("15.01")).transactionResponse.errors[0].errorCode).toBe("55");
  expect((await refund("15.00")).transactionResponse.responseCode).toBe("1");
  expect(sandboxes.anet.totals()).toEqual({
    charges: 1,
    capturedCents: 2000,
    refundedCents: 2000,
    netCents: 0,
  });
  const late = { transactionRequest: { transactionType: "voidTransaction", refTransId: kept } };
  const tooLate = await call("createTransactionRequest", late);
  expect(tooLate.transactionResponse.errors[0].errorCode).toBe("16");
});

describe("a prepaid card with $1.23 on it", () => {
  const zip = "46225";
  const allow = (settingValue: string) => [{ settingName: "allowPartialAuth", settingValue }];

  test("is partly approved unless the request forbids it, and held for the rest", async () => {
    const { transactionResponse } = await charge({ zip, amount: "5.00" });
    expect(transactionResponse).toMatchObject({
      responseCode: "4",
      messages: [{ code: "295" }],
      splitTenderId: expect.stringMatching(/^\d{6}$/),
      prePaidCard: { requestedAmount: "5.00", approvedAmount: "1.23" },
    });
    const { transId } = transactionResponse;
    const details = await call("getTransactionDetailsRequest", { transId });
    expect(details.transaction).toMatchObject({
      transactionStatus: "authorizedPendingRelease",
      requestedAmount: 5,
      authAmount: 1.23,
    });
    expect(sandboxes.anet.settle()).toBe(0);
    const voiding = { transactionType: "voidTransaction", refTransId: transId };
    const voided = await call("createTransactionRequest", { transactionRequest: voiding });
    expect(voided.transactionResponse.responseCode).toBe("1");
    expect(charged()).toEqual([["P1-1", "voided"]]);
  });

  test("is declined if the request forbids a partial approval, and approved if it covers the whole", async () => {
    const refused = await charge({ zip, amount: "5.00", settings: allow("false") });
    expect(refused.transactionResponse.responseCode).toBe("2");
    const whole = { zip, amount: "1.23", settings: allow("false"), invoiceNumber: "P1-2" };
    expect((await charge(whole)).transactionResponse.responseCode).toBe("1");
  });
});

test("a settled charge is found through its batch", async () => {
  const { transId } = (await charge()).transactionResponse;
  sandboxes.anet.settle();
  expect((await unsettled()).messages.message[0].code).toBe("I00004");
  const { batchList } = await call("getSettledBatchListRequest", {});
  const { transactions } = await call("getTransactionListRequest", {
    batchId: batchList[0].batchId,
  });
  expect(transactions[0]).toMatchObject({ transId, invoiceNumber: "P1-1" });
  const { transaction } = await call("getTransactionDetailsRequest", { transId });
  expect(transaction).toMatchObject({
    transactionStatus: "settledSuccessfully",
    batch: { batchId: batchList[0].batchId },
    authAmount: 20,
  });
});

test("a charge younger than the listing delay is not found yet", async () => {
  await charge();
  sandboxes.anet.fail({ kind: "unlisted", delayMs: 60_000 });
  expect((await unsettled()).messages.message[0].code).toBe("I00004");
  expect((await unsettled()).transactions).toHaveLength(1);
});

test("one merchant sees nothing of another", async () => {
  const { transId } = (await charge()).transactionResponse;
  const account = otherAccounts.anet;
  const details = await call("getTransactionDetailsRequest", { transId }, account);
  expect(details.messages.message[0].code).toBe("E00040");
});

test("a charge held for review is captured when it is approved", async () => {
  const { transactionResponse } = await charge({ cardNumber: "4000000000000259" });
  expect(transactionResponse.responseCode).toBe("4");
  expect(charged()).toEqual([["P1-1", "held"]]);
  expect(sandboxes.anet.decide(transactionResponse.transId, "approve")).toBe(true);
  expect(charged()).toEqual([["P1-1", "captured"]]);
});

test("notifications are signed with the text of the signature key, in upper case", async () => {
  const heard: { signature: string; body: string }[] = [];
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      heard.push({ signature: String(request.headers["x-anet-signature"]), body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { signatureKey } = sandboxes.accounts.anet;
  sandboxes.anet.sendWebhooksTo(`http://127.0.0.1:${portOf(listener)}/`);
  sandboxes.anet.fail({ call: "webhook", kind: "webhook-twice" });
  const { transId } = (await charge()).transactionResponse;
  await sandboxes.idle();
  listener.close();
  expect(heard).toHaveLength(2);
  const [first] = heard;
  const hash = createHmac("sha512", signatureKey)
    .update(first?.body ?? "")
    .digest("hex");
  expect(first?.signature).toBe(`sha512=${hash.toUpperCase()}`);
  expect(JSON.parse(first?.body ?? "")).toMatchObject({
    eventType: "net.authorize.payment.authcapture.created",
    payload: { id: transId, invoiceNumber: "P1-1", merchantReferenceId: "P1-1", authAmount: 20 },
  });
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  return address.port;
}
