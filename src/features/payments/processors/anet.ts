import { createHmac, timingSafeEqual } from "node:crypto";
import { Temporal } from "temporal-polyfill";
import { centsFromDollars, dollarsText } from "#domain/money.ts";
import type {
  Account,
  Captured,
  Charge,
  ChargeOutcome,
  GiveBackOutcome,
  Headers,
  LookUpOutcome,
  NewCharge,
  Notice,
  Processor,
} from "#features/payments/processors/processor.ts";
import {
  at,
  exchange,
  listAt,
  NoAnswer,
  readJson,
  textAt,
} from "#features/payments/processors/wire.ts";
import { declinedByBank, notAvailable, sentence } from "#features/payments/processors/wording.ts";

/** Authorize.Net with Accept.js: the browser makes a nonce of the card, the server charges it. */
export const anet: Processor = {
  name: "anet",
  label: "Authorize.Net",
  fields: [
    field("apiLoginId", "API login ID", "Account > Settings > API Credentials & Keys"),
    field("clientKey", "Public client key", "Account > Settings > Manage Public Client Key"),
    secret("transactionKey", "Transaction key", "Shown once, when it is made"),
    { ...secret("signatureKey", "Signature key", "For webhooks"), isRequired: false },
  ],
  liveAddresses: {
    scriptUrl: "https://js.authorize.net/v1/Accept.js",
    apiUrl: "https://api2.authorize.net/xml/v1/request.api",
    // Unconfirmed: older builds of Accept.js post to this host, so pages may reach both.
    otherApiUrl: "https://api.authorize.net/xml/v1/request.api",
  },
  testAddresses: {
    scriptUrl: "https://jstest.authorize.net/v1/Accept.js",
    apiUrl: "https://apitest.authorize.net/xml/v1/request.api",
  },
  page: ({ keys, addresses }) => {
    const script = new URL(addresses["scriptUrl"] ?? "").origin;
    const apis = [addresses["apiUrl"], addresses["otherApiUrl"]].flatMap((url) =>
      url ? [new URL(url).origin] : [],
    );
    return {
      publicKeys: { clientKey: keys["clientKey"] ?? "" },
      clientIds: { apiLoginID: keys["apiLoginId"] ?? "" },
      scriptUrl: addresses["scriptUrl"] ?? null,
      // Accept.js fetches its second half by XHR as well, to compare its hash.
      sources: { scripts: [script], frames: [], forms: [], connections: [script, ...apis] },
    };
  },
  checkKeys,
  charge,
  lookUp,
  // A new transaction is listed at once in practice; the vendor promises no time (unconfirmed).
  missingIsFinalAfterMinutes: 10,
  giveBack,
  readNotice,
};

function field(name: string, label: string, hint: string) {
  return { name, label, hint, isSecret: false, isRequired: true };
}

function secret(name: string, label: string, hint: string) {
  return { ...field(name, label, hint), isSecret: true };
}

/** Make one call. The names of `payload` must stand in the schema's order: the gateway reads XML. */
async function ask(account: Account, call: string, payload: object): Promise<unknown> {
  const body = {
    [`${call}Request`]: {
      merchantAuthentication: {
        name: account.keys["apiLoginId"],
        transactionKey: account.keys["transactionKey"],
      },
      ...payload,
    },
  };
  const answer = await exchange(account.addresses["apiUrl"] ?? "", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: account.timeoutMs,
  });
  const json = readJson(answer);
  if (answer.status !== 200 || at(json, "messages") === undefined)
    throw new NoAnswer(`Authorize.Net answered HTTP ${answer.status}.`);
  return json;
}

const problemCode = (answer: unknown) => textAt(answer, "messages", "message", 0, "code");
const problemText = (answer: unknown) => textAt(answer, "messages", "message", 0, "text");
const isOk = (answer: unknown) => textAt(answer, "messages", "resultCode") === "Ok";

async function checkKeys(account: Account): Promise<string | null> {
  const merchant = await ask(account, "getMerchantDetails", {});
  if (!isOk(merchant))
    return `Authorize.Net refused the keys: ${sentence(problemText(merchant), "no reason was given.")}`;
  const clientKey = textAt(merchant, "publicClientKey");
  if (clientKey && clientKey !== account.keys["clientKey"])
    return "The public client key belongs to another Authorize.Net account than the API login ID.";
  const listed = await ask(account, "getUnsettledTransactionList", {
    status: "any",
    ...page(1, 1),
  });
  if (problemCode(listed) === "E00011")
    return "Authorize.Net does not let these keys read transactions: enable the Transaction Details API under Account > Settings.";
  return null;
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const { payer } = wanted;
  const answer = await ask(account, "createTransaction", {
    refId: wanted.reference,
    transactionRequest: {
      transactionType: "authCaptureTransaction",
      amount: dollarsText(wanted.amountCents),
      payment: {
        opaqueData: { dataDescriptor: "COMMON.ACCEPT.INAPP.PAYMENT", dataValue: wanted.token },
      },
      order: { invoiceNumber: wanted.reference, description: wanted.description.slice(0, 255) },
      customer: { id: String(payer.attorneyId), email: payer.email.slice(0, 255) },
      billTo: {
        firstName: payer.firstName.slice(0, 50),
        lastName: payer.lastName.slice(0, 50),
        address: payer.address.slice(0, 60),
        city: payer.city.slice(0, 40),
        state: payer.region.slice(0, 40),
        zip: payer.zip.slice(0, 20),
      },
      transactionSettings: {
        setting: [{ settingName: "duplicateWindow", settingValue: "28800" }],
      },
    },
  });
  return outcomeOf(answer, wanted);
}

