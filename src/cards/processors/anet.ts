import { createHmac, timingSafeEqual } from "node:crypto";
import { centsFromDollars, dollarsText } from "#kit/domain/money.ts";
import {
  callGateway,
  isOk,
  problemCode,
  problemText,
  unknown,
} from "#cards/processors/anet-gateway.ts";
import { page } from "#cards/processors/anet-lists.ts";
import { voidOrRefund, whyRefundFailed } from "#cards/processors/anet-refunds.ts";
import { lookUp, voidPart } from "#cards/processors/anet-transactions.ts";
import type {
  Account,
  ChargeOutcome,
  Headers,
  NewCharge,
  Notice,
  Processor,
} from "#cards/processors/processor.ts";
import { valueAt, readJson, textAt } from "#cards/processors/send-request.ts";
import {
  declinedByBank,
  notAvailable,
  onlyPartApproved,
  sentence,
} from "#cards/processors/wording.ts";
import { processorLabels } from "#kit/domain/processors.ts";

/** Authorize.Net with Accept.js: the browser turns the card into a nonce, the server charges it. */
export const anet: Processor = {
  name: "anet",
  label: processorLabels.anet,
  fields: [
    field("apiLoginId", "API login ID", "Account > Settings > API Credentials & Keys"),
    {
      ...field("clientKey", "Public client key", "Account > Settings > Manage Public Client Key"),
      isReplaceable: true,
    },
    secret("transactionKey", "Transaction key", "Shown only once, when you create it"),
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
      // Accept.js also fetches its second half by XHR, to compare its hash.
      sources: { scripts: [script], frames: [], forms: [], connections: [script, ...apis] },
    };
  },
  checkKeys,
  charge,
  lookUp,
  // In practice a new transaction is listed immediately; the vendor promises no time (unconfirmed).
  missingIsFinalAfterMinutes: 10,
  voidOrRefund,
  // Accepted refunds wait for the night's batch, which may fail, and somebody may void them before.
  refundsMayFail: { forDays: 10, why: whyRefundFailed },
  readNotice,
};

function field(name: string, label: string, hint: string) {
  return { name, label, hint, isSecret: false, isRequired: true };
}

function secret(name: string, label: string, hint: string) {
  return { ...field(name, label, hint), isSecret: true };
}

async function checkKeys(account: Account): Promise<string | null> {
  const merchant = await callGateway(account, "getMerchantDetails", {});
  if (!isOk(merchant))
    return `Authorize.Net refused the keys: ${sentence(problemText(merchant), "no reason was given.")}`;
  const clientKey = textAt(merchant, "publicClientKey");
  if (clientKey && clientKey !== account.keys["clientKey"])
    return "The public client key and the API login ID belong to different Authorize.Net accounts.";
  const listed = await callGateway(account, "getUnsettledTransactionList", {
    status: "any",
    ...page(1, 1),
  });
  if (problemCode(listed) === "E00011")
    return "Authorize.Net does not let these keys read transactions. Enable the Transaction Details API under Account > Settings.";
  return null;
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const { payer } = wanted;
  const answer = await callGateway(account, "createTransaction", {
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
        setting: [
          // Overrides the merchant's settings: a card pays the whole amount or nothing.
          { settingName: "allowPartialAuth", settingValue: "false" },
          { settingName: "duplicateWindow", settingValue: "28800" },
        ],
      },
    },
  });
  const made = valueAt(answer, "transactionResponse");
  if (!isOnlyPart(made, wanted)) return outcomeOf(answer, wanted);
  const transactionId = knownId(textAt(made, "transId"));
  if (!transactionId)
    return unknown("Authorize.Net approved part of the amount, and gave no transaction id.");
  const open = await voidPart(account, transactionId, wanted);
  return open ?? { kind: "declined", message: onlyPartApproved, transactionId };
}

/**
 * Whether an approval is for less than the requested amount: it gives the approved amount, or it is held
 * for the rest (reason 295, a split tender, which we never request).
 */
function isOnlyPart(made: unknown, wanted: NewCharge): boolean {
  const isApproval = /^[14]$/.test(textAt(made, "responseCode"));
  const approved = textAt(made, "prePaidCard", "approvedAmount") || textAt(made, "authAmount");
  const isOtherAmount = approved !== "" && centsFromDollars(approved) !== wanted.amountCents;
  const isHeldInPart =
    textAt(made, "messages", 0, "code") === "295" || textAt(made, "splitTenderId") !== "";
  return isApproval && (isOtherAmount || isHeldInPart);
}

/** Reasons that leave open whether the bank was reached: the transaction is looked up. Partly unconfirmed. */
const unsureReasons = /^(11|19|2[0-3]|25|26|5[7-9]|6[0-3]|12[0-2])$/;
/**
 * Request-level codes for a gateway in trouble and for a bad nonce; all others are faults of our request or
 * account.
 */
const unsureCodes = new Set(["E00001", "E00049", "E00053", "E00104"]);
const nonceCodes = new Set(["E00113", "E00114", "E00115", "E00116", "E00117"]);

/** The response code decides, not the result code: declines arrive as both Ok and Error. */
function outcomeOf(answer: unknown, wanted: NewCharge): ChargeOutcome {
  const made = valueAt(answer, "transactionResponse");
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
      message: "The card details have expired or were already used. Enter them again.",
    };
  return misconfigured(`${code} ${problemText(answer)}`);
}

const knownId = (id: string) => (id && id !== "0" ? id : undefined);
const misconfigured = (says: string) => ({
  kind: "declined" as const,
  message: notAvailable,
  fault: sentence(says, "Authorize.Net refused the request."),
});

/** HMAC-SHA-512 of the exact bytes, keyed with the signature key as text, in hexadecimal. */
async function readNotice(
  account: Account,
  body: Buffer,
  headers: Headers,
): Promise<Notice | null> {
  const key = account.keys["signatureKey"];
  const given = /^sha512=([0-9a-f]{128})$/i.exec(String(headers["x-anet-signature"] ?? ""))?.[1];
  if (!key || !given) return null;
  const expected = createHmac("sha512", key).update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(given, "hex"))) return null;
  const notice = readJson({ status: 200, text: body.toString("utf8") });
  const id = textAt(notice, "payload", "id");
  const eventType = textAt(notice, "eventType");
  return {
    eventId: textAt(notice, "notificationId"),
    eventType,
    // Unconfirmed: merchantReferenceId is believed to be the request's refId, which is the same.
    reference:
      textAt(notice, "payload", "invoiceNumber") ||
      textAt(notice, "payload", "merchantReferenceId") ||
      null,
    transactionId: (/\.refund\./.test(eventType) ? await chargeOfRefund(account, id) : id) || null,
  };
}

/**
 * The notice of a refund gives only the refund's id. Throws NoResponse if Authorize.Net does not say which
 * charge it belongs to.
 */
async function chargeOfRefund(account: Account, id: string): Promise<string> {
  const details = await callGateway(account, "getTransactionDetails", { transId: id });
  return isOk(details) ? textAt(details, "transaction", "refTransId") : id;
}
