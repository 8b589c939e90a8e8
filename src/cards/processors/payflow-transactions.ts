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
import { isPart, refuseAboveRest, refusePartUntilSettled } from "#cards/processors/refund-rest.ts";
import { declinedByBank, neverCollected } from "#cards/processors/wording.ts";

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

/** By its own id if known, which works forever; otherwise by the reference it was sold under. */
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
  // Unconfirmed: that every processor keeps a token's reference. The token finds it too.
  if (!isLookUpMiss(found["RESULT"]) || !isBrowsers || !session.secret) return found;
  return await inquire(account, { SECURETOKEN: session.secret });
}

/** Sales that failed after they were approved. A later batch may still collect them. */
const notCollected = /^(11|12|14)$/;
/** A void adds a thousand to the state of the voided transaction. */
const voided = /^1\d{3}$/;
const chargedBack = "15";
/** An error or a failed capture: nothing was charged. */
const failed = /^(1|10)$/;
/** A duplicate, a used token, or one in progress: an earlier transaction may have been charged. */
const repeated = /^(30|160|161)$/;
/** Settled, or in the batch being settled. */
const collected = /^[78]$/;
const onItsWay = /^[67]$/;

/** The outcome by a sale's RESULT and state; null if an authorisation it may have left must be voided first. */
function outcomeOf(found: Fields, transactionId: string): LookUpOutcome | null {
  const result = found["ORIGRESULT"] ?? "";
  const state = found["TRANSSTATE"] ?? "";
  const meaning = meaningOf(result);
  if (voided.test(state) || state === chargedBack) return approvedOf(found, transactionId);
  if (/^(declined|fault|not reached)$/.test(meaning))
    return { ...declinedFor(result, found), transactionId };
  if (notCollected.test(state))
    return { kind: "declined", message: declinedByBank, transactionId, mayComeThrough: true };
  if (collected.test(state)) return approvedOf(found, transactionId);
  if (meaning === "approved" || meaning === "held") {
    if (failed.test(state)) return { kind: "declined", message: declinedByBank, transactionId };
    // Unconfirmed: the state of a held sale. Before it is collected, only RESULT 0 says that it was
    // accepted.
    if (meaning === "held") return heldOf(transactionId);
  }
  const isOnItsWay = state === "6";
  if (isOnItsWay && meaning !== "unsure") return approvedOf(found, transactionId);
  const isUndone = meaning === "unsure" || (failed.test(state) && !repeated.test(result));
  return isUndone ? null : unclear(found, transactionId);
}

/** Never "unknown": an answer about the past is certain. */
function declinedFor(result: string, found: Fields) {
  const outcome = refusalOf(result, found, "declined");
  return outcome.kind === "declined"
    ? outcome
    : { kind: "declined" as const, message: declinedByBank };
}

function approvedOf(found: Fields, transactionId: string): LookUpOutcome {
  const amountCents = centsFromDollars(found["AMT"] ?? "");
  if (amountCents === null)
    return { kind: "unknown", problem: "Payflow gave no amount.", transactionId };
  const charged = { transactionId, amountCents, card: cardOf(found) };
  return { kind: "approved", ...charged, since: eventsOf(found, charged) };
}

/**
 * The events that a sale's own state shows. Credits made in PayPal Manager are not visible: an inquiry
 * lists no credits of a sale, and a credit does not get its CUSTREF. Source: Payflow Pro Developer's Guide,
 * fields copied into a credit.
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
  const problem = `Payflow ${result || "without a result"}, state ${state || "not given"}: ${messageOf(found, result)} If this does not change, check transaction ${transactionId} in PayPal Manager.`;
  return { kind: "unknown", problem, transactionId };
}

/** An inconclusive answer may have left an authorisation: void it, and nothing was charged. */
async function undo(account: Account, found: Fields, id: string): Promise<LookUpOutcome> {
  const undone = await callGateway(account, freshId(), { TRXTYPE: "V", ORIGID: id });
  const nothingToVoid = undone["RESULT"] === "108" && failed.test(found["TRANSSTATE"] ?? "");
  if (undone["RESULT"] === "0" || nothingToVoid)
    return {
      kind: "declined",
      message: "The bank did not answer. Nothing was charged.",
      transactionId: id,
    };
  return unclear(found, id);
}

/**
 * Void before settlement (108: too late, or already done), credit after it. Payflow keeps an inconclusive
 * answer forever under its request id, so each attempt uses a new id, and earlier attempts are looked up: a
 * credit by our reference, a void by the state of the sale.
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

/** Null if it is too late. */
async function voidWhole(
  account: Account,
  { transactionId }: RefundRequest,
): Promise<RefundOutcome | null> {
  const undone = await callGateway(account, freshId(), { TRXTYPE: "V", ORIGID: transactionId });
  if (undone["RESULT"] === "0") return { kind: "done", how: "voided", processorId: transactionId };
  return undone["RESULT"] === "108" ? null : unsettledRefund(undone);
}

/** Why a sale cannot be credited, by its state; null if it is settled. */
function whyNoCredit(now: Fields, request: RefundRequest): RefundOutcome | null {
  const state = now["TRANSSTATE"] ?? "";
  if (state === "8") return null;
  if (notCollected.test(state) || failed.test(state))
    return { kind: "refused", message: neverCollected };
  if (voided.test(state))
    return request.isRest
      ? { kind: "done", how: "voided", processorId: request.transactionId }
      : refuseAboveRest(zero);
  if (state === chargedBack) return { kind: "refused", message: alreadyChargedBack };
  // A sale on its way into a batch can be neither voided nor credited; later it can.
  return isPart(request) && onItsWay.test(state)
    ? refusePartUntilSettled("Payflow")
    : stillOpen(now);
}

const alreadyChargedBack =
  "The payer's bank charged this payment back, so nothing is left to refund.";
const notCredited =
  "Payflow refused the credit (105): the sale was already credited in PayPal Manager, or cannot be credited. Check there how much is left.";

/** The meaning of a refused void or credit. Only refusals in PayPal's table are final. */
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
