import { randomBytes } from "node:crypto";
import { centsFromDollars, dollarsText } from "#kit/domain/money.ts";
import { fullRefundKind } from "#cards/processors/charge-events.ts";
import {
  cardOf,
  voidOrRefund,
  isChargedByBrowser,
  lookUp,
} from "#cards/processors/payflow-transactions.ts";
import {
  callGateway,
  enterAgain,
  inquire,
  isLookUpMiss,
  isWrongKeys,
  refusalOf,
  requestId,
  messageOf,
  meaningOf,
} from "#cards/processors/payflow-gateway.ts";
import type {
  Account,
  ChargeOutcome,
  NewCharge,
  NewSession,
  OpenedSession,
  Processor,
} from "#cards/processors/processor.ts";
import { NoResponse } from "#cards/processors/send-request.ts";
import { asciiOf, notAvailable, zipOf } from "#cards/processors/wording.ts";
import { processorLabels } from "#kit/domain/processors.ts";

/**
 * PayPal Payflow Pro with a secure token and transparent redirect: the browser posts the card to PayPal,
 * which charges the amount stored with the token; our server then asks what was charged. A token without an
 * amount, which the published call allows, only verifies the card: the server charges it by a reference
 * transaction, which PayPal refuses until the merchant allows those.
 */
export const payflow: Processor = {
  name: "paypal_payflow_pro",
  label: processorLabels.paypal_payflow_pro,
  advice:
    "In PayPal Manager, set up the hosted checkout pages and enable secure tokens. Payments on this site do not need reference transactions.",
  reviewedIn: "PayPal Manager",
  fields: [
    field("partner", "Partner", "Usually PayPal", false),
    field("vendor", "Merchant login", "As given when the account was opened", false),
    {
      ...field("user", "API user", "If you created one; otherwise the merchant login", false),
      isRequired: false,
      isReplaceable: true,
    },
    field("password", "API password", "Without & = + and quotation marks", true),
  ],
  liveAddresses: {
    postUrl: "https://payflowlink.paypal.com",
    apiUrl: "https://payflowpro.paypal.com",
  },
  testAddresses: {
    postUrl: "https://pilot-payflowlink.paypal.com",
    apiUrl: "https://pilot-payflowpro.paypal.com",
  },
  page: ({ addresses }) => {
    const form = new URL(addresses["postUrl"] ?? "").origin;
    return {
      publicKeys: {},
      clientIds: {},
      scriptUrl: null,
      // 'self': PayPal posts its answer to our own page inside the frame.
      sources: { scripts: [], frames: ["'self'", form], forms: [form], connections: [] },
    };
  },
  checkKeys,
  charge,
  lookUp,
  // A token works for twenty minutes according to one PayPal guide, thirty according to another.
  missingIsFinalAfterMinutes: 32,
  comesThroughWithinDays: 10,
  voidOrRefund,
  // PayPal gives the bank 45 seconds, and lists a sale when the bank has answered.
  sessions: { lastsMinutes: 20, chargeTakesSeconds: 90, open: openSession },
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

async function checkKeys(account: Account): Promise<string | null> {
  const reply = await inquire(account, { ORIGID: "A00000000000" });
  const result = reply["RESULT"];
  if (isWrongKeys(result)) return `Payflow refused the keys: ${messageOf(reply, result)}`;
  const payer = { firstName: "", lastName: "", address: "", zip: "" };
  const session = await openSession(account, {
    reference: "CHECKINGKEYS",
    amountCents: centsFromDollars("1.00"),
    payer: { attorneyId: 0, email: "", city: "", region: "", ...payer },
  });
  return session.kind === "opened"
    ? null
    : `Payflow makes no secure tokens for this account: ${session.fault}`;
}

async function openSession(account: Account, wanted: NewSession): Promise<OpenedSession> {
  const secureTokenId = randomBytes(18).toString("hex");
  const back = `${account.publicUrl}/payflow/return`;
  const { payer, reference, amountCents } = wanted;
  const reply = await callGateway(account, requestId("session", secureTokenId), {
    // The sale has our reference, so it is found without the token.
    ...(amountCents === null
      ? { TRXTYPE: "A", AMT: "0.00" }
      : { TRXTYPE: "S", AMT: dollarsText(amountCents), CUSTREF: reference, INVNUM: reference }),
    CURRENCY: "USD",
    CREATESECURETOKEN: "Y",
    SECURETOKENID: secureTokenId,
    SILENTTRAN: "TRUE",
    DISABLERECEIPT: "TRUE",
    RETURNURL: back,
    ERRORURL: back,
    CANCELURL: back,
    USER1: reference,
    // A length tag counts characters, and does not protect against quotation marks.
    BILLTOFIRSTNAME: asciiOf(payer.firstName, 30),
    BILLTOLASTNAME: asciiOf(payer.lastName, 30),
    BILLTOSTREET: asciiOf(payer.address, 30),
    BILLTOZIP: zipOf(payer.zip),
  });
  const { RESULT: result, SECURETOKEN: secureToken } = reply;
  if (result === "0" && secureToken && reply["SECURETOKENID"] === secureTokenId)
    return { kind: "opened", token: secureToken, handle: secureTokenId, secret: secureToken };
  const fault = `Payflow ${result}: ${messageOf(reply, result)}`;
  if (/^(not reached|unsure)$/.test(meaningOf(result))) throw new NoResponse(fault);
  return { kind: "refused", message: notAvailable, fault };
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  return isChargedByBrowser(wanted)
    ? await verify(account, wanted)
    : await chargeByReference(account, wanted);
}

/** Whether the browser charged what its session was opened for; the browser's own claim is not trusted. */
async function verify(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const outcome = await lookUp(account, wanted);
  if (outcome.kind === "missing")
    return { kind: "unknown", problem: "Payflow does not know of the sale yet." };
  return outcome.kind === "approved" && fullRefundKind(outcome)
    ? { kind: "declined", message: "This transaction was voided." }
    : outcome;
}

/** Look up the card's verification in its session, then charge it by that transaction. */
async function chargeByReference(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const secret = wanted.session?.secret;
  if (!secret) return { kind: "declined", message: enterAgain };
  const shown = await inquire(account, { SECURETOKEN: secret });
  if (isLookUpMiss(shown["RESULT"])) return { kind: "declined", message: enterAgain };
  const verified = shown["ORIGRESULT"];
  // Nothing has been charged yet, so anything but a verified card can safely end here.
  if (shown["RESULT"] !== "0" || verified !== "0" || !shown["ORIGPNREF"])
    return refusalOf(verified ?? shown["RESULT"] ?? "", shown, "declined");
  const sold = await callGateway(account, requestId("charge", wanted.reference), {
    TRXTYPE: "S",
    ORIGID: shown["ORIGPNREF"],
    AMT: dollarsText(wanted.amountCents),
    CURRENCY: "USD",
    CUSTREF: wanted.reference,
    INVNUM: wanted.reference,
    COMMENT1: asciiOf(wanted.description, 128),
  });
  if (sold["RESULT"] !== "0") return refusalOf(sold["RESULT"] ?? "", sold, "unknown");
  const transactionId = sold["PNREF"] ?? "";
  if (!transactionId) return { kind: "unknown", problem: "Payflow gave no transaction id." };
  // This answers an earlier request, which is looked up; this request was not run.
  if (sold["DUPLICATE"] && sold["DUPLICATE"] !== "0")
    return { kind: "unknown", problem: "Payflow treated the charge as a duplicate." };
  return { kind: "approved", transactionId, amountCents: wanted.amountCents, card: cardOf(shown) };
}
