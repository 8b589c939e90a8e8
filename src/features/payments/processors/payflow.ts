import { randomBytes } from "node:crypto";
import { centsFromDollars, dollarsText } from "#domain/money.ts";
import {
  ask,
  enterAgain,
  type Fields,
  freshId,
  inquire,
  isLookUpMiss,
  isWrongKeys,
  refusalOf,
  requestId,
  saysOf,
  standingOf,
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
import { NoAnswer } from "#features/payments/processors/wire.ts";
import {
  asciiOf,
  declinedByBank,
  neverCollected,
  notAvailable,
  zipOf,
} from "#features/payments/processors/wording.ts";

/**
 * PayPal Payflow Pro with a secure token and transparent redirect: the browser posts the card to
 * PayPal, which charges the amount that our server stored with the token; our server then asks what
 * was charged. A token without an amount, as the published call makes it, only verifies the card: the
 * server charges it by a reference transaction, which PayPal refuses until the merchant allows them.
 */
export const payflow: Processor = {
  name: "paypal_payflow_pro",
  label: "PayPal Payflow Pro",
  advice:
    "In PayPal Manager, the hosted checkout pages must be set up with secure tokens enabled. Payments on this site need no reference transactions.",
  reviewedIn: "PayPal Manager",
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
  // A token can be used for twenty minutes by one of PayPal's guides, for thirty by another.
  missingIsFinalAfterMinutes: 32,
  salesMayFail: { forDays: 10 },
  giveBack,
  // PayPal gives the bank three quarters of a minute, and lists a sale when that has answered.
  sessions: { lastsMinutes: 20, chargeTakesSeconds: 90, open: openSession },
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

async function checkKeys(account: Account): Promise<string | null> {
  const reply = await inquire(account, { ORIGID: "A00000000000" });
  const result = reply["RESULT"];
  if (isWrongKeys(result)) return `Payflow refused the keys: ${saysOf(reply, result)}`;
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
  const reply = await ask(account, requestId("session", secureTokenId), {
    // Our reference stands in the sale itself: it is found without the token.
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
    // A length tag counts characters, and does not help against quotation marks.
    BILLTOFIRSTNAME: asciiOf(payer.firstName, 30),
    BILLTOLASTNAME: asciiOf(payer.lastName, 30),
    BILLTOSTREET: asciiOf(payer.address, 30),
    BILLTOZIP: zipOf(payer.zip),
  });
  const { RESULT: result, SECURETOKEN: secureToken } = reply;
  if (result === "0" && secureToken && reply["SECURETOKENID"] === secureTokenId)
    return { kind: "opened", token: secureToken, handle: secureTokenId, secret: secureToken };
  const fault = `Payflow ${result}: ${saysOf(reply, result)}`;
  if (/^(not reached|unsure)$/.test(standingOf(result))) throw new NoAnswer(fault);
  return { kind: "refused", message: notAvailable, fault };
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  return isChargedByBrowser(wanted)
    ? await verify(account, wanted)
    : await chargeByReference(account, wanted);
}

const isChargedByBrowser = ({ session }: Charge) =>
  session !== null && session.amountCents !== null;

/** Whether the browser charged what its session was opened for; what it says of that is not asked. */
async function verify(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const outcome = await lookUp(account, wanted);
  if (outcome.kind === "missing")
    return { kind: "unknown", problem: "Payflow does not know of the sale yet." };
  return outcome.kind === "given back"
    ? { kind: "declined", message: "This transaction was voided." }
    : outcome;
}

/** Ask how the card fared in its session, then charge it by that transaction. */
async function chargeByReference(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
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
  // The answer to another request, which is looked up: this one was not run.
  if (sold["DUPLICATE"] && sold["DUPLICATE"] !== "0")
    return { kind: "unknown", problem: "Payflow took the charge for a repeated one." };
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
  const found = await findSale(account, sought);
  if (isLookUpMiss(found["RESULT"])) return { kind: "missing" };
  const transactionId = found["ORIGPNREF"] ?? "";
  if (found["RESULT"] !== "0" || !transactionId)
    return { kind: "unknown", problem: `Payflow: ${saysOf(found, found["RESULT"])}` };
  return outcomeOf(found, transactionId) ?? (await undo(account, found, transactionId));
}

/** By its own id once that is known, which has no end; else by what it was sold under. */
async function findSale(account: Account, sought: Charge): Promise<Fields> {
  const { session, transactionId } = sought;
  const isBrowsers = session && isChargedByBrowser(sought);
  if (transactionId) {
    const found = await inquire(account, { ORIGID: transactionId });
    if (!isLookUpMiss(found["RESULT"])) return found;
  }
  const found = await inquire(account, {
    CUSTREF: isBrowsers ? session.reference : sought.reference,
  });
  // Unconfirmed: that every processor keeps the reference of a token. The token finds it as well.
  if (!isLookUpMiss(found["RESULT"]) || !isBrowsers || !session.secret) return found;
  return await inquire(account, { SECURETOKEN: session.secret });
}

/** Sales that came to nothing after they were approved. A later batch may collect them after all. */
const notCollected = /^(11|12|14)$/;
/** A void adds a thousand to the state of what was voided. */
const voided = /^1\d{3}$/;
const chargedBack = "15";
/** An error, or a capture that failed: nothing was charged. */
const cameToNothing = /^(1|10)$/;
/** In the batch that is being settled, or settled. */
const collected = /^[78]$/;

/** What a sale's RESULT and its state say together; null where what it may have left must be voided first. */
function outcomeOf(found: Fields, transactionId: string): LookUpOutcome | null {
  const result = found["ORIGRESULT"] ?? "";
  const state = found["TRANSSTATE"] ?? "";
  const standing = standingOf(result);
  if (voided.test(state)) return { kind: "given back", transactionId, how: "voided" };
  if (state === chargedBack) return { kind: "given back", transactionId, how: "refunded" };
  if (/^(declined|fault|not reached)$/.test(standing))
    return { ...declinedFor(result, found), transactionId };
  if (notCollected.test(state))
    return { kind: "declined", message: declinedByBank, transactionId, mayComeThrough: true };
  if (collected.test(state)) return approvedOf(found, transactionId);
  if (standing === "approved" || standing === "held") {
    if (cameToNothing.test(state))
      return { kind: "declined", message: declinedByBank, transactionId };
    // Unconfirmed: the state of a held one. Before it is collected, only RESULT 0 says that it was accepted.
    if (standing === "held") return heldOf(transactionId);
  }
  const isOnItsWay = state === "6";
  if (isOnItsWay && standing !== "unsure") return approvedOf(found, transactionId);
  // 30: a duplicate, of something that may have been charged.
  const isUndone = standing === "unsure" || (cameToNothing.test(state) && result !== "30");
  return isUndone ? null : unclear(found, transactionId);
}

/** Without "unknown": what a question about the past has answered is certain. */
function declinedFor(result: string, found: Fields) {
  const outcome = refusalOf(result, found, "declined");
  return outcome.kind === "declined"
    ? outcome
    : { kind: "declined" as const, message: declinedByBank };
}

function approvedOf(found: Fields, transactionId: string): LookUpOutcome {
  const amountCents = centsFromDollars(found["AMT"] ?? "");
  if (amountCents === null)
    return { kind: "unknown", problem: "Payflow names no amount.", transactionId };
  const isSettled = found["TRANSSTATE"] === "8";
  return { kind: "approved", transactionId, amountCents, card: cardOf(found), isSettled };
}

const heldOf = (transactionId: string): LookUpOutcome => ({
  kind: "unknown",
  problem: "PayPal's fraud filters hold the payment for review.",
  transactionId,
  isHeld: true,
});

function unclear(found: Fields, transactionId: string): LookUpOutcome {
  const { ORIGRESULT: result = "", TRANSSTATE: state = "" } = found;
  const problem = `Payflow ${result || "without a result"}, state ${state || "not given"}: ${saysOf(found, result)} If it stays so, see to transaction ${transactionId} in PayPal Manager.`;
  return { kind: "unknown", problem, transactionId };
}

/** An answer that settled nothing may have left an authorisation: it is voided, and then nothing was charged. */
async function undo(account: Account, found: Fields, id: string): Promise<LookUpOutcome> {
  const undone = await ask(account, freshId(), { TRXTYPE: "V", ORIGID: id });
  const nothingStands = undone["RESULT"] === "108" && cameToNothing.test(found["TRANSSTATE"] ?? "");
  if (undone["RESULT"] === "0" || nothingStands)
    return {
      kind: "declined",
      message: "The bank did not answer. Nothing was charged.",
      transactionId: id,
    };
  return unclear(found, id);
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
  const undone = await ask(account, freshId(), { TRXTYPE: "V", ORIGID: transactionId });
  if (undone["RESULT"] === "0") return { kind: "done", how: "voided" };
  if (undone["RESULT"] !== "108") return openQuestion(undone);
  const credited = await ask(account, freshId(), {
    TRXTYPE: "C",
    ORIGID: transactionId,
    AMT: dollarsText(amountCents),
    CURRENCY: "USD",
    CUSTREF: reference,
  });
  if (credited["RESULT"] === "0") return { kind: "done", how: "refunded" };
  if (credited["RESULT"] !== "105") return openQuestion(credited);
  const now = await inquire(account, { ORIGID: transactionId });
  const state = now["TRANSSTATE"] ?? "";
  if (notCollected.test(state) || cameToNothing.test(state))
    return { kind: "refused", message: neverCollected };
  if (voided.test(state)) return { kind: "done", how: "voided" };
  if (state === chargedBack) return { kind: "done", how: "refunded" };
  // Neither voided nor credited: on its way into a batch it can be neither, and later it can.
  return state === "8" ? openQuestion(credited) : stillOpen(now);
}

/** What a refused void or credit says. Only what PayPal's table knows as a refusal ends it. */
function openQuestion(reply: Fields): GiveBackOutcome {
  const { RESULT: result = "" } = reply;
  const isRefused = /^(105|108|111)$/.test(result) || /^(declined|fault)$/.test(standingOf(result));
  return isRefused
    ? { kind: "refused", message: `Payflow refused: ${saysOf(reply, result)}` }
    : stillOpen(reply);
}

const stillOpen = (reply: Fields): GiveBackOutcome => ({
  kind: "unknown",
  problem: `Payflow: ${saysOf(reply, reply["RESULT"])}`,
});
