import { randomBytes } from "node:crypto";
import { centsFromDollars, dollarsText } from "#domain/money.ts";
import {
  ask,
  configuration,
  enterAgain,
  type Fields,
  freshId,
  inquire,
  isLookUpMiss,
  notReached,
  refusalOf,
  requestId,
  unsure,
} from "#features/payments/processors/payflow-wire.ts";
import type {
  Account,
  Captured,
  Charge,
  ChargeOutcome,
  GiveBackOutcome,
  LookUpOutcome,
  NewCharge,
  NewSession,
  OpenedSession,
  Processor,
} from "#features/payments/processors/processor.ts";
import {
  asciiOf,
  declinedByBank,
  neverCollected,
  notAvailable,
  sentence,
  zipOf,
} from "#features/payments/processors/wording.ts";

/**
 * PayPal Payflow Pro with a secure token and transparent redirect: the browser posts the card to
 * PayPal, which verifies it for nothing and stores it with the token; the server then charges what
 * was stored. A card verified and never charged costs nobody anything.
 */
export const payflow: Processor = {
  name: "paypal_payflow_pro",
  label: "PayPal Payflow Pro",
  fields: [
    field("partner", "Partner", "Usually PayPal", false),
    field("vendor", "Merchant login", "As given when the account was opened", false),
    {
      ...field("user", "API user", "If one was made; else the merchant login", false),
      isRequired: false,
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
  missingIsFinalAfterMinutes: 10,
  salesMayFail: { forDays: 10 },
  giveBack,
  sessions: { browserCharges: false, lastsMinutes: 20, open: openSession },
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

async function checkKeys(account: Account): Promise<string | null> {
  const reply = await inquire(account, { ORIGID: "A00000000000" });
  const result = reply["RESULT"] ?? "";
  if (!configuration.test(result)) return null;
  return `Payflow refused the keys: ${sentence(reply["RESPMSG"] ?? "", `result ${result}.`)}`;
}

async function openSession(account: Account, wanted: NewSession): Promise<OpenedSession> {
  const secureTokenId = randomBytes(18).toString("hex");
  const back = `${account.publicUrl}/payflow/return`;
  const { payer } = wanted;
  const reply = await ask(account, requestId("session", secureTokenId), {
    TRXTYPE: "A",
    AMT: "0.00",
    CURRENCY: "USD",
    CREATESECURETOKEN: "Y",
    SECURETOKENID: secureTokenId,
    SILENTTRAN: "TRUE",
    DISABLERECEIPT: "TRUE",
    RETURNURL: back,
    ERRORURL: back,
    CANCELURL: back,
    USER1: wanted.reference,
    // A length tag counts characters, and does not help against quotation marks.
    BILLTOFIRSTNAME: asciiOf(payer.firstName, 30),
    BILLTOLASTNAME: asciiOf(payer.lastName, 30),
    BILLTOSTREET: asciiOf(payer.address, 30),
    BILLTOZIP: zipOf(payer.zip),
  });
  const secureToken = reply["SECURETOKEN"];
  if (reply["RESULT"] !== "0" || !secureToken || reply["SECURETOKENID"] !== secureTokenId) {
    const fault = sentence(reply["RESPMSG"] ?? "", `Result ${reply["RESULT"]}.`);
    return { kind: "refused", message: notAvailable, fault };
  }
  return { kind: "opened", token: secureToken, handle: secureTokenId, secret: secureToken };
}

/** Ask how the card fared in its session, then charge it by that transaction. */
async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const secret = wanted.session?.secret;
  if (!secret) return { kind: "declined", message: enterAgain };
  const shown = await inquire(account, { SECURETOKEN: secret });
  if (isLookUpMiss(shown["RESULT"])) return { kind: "declined", message: enterAgain };
  const verified = shown["ORIGRESULT"];
  // Nothing has been charged yet: whatever is not a verified card ends here, and safely.
  if (shown["RESULT"] !== "0" || verified !== "0" || !shown["ORIGPNREF"])
    return refusalOf(verified ?? shown["RESULT"] ?? "", shown, "declined");
  const sold = await ask(account, requestId("charge", wanted.reference), {
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
  if (!transactionId) return { kind: "unknown", problem: "Payflow named no transaction." };
  return { kind: "approved", transactionId, amountCents: wanted.amountCents, card: cardOf(shown) };
}

const brands = ["Visa", "Mastercard", "Discover", "Amex", "Diners Club", "JCB"];

function cardOf(reply: Fields) {
  return {
    brand: brands[Number(reply["CARDTYPE"])] ?? "",
    lastFour: (reply["ACCT"] ?? "").slice(-4),
  };
}

async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const found = await inquire(account, { CUSTREF: sought.reference });
  if (isLookUpMiss(found["RESULT"])) return { kind: "missing" };
  const transactionId = found["ORIGPNREF"] ?? "";
  const says = sentence(found["RESPMSG"] ?? "", `Result ${found["ORIGRESULT"]}.`);
  if (found["RESULT"] !== "0" || !transactionId) return { kind: "unknown", problem: says };
  if (found["ORIGRESULT"] === "0") return outcomeOf(found, sought, transactionId);
  if (!unsure.test(found["ORIGRESULT"] ?? ""))
    return { ...declined(refusalOf(found["ORIGRESULT"] ?? "", found, "declined")), transactionId };
  return await undoUnsure(account, found, transactionId);
}

/** Without "unknown": what a question about the past has answered is certain. */
function declined(outcome: ChargeOutcome) {
  return outcome.kind === "declined"
    ? outcome
    : { kind: "declined" as const, message: declinedByBank };
}

/** Sales that came to nothing after they were approved. A later batch may collect them after all. */
const notCollected = /^(11|12|14)$/;

/** Unconfirmed: how a voided one is listed. */
function outcomeOf(found: Fields, sought: Charge, transactionId: string): LookUpOutcome {
  const state = found["TRANSSTATE"] ?? "";
  if (/^(1|10)$/.test(state)) return { kind: "declined", message: declinedByBank, transactionId };
  if (notCollected.test(state))
    return { kind: "declined", message: declinedByBank, transactionId, mayComeThrough: true };
  if (/^(7\d\d|15)$/.test(state) || found["VOIDED"])
    return { kind: "given back", transactionId, how: "voided" };
  if (!/^(0|3|6|7|8|9)$/.test(state))
    return {
      kind: "unknown",
      problem: `Payflow says: state ${state || "not given"}.`,
      transactionId,
    };
  const amount = centsFromDollars(found["AMT"] ?? "");
  if (amount !== sought.amountCents)
    return { kind: "unknown", problem: "The amount differs from the payment's.", transactionId };
  const isSettled = state === "8";
  return { kind: "approved", transactionId, amountCents: amount, card: cardOf(found), isSettled };
}

/** An answer that settled nothing may have left an authorisation: it is voided, and then nothing was charged. */
async function undoUnsure(account: Account, found: Fields, id: string): Promise<LookUpOutcome> {
  const undone = await ask(account, freshId(), { TRXTYPE: "V", ORIGID: id });
  const nothingStands = undone["RESULT"] === "108" && found["TRANSSTATE"] === "1";
  if (undone["RESULT"] === "0" || nothingStands)
    return {
      kind: "declined",
      message: "The bank did not answer. Nothing was charged.",
      transactionId: id,
    };
  const problem = sentence(found["RESPMSG"] ?? "", `Result ${found["ORIGRESULT"]}.`);
  return { kind: "unknown", problem, transactionId: id };
}

/**
 * Void before settlement (108: too late, or done before), credit after it. An answer that settles
 * nothing is kept under its request id for ever, so each attempt has an id of its own, and what
 * earlier ones did is looked up: a credit by our reference, a void by the state that is left.
 */
async function giveBack(account: Account, captured: Captured): Promise<GiveBackOutcome> {
  const { reference, transactionId, amountCents } = captured;
  const before = await inquire(account, { CUSTREF: reference });
  if (before["RESULT"] === "0" && before["ORIGRESULT"] === "0")
    return { kind: "done", how: "refunded" };
  const voided = await ask(account, freshId(), { TRXTYPE: "V", ORIGID: transactionId });
  if (voided["RESULT"] === "0") return { kind: "done", how: "voided" };
  if (voided["RESULT"] !== "108") return openQuestion(voided);
  const credited = await ask(account, freshId(), {
    TRXTYPE: "C",
    ORIGID: transactionId,
    AMT: dollarsText(amountCents),
    CURRENCY: "USD",
    CUSTREF: reference,
  });
  if (credited["RESULT"] === "0") return { kind: "done", how: "refunded" };
  if (credited["RESULT"] !== "105") return openQuestion(credited);
  const state = (await inquire(account, { ORIGID: transactionId }))["TRANSSTATE"] ?? "";
  if (notCollected.test(state)) return { kind: "refused", message: neverCollected };
  // Unconfirmed: how a voided sale is listed. It can be no sale that settles or has settled.
  if (!/^(6|7|8|9)$/.test(state)) return { kind: "done", how: "voided" };
  return openQuestion(credited);
}

function openQuestion(reply: Fields): GiveBackOutcome {
  const result = reply["RESULT"] ?? "";
  const says = sentence(reply["RESPMSG"] ?? "", `Result ${result}.`);
  return unsure.test(result) || notReached.test(result)
    ? { kind: "unknown", problem: says }
    : { kind: "refused", message: `Payflow refused: ${says}` };
}
