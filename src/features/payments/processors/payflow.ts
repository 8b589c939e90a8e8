import { createHash, randomBytes } from "node:crypto";
import { centsFromDollars, dollarsText } from "#domain/money.ts";
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
import { exchange, NoAnswer } from "#features/payments/processors/wire.ts";
import { declinedByBank, notAvailable, sentence } from "#features/payments/processors/wording.ts";

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
  giveBack,
  sessions: { browserCharges: false, lastsMinutes: 20, open: openSession },
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

type Fields = Record<string, string>;

/**
 * Make one call. Values are not URL-encoded: each is preceded by its length instead, except the
 * credentials, for which some gateways do not take it. The same request id is never run twice.
 */
async function ask(account: Account, requestId: string, fields: Fields): Promise<Fields> {
  const { partner = "", vendor = "", user = "", password = "" } = account.keys;
  const given = { PARTNER: partner, VENDOR: vendor, USER: user || vendor, PWD: password };
  const answer = await exchange(account.addresses["apiUrl"] ?? "", {
    headers: {
      "content-type": "text/namevalue",
      "x-vps-request-id": requestId,
      "x-vps-client-timeout": "45",
    },
    body: [
      ...Object.entries(given).map(([name, value]) => `${name}=${value}`),
      ...Object.entries({ TENDER: "C", VERBOSITY: "HIGH", ...fields }).map(
        ([name, value]) => `${name}[${Buffer.byteLength(value)}]=${value}`,
      ),
    ].join("&"),
    timeoutMs: account.timeoutMs,
  });
  const reply = readNameValues(answer.text);
  if (answer.status !== 200 || !/^-?\d+$/.test(reply["RESULT"] ?? ""))
    throw new NoAnswer(`Payflow answered HTTP ${answer.status}.`);
  return reply;
}

/** `NAME=value&NAME[5]=va&ue`: a length says how far a value reaches; plus signs are plus signs. */
export function readNameValues(text: string): Fields {
  const fields: Fields = {};
  let rest = text.trim();
  while (rest) {
    const named = /^(\w+)(?:\[(\d+)\])?=/.exec(rest);
    if (!named) throw new NoAnswer("The processor's answer could not be read.");
    const after = rest.slice(named[0].length);
    const end = named[2] === undefined ? after.indexOf("&") : Number(named[2]);
    const value = end < 0 ? after : after.slice(0, end);
    fields[named[1] ?? ""] = value;
    rest = after.slice(value.length).replace(/^&/, "");
  }
  return fields;
}

/** One id for each operation on each payment: 32 hexadecimal digits. */
const requestId = (...what: string[]) =>
  createHash("sha256").update(what.join(" ")).digest("hex").slice(0, 32);
/** For questions, which must be asked anew each time. */
const freshId = () => randomBytes(16).toString("hex");

const inquire = async (account: Account, by: Fields) =>
  await ask(account, freshId(), { TRXTYPE: "I", ...by });

const isLookUpMiss = (result: string | undefined) => result === "19" || result === "20";
const configuration = /^(1|2|3|5|26|27|28|52|100|121)$/;
const requestBug = /^(4|6|7|8|9|10|29|118|133)$/;
const notReached = /^(102|106|115|116|151|170)$/;
const unsure = /^(11|30|99|103|104|107|109|126|150|1000)$/;

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
    BILLTOFIRSTNAME: payer.firstName,
    BILLTOLASTNAME: payer.lastName,
    BILLTOSTREET: payer.address,
    BILLTOZIP: payer.zip,
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
    COMMENT1: wanted.description.slice(0, 128),
  });
  if (sold["RESULT"] !== "0") return refusalOf(sold["RESULT"] ?? "", sold, "unknown");
  const transactionId = sold["PNREF"] ?? "";
  if (!transactionId) return { kind: "unknown", problem: "Payflow named no transaction." };
  return { kind: "approved", transactionId, amountCents: wanted.amountCents, card: cardOf(shown) };
}

const enterAgain = "The card details have expired or were used before. Enter them again.";

/** `whenUnsure`: what an answer that settles nothing means for the step that it answers. */
function refusalOf(
  result: string,
  reply: Fields,
  whenUnsure: "unknown" | "declined",
): ChargeOutcome {
  const says = sentence(reply["RESPMSG"] ?? "", `Result ${result}.`);
  if (configuration.test(result) || requestBug.test(result))
    return { kind: "declined", message: notAvailable, fault: `Payflow ${result}: ${says}` };
  if (unsure.test(result) && whenUnsure === "unknown")
    return { kind: "unknown", problem: `Payflow ${result}: ${says}` };
  if (unsure.test(result) || notReached.test(result))
    return {
      kind: "declined",
      message: "The bank could not be reached. Wait a moment and try again.",
    };
  return { kind: "declined", message: sentenceFor[result] ?? declinedByBank };
}

/** Texts of the processor are free: ours, by number. */
const sentenceFor: Record<string, string> = {
  "13": "The card was declined. Ask your bank.",
  "23": "The card number is not valid.",
  "24": "The expiration date is not valid.",
  "25": "This type of card is not accepted.",
  "50": "The card was declined: insufficient funds.",
  "51": "The card was declined: the amount is above its limit.",
  "112": "The address does not match the card's.",
  "114": "The card code is not correct.",
  "160": enterAgain,
  "161": enterAgain,
  "162": enterAgain,
};

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

/** 11, 12 and 14 are sales that came to nothing after they were approved. Unconfirmed: how a voided one is listed. */
function outcomeOf(found: Fields, sought: Charge, transactionId: string): LookUpOutcome {
  const state = found["TRANSSTATE"] ?? "";
  if (/^(1|10|11|12|14)$/.test(state))
    return { kind: "declined", message: declinedByBank, transactionId };
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
  return { kind: "approved", transactionId, amountCents: amount, card: cardOf(found) };
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
