import { Temporal } from "temporal-polyfill";
import { cents, centsFromDollars, sum } from "#domain/money.ts";
import type {
  Account,
  RefundRequest,
  Charge,
  ChargeOutcome,
  RefundOutcome,
  Returned,
  LookUpOutcome,
  UnknownOutcome,
} from "#features/cards/processors/processor.ts";
import { sendRequest, isSuccess, NoResponse } from "#features/cards/processors/send-request.ts";
import { onlyPartApproved, sentence } from "#features/cards/processors/wording.ts";

/*
 * Converge's XML interface: the outcome of a sale, and how it is voided or refunded.
 */

export const credentials = ({ keys }: Account) => ({
  ssl_merchant_id: keys["merchantId"] ?? "",
  ssl_user_id: keys["userId"] ?? "",
  ssl_pin: keys["pin"] ?? "",
});

type Transaction = Record<string, string>;

/**
 * Send one request of the XML interface. Lists are long: only what mentions a text is read of them.
 * Throws NoResponse for anything but a well-formed reply.
 */
export async function callGateway(
  account: Account,
  fields: Record<string, string>,
  mentioning = "",
): Promise<Transaction[]> {
  const sent = Object.entries({ ...credentials(account), ...fields })
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join("");
  const answer = await sendRequest(account.addresses["xmlUrl"] ?? "", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ xmldata: `<txn>${sent}</txn>` }).toString(),
    timeoutMs: account.timeoutMs,
  });
  const isWhole = /<\/txn>\s*$|<\/txnlist>\s*$|<txnlist\s*\/>\s*$/.test(answer.text);
  if (!isSuccess(answer) || !isWhole)
    throw new NoResponse(`Converge answered HTTP ${answer.status}.`);
  return [...answer.text.matchAll(/<txn>([\s\S]*?)<\/txn>/g)]
    .filter(([, inner]) => inner?.includes(mentioning) || inner?.includes("errorCode"))
    .map(([, inner]) => fieldsOf(inner ?? ""));
}

