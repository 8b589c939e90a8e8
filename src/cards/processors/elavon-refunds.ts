import { Temporal } from "temporal-polyfill";
import { type Cents, centsFromDollars, dollarsText, zero } from "#kit/domain/money.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import {
  callGateway,
  codeOf,
  findById,
  listTransactions,
  messageOf,
  type Transaction,
  unknown,
  unsureCodes,
} from "#cards/processors/elavon-gateway.ts";
import { instantOf } from "#cards/processors/elavon-times.ts";
import type { Account, RefundOutcome, RefundRequest } from "#cards/processors/processor.ts";
import {
  isPart,
  refuseAboveRest,
  refusePartUntilSettled,
  refundRest,
} from "#cards/processors/refund-rest.ts";
import { NoResponse } from "#cards/processors/send-request.ts";
import { spansBetween } from "#cards/processors/time-spans.ts";
import { sentence } from "#cards/processors/wording.ts";

/* Voids and returns of sales at Converge, and the returns made there. */

/** Void while the batch is open, otherwise return the money; a query first shows what has happened. */
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
export const isReversed = (found: Transaction) =>
  /VOID|DELETE/.test(found["ssl_transaction_type"] ?? "");

/** The returns of a settled sale, oldest first. Unconfirmed: that a return keeps the sale's invoice number. */
export async function returnsOf(account: Account, sale: Transaction): Promise<ChargeEvent[]> {
  const { ssl_invoice_number: invoice = "", ssl_txn_time: soldAt = "" } = sale;
  const returns = new Map<string, ChargeEvent>();
  const now = Temporal.Now.instant();
  const sold = instantOf(soldAt) ?? now.subtract({ hours: 30 * 24 });
  // Allows for clock differences and the repeated hour in autumn.
  const spans = spansBetween(sold.subtract({ hours: 2 }), now.add({ hours: 2 }));
  for (const span of invoice === "" ? [] : spans) {
    const newestFirst = await listTransactions(account, span, invoice);
    for (const each of newestFirst.toReversed())
      if (each["ssl_transaction_type"] === "RETURN" && each["ssl_invoice_number"] === invoice)
        returns.set(each["ssl_txn_id"] ?? "", returnOf(each));
  }
  return [...returns.values()];
}

function returnOf(listed: Transaction): ChargeEvent {
  const amountCents = centsFromDollars(listed["ssl_amount"] ?? "");
  if (amountCents === null) throw new NoResponse("Converge gave no amount for a return.");
  return {
    kind: "refund",
    amountCents,
    on: instantOf(listed["ssl_txn_time"] ?? "")?.toString() ?? null,
    processorId: listed["ssl_txn_id"] ?? "",
    reference: null, // a return has the sale's
  };
}

export async function voidOrReturn(
  account: Account,
  found: Transaction,
  request: WantedReturn,
): Promise<RefundOutcome> {
  const { isRest, wasAskedBefore } = request;
  if (isReversed(found))
    return isRest
      ? { kind: "done", how: "voided", processorId: found["ssl_txn_id"] }
      : refuseAboveRest(zero);
  if (found["ssl_trans_status"] !== "STL")
    return isPart(request)
      ? refusePartUntilSettled("Converge")
      : await requestReturnOrVoid(account, found, null);
  if (wasAskedBefore && isAmongReturns(request, await returnsOf(account, found)))
    return { kind: "done", how: "refunded" };
  let isListed = false;
  const returned = await refundRest(
    request,
    (rest) => requestReturnOrVoid(account, found, rest),
    async () => {
      const since = await returnsOf(account, found);
      isListed = since.length > 0;
      return since;
    },
  );
  if (returned.kind !== "refused" || returned.exceedsRest !== true || !wasAskedBefore || !isRest)
    return returned;
  // Our return was carried out and its answer was lost: it is not listed yet.
  return isListed ? unknown(returned.message) : { kind: "done", how: "refunded" };
}

type WantedReturn = Pick<
  RefundRequest,
  "amountCents" | "chargedCents" | "isRest" | "otherRefunds" | "wasAskedBefore"
>;

/**
 * A return does not have our reference. If more returns of this amount are listed than we know of, one of
 * them is the return whose answer was lost.
 */
function isAmongReturns({ amountCents, otherRefunds }: WantedReturn, returns: ChargeEvent[]) {
  const known = otherRefunds.filter((other) => other === amountCents);
  return returns.filter((each) => each.amountCents === amountCents).length > known.length;
}

/** Return an amount of a settled sale, or void one that is not settled. */
async function requestReturnOrVoid(
  account: Account,
  found: Transaction,
  amountCents: Cents | null,
): Promise<RefundOutcome> {
  const transactionId = found["ssl_txn_id"] ?? "";
  const [reply] = await callGateway(account, {
    ssl_transaction_type: amountCents === null ? "ccvoid" : "ccreturn",
    ssl_txn_id: transactionId,
    ...(amountCents !== null && { ssl_amount: dollarsText(amountCents) }),
  });
  const code = codeOf(reply);
  if (reply?.["ssl_result"] === "0")
    return amountCents === null
      ? { kind: "done", how: "voided", processorId: transactionId }
      : { kind: "done", how: "refunded", processorId: reply["ssl_txn_id"] };
  if (code === "5091") return { kind: "refused", message: returnedAtConverge, exceedsRest: true };
  // 5040: the batch has closed since, or the sale was voided before: the next query shows which.
  if (!code || unsureCodes.test(code) || /^(4018|5040)$/.test(code))
    return unknown(sentence(messageOf(reply), "Converge did not confirm it."));
  return {
    kind: "refused",
    message: `Converge refused: ${sentence(messageOf(reply), `code ${code}.`)}`,
  };
}

const returnedAtConverge =
  "Converge says that this payment was already returned there, in whole or in part. Check there how much is left, and adjust the balances here.";
