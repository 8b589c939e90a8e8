import { centsFromDollars, dollarsText, zero } from "#kit/domain/money.ts";
import { type ChargeEvent, voidOf } from "#cards/processors/charge-events.ts";
import {
  callGateway,
  type Fields,
  freshId,
  inquire,
  isLookUpMiss,
  refusalOf,
  messageOf,
  meaningOf,
} from "#cards/processors/payflow-gateway.ts";
import type {
  Account,
  Approved,
  Charge,
  RefundOutcome,
  RefundRequest,
  LookUpOutcome,
} from "#cards/processors/processor.ts";
import { isPart, notLeft, onlyOnceSettled } from "#cards/processors/refund-rest.ts";
import { declinedByBank, neverCollected } from "#cards/processors/wording.ts";

/*
 * The outcome of a sale at Payflow, and how it is voided or refunded.
 */

export const isChargedByBrowser = ({ session }: Charge) =>
  session !== null && session.amountCents !== null;

const brands = ["Visa", "Mastercard", "Discover", "Amex", "Diners Club", "JCB"];

export function cardOf(reply: Fields) {
  return {
    brand: brands[Number(reply["CARDTYPE"])] ?? "",
    lastFour: (reply["ACCT"] ?? "").slice(-4),
  };
}

export async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const found = await findSale(account, sought);
  if (isLookUpMiss(found["RESULT"])) return { kind: "missing" };
  const transactionId = found["ORIGPNREF"] ?? "";
  if (found["RESULT"] !== "0" || !transactionId)
    return { kind: "unknown", problem: `Payflow: ${messageOf(found, found["RESULT"])}` };
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
/** A duplicate, a used token, one in progress: something before it may have been charged. */
const repeated = /^(30|160|161)$/;
/** In the batch that is being settled, or settled. */
const collected = /^[78]$/;
const onItsWay = /^[67]$/;

/** What a sale's RESULT and its state say together; null where what it may have left must be voided first. */
function outcomeOf(found: Fields, transactionId: string): LookUpOutcome | null {
  const result = found["ORIGRESULT"] ?? "";
  const state = found["TRANSSTATE"] ?? "";
  const standing = meaningOf(result);
  if (voided.test(state) || state === chargedBack) return approvedOf(found, transactionId);
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
  const isUndone = standing === "unsure" || (cameToNothing.test(state) && !repeated.test(result));
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
  const charged = { transactionId, amountCents, card: cardOf(found) };
  return { kind: "approved", ...charged, since: eventsOf(found, charged) };
}

/**
 * What a sale's own state says. Credits made in PayPal Manager are not seen: an inquiry names no credit of a sale,
 * and a credit is not given its CUSTREF. Source: Payflow Pro Developer's Guide, fields copied into a credit.
 */
function eventsOf({ TRANSSTATE: state = "" }: Fields, charged: Charged): ChargeEvent[] {
  const whole = voidOf(charged);
  if (voided.test(state)) return [whole];
  return state === chargedBack ? [{ ...whole, kind: "chargeback" }] : [];
}

type Charged = Pick<Approved, "transactionId" | "amountCents">;

const heldOf = (transactionId: string): LookUpOutcome => ({
  kind: "unknown",
  problem: "PayPal's fraud filters hold the payment for review.",
  transactionId,
  isHeld: true,
});

function unclear(found: Fields, transactionId: string): LookUpOutcome {
  const { ORIGRESULT: result = "", TRANSSTATE: state = "" } = found;
  const problem = `Payflow ${result || "without a result"}, state ${state || "not given"}: ${messageOf(found, result)} If it stays so, see to transaction ${transactionId} in PayPal Manager.`;
  return { kind: "unknown", problem, transactionId };
}

/** An answer that settled nothing may have left an authorisation: it is voided, and then nothing was charged. */
async function undo(account: Account, found: Fields, id: string): Promise<LookUpOutcome> {
  const undone = await callGateway(account, freshId(), { TRXTYPE: "V", ORIGID: id });
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
export async function voidOrRefund(
  account: Account,
  request: RefundRequest,
): Promise<RefundOutcome> {
  const { reference, transactionId, amountCents } = request;
  const before = await inquire(account, { CUSTREF: reference });
  if (before["RESULT"] === "0" && before["ORIGRESULT"] === "0")
    return { kind: "done", how: "refunded", processorId: before["ORIGPNREF"] };
  const notCreditable = isPart(request)
    ? whyNoCredit(await inquire(account, { ORIGID: transactionId }), request)
    : await voidWhole(account, request);
  if (notCreditable) return notCreditable;
  const credited = await callGateway(account, freshId(), {
    TRXTYPE: "C",
    ORIGID: transactionId,
    AMT: dollarsText(amountCents),
    CURRENCY: "USD",
    CUSTREF: reference,
  });
  if (credited["RESULT"] === "0")
    return { kind: "done", how: "refunded", processorId: credited["PNREF"] };
  if (credited["RESULT"] !== "105") return unsettledRefund(credited);
  const now = await inquire(account, { ORIGID: transactionId });
  return whyNoCredit(now, request) ?? { kind: "refused", message: notCredited };
}

/** Null where it is too late. */
async function voidWhole(
  account: Account,
  { transactionId }: RefundRequest,
): Promise<RefundOutcome | null> {
  const undone = await callGateway(account, freshId(), { TRXTYPE: "V", ORIGID: transactionId });
  if (undone["RESULT"] === "0") return { kind: "done", how: "voided", processorId: transactionId };
  return undone["RESULT"] === "108" ? null : unsettledRefund(undone);
}

/** Why a sale cannot be credited, by its state; null for one that is settled. */
function whyNoCredit(now: Fields, request: RefundRequest): RefundOutcome | null {
  const state = now["TRANSSTATE"] ?? "";
  if (state === "8") return null;
  if (notCollected.test(state) || cameToNothing.test(state))
    return { kind: "refused", message: neverCollected };
  if (voided.test(state))
    return request.isRest
      ? { kind: "done", how: "voided", processorId: request.transactionId }
      : notLeft(zero);
  if (state === chargedBack) return { kind: "refused", message: chargedBackThere };
  // On its way into a batch it can be neither voided nor credited, and later it can.
  return isPart(request) && onItsWay.test(state) ? onlyOnceSettled("Payflow") : stillOpen(now);
}

const chargedBackThere = "The payer's bank has charged this payment back: nothing is left of it.";
const notCredited =
  "Payflow refused the credit (105): the sale was credited in PayPal Manager before, or cannot be. Check there how much is left.";

/** What a refused void or credit says. Only what PayPal's table knows as a refusal ends it. */
function unsettledRefund(reply: Fields): RefundOutcome {
  const { RESULT: result = "" } = reply;
  const isRefused = /^(105|108|111)$/.test(result) || /^(declined|fault)$/.test(meaningOf(result));
  return isRefused
    ? { kind: "refused", message: `Payflow refused: ${messageOf(reply, result)}` }
    : stillOpen(reply);
}

const stillOpen = (reply: Fields): RefundOutcome => ({
  kind: "unknown",
  problem: `Payflow: ${messageOf(reply, reply["RESULT"])}`,
});
