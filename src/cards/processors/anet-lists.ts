import { Temporal } from "temporal-polyfill";
import { centsFromDollars } from "#kit/domain/money.ts";
import {
  callGateway,
  cardOf,
  detailsOf,
  isOk,
  problemCode,
  problemText,
} from "#cards/processors/anet-gateway.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import type { Account } from "#cards/processors/processor.ts";
import { listAt, NoResponse, textAt } from "#cards/processors/send-request.ts";
import { spansBetween } from "#cards/processors/time-spans.ts";
import { sentence } from "#cards/processors/wording.ts";

/*
 * Authorize.Net's lists: unsettled transactions and settled batches. They do not say which charge a refund
 * belongs to; its details do.
 */

/**
 * The id of the charge with our invoice number since an instant. A refund made there may have its charge's
 * number.
 */
export const findCharge = async (account: Account, invoice: string, since: string) =>
  await findId(account, since, (each) => hasInvoice(each, invoice) && !isRefund(each));

/** The id of the refund requested under our reference, whatever its outcome. */
export const findOurRefund = async (account: Account, invoice: string, since: string) =>
  await findId(account, since, (each) => hasInvoice(each, invoice));

const hasInvoice = (listed: unknown, invoice: string) =>
  textAt(listed, "invoiceNumber") === invoice;

async function findId(
  account: Account,
  since: string,
  isSought: (listed: unknown) => boolean,
): Promise<string | null> {
  for await (const listed of listTransactions(account, since))
    if (isSought(listed)) return textAt(listed, "transId");
  return null;
}

/**
 * The refunds of a settled charge that were or will be carried out, made here or elsewhere: refunds to its card
 * that refer to it. `startedAt`: when the charge was made.
 */
export async function refundsOf(
  account: Account,
  charge: unknown,
  startedAt: string,
): Promise<ChargeEvent[]> {
  const { lastFour } = cardOf(charge);
  const since = textAt(charge, "batch", "settlementTimeUTC") || startedAt;
  const refunds = new Map<string, ChargeEvent>();
  for await (const listed of listTransactions(account, since, hasRefunds)) {
    const id = textAt(listed, "transId");
    const isOfCard = textAt(listed, "accountNumber").endsWith(lastFour);
    if (!isRefund(listed) || !isOfCard || refunds.has(id)) continue;
    const details = await detailsOf(account, id);
    if (textAt(details, "refTransId") === textAt(charge, "transId"))
      refunds.set(id, refundOf(details));
  }
  return [...refunds.values()];
}

/** Neither voided nor failed: those have other statuses. */
const isRefund = (listed: unknown) =>
  /^refund(PendingSettlement|SettledSuccessfully)$/.test(textAt(listed, "transactionStatus"));

/** Unconfirmed: whether statistics are always given. Without them, the batch is read. */
function hasRefunds(batch: unknown): boolean {
  const statistics = listAt(batch, "statistics");
  return (
    statistics.length === 0 || statistics.some((each) => Number(textAt(each, "refundCount")) > 0)
  );
}

function refundOf(details: unknown): ChargeEvent {
  const amountCents = centsFromDollars(textAt(details, "authAmount"));
  if (amountCents === null) throw new NoResponse("Authorize.Net gave no amount for a refund.");
  return {
    kind: "refund",
    amountCents,
    on: textAt(details, "submitTimeUTC") || null,
    processorId: textAt(details, "transId"),
    reference: textAt(details, "order", "invoiceNumber") || null,
  };
}

/** Unsettled transactions, then those settled since an instant, in the wanted batches. */
async function* listTransactions(
  account: Account,
  since: string,
  isWanted: (batch: unknown) => boolean = () => true,
): AsyncGenerator {
  yield* pagesOf(account, "getUnsettledTransactionList", { status: "any" });
  for await (const batch of batchesSince(account, since))
    if (isWanted(batch))
      yield* pagesOf(account, "getTransactionList", { batchId: textAt(batch, "batchId") });
}

async function* batchesSince(account: Account, since: string): AsyncGenerator {
  const first = Temporal.Instant.from(since).subtract({ hours: 1 });
  for (const { from, to } of spansBetween(first, Temporal.Now.instant().add({ hours: 1 }))) {
    const batches = await callGateway(account, "getSettledBatchList", {
      includeStatistics: "true",
      firstSettlementDate: secondsOnly(from),
      lastSettlementDate: secondsOnly(to),
    });
    expectList(batches, "The list of batches was refused.");
    yield* listAt(batches, "batchList");
  }
}

const secondsOnly = (instant: Temporal.Instant) => instant.toString({ smallestUnit: "second" });
const pageSize = 1000;

export const page = (limit: number, offset: number) => ({
  sorting: { orderBy: "submitTimeUTC", orderDescending: true },
  paging: { limit: String(limit), offset: String(offset) },
});

async function* pagesOf(account: Account, call: string, which: object): AsyncGenerator {
  for (let number = 1; ; number += 1) {
    const answer = await callGateway(account, call, { ...which, ...page(pageSize, number) });
    expectList(answer, "The list of transactions was refused.");
    const listed = listAt(answer, "transactions");
    yield* listed;
    if (listed.length < pageSize) return;
  }
}

/** "No records found" and an offset beyond the end are answers; any other problem leaves the list unknown. */
function expectList(answer: unknown, usual: string): void {
  if (!isOk(answer) && !/^(E00040|E00094|I00004)$/.test(problemCode(answer)))
    throw new NoResponse(sentence(problemText(answer), usual));
}
