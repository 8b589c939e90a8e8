import { dollarsText, sum } from "#kit/domain/money.ts";
import type { HttpAnswer } from "../call-handler.ts";
import { textAt } from "../json.ts";
import { answer, nothingFound, refusal, successful } from "./answers.ts";
import { type AnetRequest, isInOpenBatch, type Transaction } from "./store.ts";
import { accountTypeOf } from "./transaction-answers.ts";

export function transactionDetails(request: AnetRequest): HttpAnswer {
  const { store, refId, body } = request;
  const found = visible(request).find(({ transId }) => transId === textAt(body, "transId"));
  if (!found) return refusal("E00040", "The record cannot be found.", refId);
  const batch = store.batches.get(found.batchId ?? "");
  return answer({
    transaction: {
      transId: found.transId,
      refTransId: found.refTransId,
      ...submitTimes(found),
      transactionType: found.type,
      transactionStatus: found.status,
      responseCode: Number(found.outcome.responseCode),
      responseReasonCode: Number(found.outcome.reason),
      responseReasonDescription: found.outcome.text,
      authCode: found.authCode,
      AVSResponse: found.avs,
      cardCodeResponse: found.cvv,
      ...(batch && { batch: batchJson(batch) }),
      order: { invoiceNumber: found.invoiceNumber, description: found.description },
      requestedAmount: found.requestedCents && Number(dollarsText(found.requestedCents)),
      authAmount: dollarNumber(found),
      settleAmount: dollarNumber(found),
      splitTenderId: found.splitTenderId,
      payment: {
        creditCard: {
          cardNumber: `XXXX${found.card.last4}`,
          expirationDate: "XXXX",
          cardType: accountTypeOf(found.card),
        },
      },
    },
    refId,
    messages: successful,
  });
}

export function unsettledList(request: AnetRequest): HttpAnswer {
  const isHeldOnly = textAt(request.body, "status") === "pendingApproval";
  const open = visible(request).filter(isInOpenBatch);
  return listAnswer(
    request,
    isHeldOnly ? open.filter(({ status }) => status.startsWith("FDS")) : open,
  );
}

export function batchTransactions(request: AnetRequest): HttpAnswer {
  const batchId = textAt(request.body, "batchId") ?? "";
  const batch = request.store.batches.get(batchId);
  if (batch?.login !== request.login) return refusal("E00040", "The record cannot be found.");
  return listAnswer(
    request,
    visible(request).filter((each) => each.batchId === batchId),
  );
}

const maxRangeMs = 31 * 86_400_000;

export function settledBatches({ store, login, refId, body }: AnetRequest): HttpAnswer {
  const first = Date.parse(textAt(body, "firstSettlementDate") ?? "");
  const last = Date.parse(textAt(body, "lastSettlementDate") ?? "");
  if (last - first > maxRangeMs || last < first) {
    return refusal("E00013", "The settlement date range is invalid.", refId);
  }
  const found = store.batches.values().filter((batch) => {
    const at = Date.parse(batch.settledAt);
    return batch.login === login && !(at < first) && !(at > last); // an absent bound is NaN: no bound
  });
  if (found.length === 0) return answer({ refId, messages: nothingFound });
  const withStatistics = textAt(body, "includeStatistics") === "true";
  const batchList = found.map((batch) => ({
    ...batchJson(batch),
    ...(withStatistics && { statistics: statisticsOf(store, batch.batchId) }),
  }));
  return answer({ batchList, refId, messages: successful });
}

/** By card type. */
function statisticsOf(store: AnetRequest["store"], batchId: string): object[] {
  const all = store.transactions.values().filter((each) => each.batchId === batchId);
  const types = new Set(all.map(({ card }) => accountTypeOf(card)));
  return [...types].map((accountType) => {
    const ofType = all.filter(({ card }) => accountTypeOf(card) === accountType);
    const settled = (status: string) => ofType.filter((each) => each.status === status);
    const amountOf = (those: Transaction[]) =>
      Number(dollarsText(sum(those.map(({ amountCents }) => amountCents))));
    const charges = settled("settledSuccessfully");
    const refunds = settled("refundSettledSuccessfully");
    return {
      accountType,
      chargeAmount: amountOf(charges),
      chargeCount: charges.length,
      refundAmount: amountOf(refunds),
      refundCount: refunds.length,
      voidCount: settled("voided").length,
      declineCount: settled("declined").length,
      errorCount: settled("settlementError").length,
    };
  });
}

function batchJson({ batchId, settledAt }: { batchId: string; settledAt: string }) {
  return {
    batchId,
    settlementTimeUTC: settledAt,
    settlementTimeLocal: settledAt.replace("Z", ""),
    settlementState: "settledSuccessfully",
  };
}

function visible({ store, login, listedUntil }: AnetRequest): Transaction[] {
  return store.transactions
    .values()
    .filter((each) => each.login === login && each.at <= listedUntil);
}

/** `offset` counts pages from 1. */
function listAnswer({ body, refId }: AnetRequest, transactions: Transaction[]): HttpAnswer {
  const limit = Number(textAt(body, "paging", "limit") ?? "1000");
  const page = Number(textAt(body, "paging", "offset") ?? "1");
  if (!(limit >= 1 && limit <= 1_000 && page >= 1 && page <= 100_000)) {
    return refusal("E00094", "The specified paging limit or offset is invalid.", refId);
  }
  const isDescending = ["true", "1"].includes(textAt(body, "sorting", "orderDescending") ?? "");
  const sorted = isDescending ? transactions.toReversed() : transactions;
  const shown = sorted.slice((page - 1) * limit, page * limit);
  return answer({
    transactions: shown.length > 0 ? shown.map(summary) : undefined,
    totalNumInResultSet: transactions.length,
    refId,
    messages: shown.length > 0 ? successful : nothingFound,
  });
}

function summary(transaction: Transaction) {
  return {
    transId: transaction.transId,
    ...submitTimes(transaction),
    transactionStatus: transaction.status,
    invoiceNumber: transaction.invoiceNumber,
    accountType: accountTypeOf(transaction.card),
    accountNumber: `XXXX${transaction.card.last4}`,
    settleAmount: dollarNumber(transaction),
  };
}

function submitTimes({ at }: Transaction) {
  const submitTimeUTC = new Date(at).toISOString();
  return { submitTimeUTC, submitTimeLocal: submitTimeUTC.replace("Z", "") };
}

/** Reports write amounts as numbers, unlike the answers to a charge. */
function dollarNumber({ amountCents }: Transaction): number {
  return Number(dollarsText(amountCents));
}