function fieldsOf(xml: string): Transaction {
  const found = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return Object.fromEntries(found.map(([, name, value]) => [name ?? "", unescaped(value ?? "")]));
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const unescaped = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&")
    .trim();

export const codeOf = (reply: Transaction | undefined) => reply?.["errorCode"] ?? "";
export const messageOf = (reply: Transaction | undefined) =>
  reply?.["errorMessage"] || reply?.["errorName"] || reply?.["ssl_result_message"] || "";

/** Codes after which something may yet have been done: gateway trouble and time-outs. */
const unsureCodes = /^(300\d|4017|4022|5093|6038)$/;

/** One transaction by its id; null when Converge does not know it. */
export async function findById(account: Account, id: string): Promise<Transaction | null> {
  const [reply] = await callGateway(account, { ssl_transaction_type: "txnquery", ssl_txn_id: id });
  if (reply?.["ssl_txn_id"] === id) return reply;
  if (/^(5040|6017)$/.test(codeOf(reply)) || !codeOf(reply)) return null;
  throw new NoResponse(sentence(messageOf(reply), "The transaction was not shown."));
}

export const isTestAnswer = (found: Transaction) =>
  found["ssl_approval_code"] === "123456" &&
  found["ssl_avs_response"] === "X" &&
  /^0+/.test(found["ssl_txn_id"] ?? "");

export const unknown = (problem: string) => ({ kind: "unknown" as const, problem });

/** `ssl_result` is not dependable in queries: message, approval code and status decide. */
export async function outcomeOf(
  account: Account,
  found: Transaction,
  sought: Charge,
): Promise<ChargeOutcome | Returned> {
  const transactionId = found["ssl_txn_id"] ?? "";
  const says = found["ssl_result_message"] ?? "";
  const status = found["ssl_trans_status"] ?? "";
  if (found["ssl_transaction_type"] !== "SALE")
    return isReversed(found)
      ? { kind: "given back", transactionId, how: "voided" }
      : { kind: "declined", message: "This transaction is no sale." };
  const hasApproval = Boolean(found["ssl_approval_code"]);
  if (isPartial(found) || (hasApproval && failsRule(found))) return await undo(account, found);
  if (!hasApproval || failsRule(found) || !/^(APPROVA|SUCCESS|APPROBAT)/.test(says))
    return {
      kind: "declined",
      message: `declined: ${sentence(says, "The card was declined.")}`,
      transactionId,
    };
  if (status === "REV")
    return { ...unknown("Converge holds the payment for review."), transactionId };
  const amountCents = centsFromDollars(found["ssl_amount"] ?? "");
  if (amountCents === null) return { ...unknown("Converge names no amount."), transactionId };
  if (isBefore(found["ssl_txn_time"] ?? "", sought.session?.startedAt ?? sought.startedAt))
    return { kind: "declined", message: "This transaction is older than the payment." };
  const brand = found["ssl_card_short_description"] ?? "";
  const lastFour = (found["ssl_card_number"] ?? "").slice(-4);
  return { kind: "approved", transactionId, amountCents, card: { brand, lastFour } };
}

const isPartial = (found: Transaction) => (found["ssl_result_message"] ?? "").startsWith("PARTIAL");

/** Refused by the merchant's own rules, before the bank was reached (PRE) or although it had approved. */
const failsRule = (found: Transaction) => /^(PST|FPR|PRE)$/.test(found["ssl_trans_status"] ?? "");

/** What the bank approved and we do not post must not stay held on the payer's card. */
async function undo(account: Account, found: Transaction): Promise<Returned | UnknownOutcome> {
  const transactionId = found["ssl_txn_id"] ?? "";
  const undone = await voidOrReturn(account, found, { wasAskedBefore: true });
  return undone.kind === "done"
    ? { kind: "given back", transactionId, how: undone.how }
    : { ...unknown("An approval that cannot be posted has not been voided yet."), transactionId };
}

/** Why a sale that the browser reports as approved is none, for the payer. */
export function reversalReason(found: Transaction): string {
  if (isPartial(found)) return `declined: ${onlyPartApproved}`;
  return failsRule(found)
    ? "declined: The card did not pass the referral service's checks. Nothing was charged; use another card, or pay by check."
    : "This transaction was voided.";
}

const eastern = "America/New_York";

/** Converge writes `MM/DD/YYYY hh:mm:ss AM` in Eastern time; clocks may differ by some minutes. */
function isBefore(easternTime: string, instant: string): boolean {
  const read = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d):(\d\d) ([AP])M$/.exec(easternTime);
  if (!read) return false;
  const [, month, day, year, hour, minute, second, half] = read;
  const hours = (Number(hour) % 12) + (half === "P" ? 12 : 0);
  const time = Temporal.PlainDateTime.from(
    `${year}-${month}-${day}T${String(hours).padStart(2, "0")}:${minute}:${second}`,
  );
  const earliest = Temporal.Instant.from(instant).subtract({ minutes: 5 });
  return (
    Temporal.Instant.compare(
      time.toZonedDateTime(eastern, { disambiguation: "later" }).toInstant(),
      earliest,
    ) < 0
  );
}

/** The charge made in a session, by our reference: among the sales since it was opened. */
export async function findCharge(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const reference = sought.session?.reference ?? sought.reference;
  const started = sought.session?.startedAt ?? sought.startedAt;
  const listed = await listSales(account, reference, started);
  const ours = listed.filter(
    (each) => each["ssl_invoice_number"] === reference && !isTestAnswer(each),
  );
  if (ours.length === 0) return { kind: "missing" };
  const outcomes: LookUpOutcome[] = [];
  for (const each of ours) outcomes.push(await outcomeOf(account, each, sought));
  // Five declines may precede the approval in one session: it is what counts, and it may still come.
  return (
    ["approved", "unknown", "given back"]
      .map((kind) => outcomes.find((outcome) => outcome.kind === kind))
      .find((outcome) => outcome !== undefined) ?? { kind: "missing", wasDeclined: true }
  );
}

async function listSales(
  account: Account,
  reference: string,
  since: string,
): Promise<Transaction[]> {
  // Wide enough for clocks that differ, and for the hour that autumn has twice.
  const start = Temporal.Instant.from(since).subtract({ minutes: 70 });
  const period = {
    ssl_transaction_type: "txnquery",
    ssl_search_start_date: easternText(start),
    ssl_search_end_date: easternText(start.add({ minutes: 210 })),
  };
  const listed = await callGateway(account, period, reference);
  const [first] = listed;
  if (first && codeOf(first) && !/^(5040|6017)$/.test(codeOf(first)))
    throw new NoResponse(sentence(messageOf(first), "The list of transactions was refused."));
  return listed.filter((each) => each["ssl_txn_id"]);
}