/** Reasons that leave open whether the bank was asked: the transaction is looked up. Partly unconfirmed. */
const unsureReasons = /^(11|19|2[0-3]|25|26|5[7-9]|6[0-3]|12[0-2])$/;
/** Request-level codes of a gateway in trouble, of a bad nonce; all others are ours to mend. */
const unsureCodes = new Set(["E00001", "E00049", "E00053", "E00104"]);
const nonceCodes = new Set(["E00113", "E00114", "E00115", "E00116", "E00117"]);

/** The response code decides; the result code does not: declines arrive as Ok and as Error. */
function outcomeOf(answer: unknown, wanted: NewCharge): ChargeOutcome {
  const made = at(answer, "transactionResponse");
  const reason = textAt(made, "errors", 0, "errorCode");
  const says = textAt(made, "errors", 0, "errorText");
  const transactionId = knownId(textAt(made, "transId"));
  switch (textAt(made, "responseCode")) {
    case "1":
      if (!transactionId) return unknown("Authorize.Net is in test mode and stores nothing.");
      return {
        kind: "approved",
        transactionId,
        amountCents: wanted.amountCents,
        card: {
          brand: textAt(made, "accountType"),
          lastFour: textAt(made, "accountNumber").slice(-4),
        },
      };
    case "2":
      return { kind: "declined", message: sentence(says, declinedByBank), transactionId };
    case "4":
      return { ...unknown("Authorize.Net holds the payment for review."), transactionId };
    case "3":
      if (unsureReasons.test(reason)) return unknown(sentence(says, `Reason ${reason}.`));
      if (reason === "13") return misconfigured(says);
      return { kind: "declined", message: sentence(says, declinedByBank) };
  }
  const code = problemCode(answer);
  if (unsureCodes.has(code) || isOk(answer))
    return unknown(sentence(problemText(answer), `Code ${code}.`));
  if (nonceCodes.has(code))
    return {
      kind: "declined",
      message: "The card details have expired or were used before. Enter them again.",
    };
  return misconfigured(`${code} ${problemText(answer)}`);
}

const knownId = (id: string) => (id && id !== "0" ? id : undefined);
const unknown = (problem: string) => ({ kind: "unknown" as const, problem });
const misconfigured = (says: string) => ({
  kind: "declined" as const,
  message: notAvailable,
  fault: sentence(says, "Authorize.Net refused the request."),
});

async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const id =
    sought.transactionId ?? (await findByInvoice(account, sought.reference, sought.startedAt));
  if (!id) return { kind: "missing" };
  const details = await ask(account, "getTransactionDetails", { transId: id });
  if (!isOk(details)) return unknown(sentence(problemText(details), "No details were given."));
  return outcomeOfDetails(at(details, "transaction"), sought);
}

function outcomeOfDetails(transaction: unknown, sought: Charge): LookUpOutcome {
  const transactionId = textAt(transaction, "transId");
  const status = textAt(transaction, "transactionStatus");
  switch (status) {
    case "capturedPendingSettlement":
    case "pendingSettlement":
    case "pendingFinalSettlement":
    case "settledSuccessfully":
    case "approvedReview":
    case "updatingSettlement": {
      const amount = centsFromDollars(textAt(transaction, "authAmount"));
      if (amount !== sought.amountCents) return unknown("The amount differs from the payment's.");
      return { kind: "approved", transactionId, amountCents: amount, card: cardOf(transaction) };
    }
    case "voided":
      return { kind: "given back", transactionId, how: "voided" };
    case "declined":
    case "expired":
    case "failedReview":
    case "generalError":
    case "settlementError": {
      const reason = textAt(transaction, "responseReasonDescription");
      return { kind: "declined", message: sentence(reason, declinedByBank), transactionId };
    }
    default: // held for review, in communication trouble, or a status that we do not know
      return { ...unknown(`Authorize.Net says: ${status || "nothing"}.`), transactionId };
  }
}

function cardOf(transaction: unknown) {
  const card = at(transaction, "payment", "creditCard");
  return { brand: textAt(card, "cardType"), lastFour: textAt(card, "cardNumber").slice(-4) };
}

const page = (limit: number, offset: number) => ({
  sorting: { orderBy: "submitTimeUTC", orderDescending: true },
  paging: { limit: String(limit), offset: String(offset) },
});

/** The transaction with our invoice number: among the unsettled ones, then in the batches since. */
async function findByInvoice(
  account: Account,
  invoice: string,
  since: string,
): Promise<string | null> {
  const unsettled = await findInList(
    account,
    "getUnsettledTransactionList",
    { status: "any" },
    invoice,
  );
  if (unsettled) return unsettled;
  const batches = await ask(account, "getSettledBatchList", {
    firstSettlementDate: secondsOnly(Temporal.Instant.from(since).subtract({ hours: 1 })),
    lastSettlementDate: secondsOnly(Temporal.Now.instant().add({ hours: 1 })),
  });
  for (const batch of listAt(batches, "batchList")) {
    const batchId = textAt(batch, "batchId");
    const found = await findInList(account, "getTransactionList", { batchId }, invoice);
    if (found) return found;
  }
  return null;
}

const secondsOnly = (instant: Temporal.Instant) => instant.toString({ smallestUnit: "second" });
const pageSize = 1000;

async function findInList(
  account: Account,
  call: string,
  which: object,
  invoice: string,
): Promise<string | null> {
  for (let number = 1; ; number += 1) {
    const answer = await ask(account, call, { ...which, ...page(pageSize, number) });
    // "No records found" and an offset beyond the end are answers, not problems.
    if (!isOk(answer) && !/^(E00040|E00094|I00004)$/.test(problemCode(answer)))
      throw new NoAnswer(sentence(problemText(answer), "The list of transactions was refused."));
    const listed = listAt(answer, "transactions");
    const found = listed.find((each) => textAt(each, "invoiceNumber") === invoice);
    if (found) return textAt(found, "transId");
    if (listed.length < pageSize) return null;
  }
}

async function giveBack(account: Account, captured: Captured): Promise<GiveBackOutcome> {
  const details = await ask(account, "getTransactionDetails", { transId: captured.transactionId });
  if (!isOk(details)) return unknown(sentence(problemText(details), "No details were given."));
  const status = textAt(details, "transaction", "transactionStatus");
  if (status === "voided") return { kind: "done", how: "voided" };
  if (/^(authorizedPending|capturedPending|FDS)/.test(status))
    return await voidWhole(account, captured);
  if (status !== "settledSuccessfully") return unknown(`Authorize.Net says: ${status}.`);
  if (await findByInvoice(account, captured.reference, captured.requestedAt))
    return { kind: "done", how: "refunded" };
  return await refundWhole(account, captured, cardOf(at(details, "transaction")).lastFour);
}

async function voidWhole(account: Account, captured: Captured): Promise<GiveBackOutcome> {
  const answer = await ask(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: { transactionType: "voidTransaction", refTransId: captured.transactionId },
  });
  const reason = textAt(answer, "transactionResponse", "errors", 0, "errorCode");
  if (textAt(answer, "transactionResponse", "responseCode") === "1" || reason === "310")
    return { kind: "done", how: "voided" };
  // The batch may have closed in between: the next look finds it settled and refunds it.
  return unknown(
    sentence(
      textAt(answer, "transactionResponse", "errors", 0, "errorText"),
      "The void was refused.",
    ),
  );
}

async function refundWhole(
  account: Account,
  captured: Captured,
  lastFour: string,
): Promise<GiveBackOutcome> {
  const answer = await ask(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: {
      transactionType: "refundTransaction",
      amount: dollarsText(captured.amountCents),
      payment: {
        creditCard: { cardNumber: lastFour || captured.lastFour, expirationDate: "XXXX" },
      },
      refTransId: captured.transactionId,
      order: { invoiceNumber: captured.reference },
      transactionSettings: {
        setting: [{ settingName: "duplicateWindow", settingValue: "28800" }],
      },
    },
  });
  const made = at(answer, "transactionResponse");
  const reason = textAt(made, "errors", 0, "errorCode");
  // 11: the same refund was sent before, and its answer was lost.
  if (textAt(made, "responseCode") === "1" || reason === "11")
    return { kind: "done", how: "refunded" };
  const says = sentence(
    textAt(made, "errors", 0, "errorText") || problemText(answer),
    "It gave no reason.",
  );
  if (textAt(made, "responseCode") === "2" || /^(54|55|6|16)$/.test(reason))
    return { kind: "refused", message: `Authorize.Net refused the refund: ${says}` };
  return unknown(says);
}

/** HMAC-SHA-512 of the exact bytes, keyed with the signature key as text, in hexadecimal. */
function readNotice(account: Account, body: Buffer, headers: Headers): Notice | null {
  const key = account.keys["signatureKey"];
  const given = /^sha512=([0-9a-f]{128})$/i.exec(String(headers["x-anet-signature"] ?? ""))?.[1];
  if (!key || !given) return null;
  const expected = createHmac("sha512", key).update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(given, "hex"))) return null;
  const notice = readJson({ status: 200, text: body.toString("utf8") });
  return {
    eventId: textAt(notice, "notificationId"),
    eventType: textAt(notice, "eventType"),
    // Unconfirmed: merchantReferenceId is believed to be the request's refId, which is the same.
    reference:
      textAt(notice, "payload", "invoiceNumber") ||
      textAt(notice, "payload", "merchantReferenceId") ||
      null,
    transactionId: textAt(notice, "payload", "id") || null,
  };
}