function easternText(instant: Temporal.Instant): string {
  const time = instant.toZonedDateTimeISO(eastern);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${two(time.month)}/${two(time.day)}/${time.year}`;
  const hour = two(time.hour % 12 || 12);
  return `${day} ${hour}:${two(time.minute)}:${two(time.second)} ${time.hour < 12 ? "AM" : "PM"}`;
}

/** Void while the batch is open, else return the money; a question first shows what has happened. */
export async function voidOrRefund(
  account: Account,
  captured: RefundRequest,
): Promise<RefundOutcome> {
  const found = await findById(account, captured.transactionId);
  return found
    ? await voidOrReturn(account, found, captured)
    : unknown("Converge does not show the transaction.");
}

/** Unconfirmed: how a voided or deleted sale is listed. */
const isReversed = (found: Transaction) => /VOID|DELETE/.test(found["ssl_transaction_type"] ?? "");

/**
 * 5091: more would go back than was paid. What Converge lists as returned says whether all did, by us or by somebody
 * there. Unconfirmed: that a return keeps the sale's invoice number. Where none is listed, it was ours that was lost.
 */
async function isReturnedInFull(
  account: Account,
  sale: Transaction,
  wasAskedBefore: boolean,
): Promise<boolean> {
  const invoice = sale["ssl_invoice_number"] ?? "";
  const card = sale["ssl_card_number"] ?? "";
  const now = Temporal.Now.instant();
  const listed = await callGateway(account, {
    ssl_transaction_type: "txnquery",
    ssl_search_start_date: easternText(now.subtract({ hours: 30 * 24 })),
    ssl_search_end_date: easternText(now.add({ hours: 2 })), // clocks differ, and autumn has an hour twice
  });
  const [first] = listed;
  if (first && codeOf(first) && !/^(5040|6017)$/.test(codeOf(first)))
    throw new NoResponse(sentence(messageOf(first), "The list of transactions was refused."));
  const returned = listed
    .filter((each) => each["ssl_transaction_type"] === "RETURN")
    .filter(({ ssl_invoice_number: of = "", ssl_card_number: to }) =>
      of === "" ? to === card : of === invoice,
    )
    .map((each) => centsFromDollars(each["ssl_amount"] ?? "") ?? cents(0));
  if (returned.length === 0) return wasAskedBefore;
  return sum(returned) >= (centsFromDollars(sale["ssl_amount"] ?? "") ?? Infinity);
}

const returnedThere =
  "Converge says that some of this payment, or all of it, was returned there before. See there what is left of it, and adjust the balances here.";

async function voidOrReturn(
  account: Account,
  found: Transaction,
  { wasAskedBefore }: Pick<RefundRequest, "wasAskedBefore">,
): Promise<RefundOutcome> {
  if (isReversed(found)) return { kind: "done", how: "voided" };
  const isSettled = found["ssl_trans_status"] === "STL";
  const [reply] = await callGateway(account, {
    ssl_transaction_type: isSettled ? "ccreturn" : "ccvoid",
    ssl_txn_id: found["ssl_txn_id"] ?? "",
    ...(isSettled && { ssl_amount: found["ssl_amount"] ?? "" }),
  });
  const code = codeOf(reply);
  if (reply?.["ssl_result"] === "0")
    return { kind: "done", how: isSettled ? "refunded" : "voided" };
  if (isSettled && code === "5091")
    return (await isReturnedInFull(account, found, wasAskedBefore))
      ? { kind: "done", how: "refunded" }
      : { kind: "refused", message: returnedThere };
  // 5040: its batch has closed in the meantime, or it was voided before: the next question shows which.
  if (!code || unsureCodes.test(code) || /^(4018|5040)$/.test(code))
    return unknown(sentence(messageOf(reply), "Converge did not confirm it."));
  return {
    kind: "refused",
    message: `Converge refused: ${sentence(messageOf(reply), `code ${code}.`)}`,
  };
}
