import { dollarsText } from "#domain/money.ts";
import type { WireAnswer } from "../desk.ts";
import { textAt, type Tree } from "../tree.ts";
import { answer, nothingFound, refusal, successful } from "./answers.ts";
import { isInOpenBatch, type Ledger, type Transaction } from "./ledger.ts";
import { accountTypeOf } from "./transaction-answers.ts";

/** Which transactions a merchant may see: their own, and only those already listed. */
export interface View {
  ledger: Ledger;
  login: string;
  /** Milliseconds since 1970. */
  listedUntil: number;
}

export function transactionDetails(view: View, body: Tree): WireAnswer {
  const found = visible(view).find(({ transId }) => transId === textAt(body, "transId"));
  if (!found) return refusal("E00040", "The record cannot be found.", textAt(body, "refId"));
  const batch = view.ledger.batches.get(found.batchId ?? "");
  return answer({
    transaction: {
      transId: found.transId,
      refTransId: found.refTransId,
      ...submitted(found),
      transactionType: found.type,
      transactionStatus: found.status,
      responseCode: Number(found.verdict.responseCode),
      responseReasonCode: Number(found.verdict.reason),
      responseReasonDescription: found.verdict.text,
      authCode: found.authCode,
      AVSResponse: found.avs,
      cardCodeResponse: found.cvv,
      ...(batch && {
        batch: {
          batchId: batch.batchId,
          settlementTimeUTC: batch.settledAt,
          settlementTimeLocal: batch.settledAt.replace("Z", ""),
          settlementState: "settledSuccessfully",
        },
      }),
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
      customer: found.customer,
      billTo: found.billTo,
    },
    refId: textAt(body, "refId"),
    messages: successful,
  });
}

export function unsettledList(view: View, body: Tree): WireAnswer {
  const isHeldOnly = textAt(body, "status") === "pendingApproval";
  const open = visible(view).filter(isInOpenBatch);
  return listAnswer(
    isHeldOnly ? open.filter(({ status }) => status.startsWith("FDS")) : open,
    body,
  );
}

export function batchTransactions(view: View, body: Tree): WireAnswer {
  const batchId = textAt(body, "batchId");
  const batch = view.ledger.batches.get(batchId ?? "");
  if (batch?.login !== view.login) return refusal("E00040", "The record cannot be found.");
  return listAnswer(
    visible(view).filter((each) => each.batchId === batchId),
    body,
  );
}

const longestRangeMs = 31 * 86_400_000;

export function settledBatches(view: View, body: Tree): WireAnswer {
  const first = Date.parse(textAt(body, "firstSettlementDate") ?? "");
  const last = Date.parse(textAt(body, "lastSettlementDate") ?? "");
  if (last - first > longestRangeMs || last < first) {
    return refusal("E00013", "The settlement date range is invalid.", textAt(body, "refId"));
  }
  const batches = view.ledger.batches.values().filter(({ login, settledAt }) => {
    const at = Date.parse(settledAt);
    return login === view.login && !(at < first) && !(at > last); // an absent bound is NaN: no bound
  });
  return answer({
    ...(batches.length > 0 && {
      batchList: batches.map(({ batchId, settledAt }) => ({
        batchId,
        settlementTimeUTC: settledAt,
        settlementTimeLocal: settledAt.replace("Z", ""),
        settlementState: "settledSuccessfully",
        paymentMethod: "creditCard",
      })),
    }),
    refId: textAt(body, "refId"),
    messages: batches.length > 0 ? successful : nothingFound,
  });
}

function visible({ ledger, login, listedUntil }: View): Transaction[] {
  return ledger.transactions
    .values()
    .filter((each) => each.login === login && each.at <= listedUntil);
}

/** `offset` counts pages from 1. */
function listAnswer(transactions: Transaction[], body: Tree): WireAnswer {
  const limit = Number(textAt(body, "paging", "limit") ?? "1000");
  const page = Number(textAt(body, "paging", "offset") ?? "1");
  if (!(limit >= 1 && limit <= 1_000 && page >= 1 && page <= 100_000)) {
    return refusal(
      "E00094",
      "The specified paging limit or offset is invalid.",
      textAt(body, "refId"),
    );
  }
  const isDescending = ["true", "1"].includes(textAt(body, "sorting", "orderDescending") ?? "");
  const sorted = isDescending ? transactions.toReversed() : transactions; // they are kept oldest first
  const shown = sorted.slice((page - 1) * limit, page * limit);
  return answer({
    transactions: shown.length > 0 ? shown.map(summary) : undefined,
    totalNumInResultSet: transactions.length,
    refId: textAt(body, "refId"),
    messages: shown.length > 0 ? successful : nothingFound,
  });
}

function summary(transaction: Transaction) {
  return {
    transId: transaction.transId,
    ...submitted(transaction),
    transactionStatus: transaction.status,
    invoiceNumber: transaction.invoiceNumber,
    firstName: transaction.billTo?.["firstName"],
    lastName: transaction.billTo?.["lastName"],
    accountType: accountTypeOf(transaction.card),
    accountNumber: `XXXX${transaction.card.last4}`,
    settleAmount: dollarNumber(transaction),
    marketType: "eCommerce",
    product: "Card Not Present",
  };
}

function submitted({ at }: Transaction) {
  const submitTimeUTC = new Date(at).toISOString();
  return { submitTimeUTC, submitTimeLocal: submitTimeUTC.replace("Z", "") };
}

/** Reports write amounts as numbers, other than the answers to a charge. */
function dollarNumber({ amountCents }: Transaction): number {
  return Number(dollarsText(amountCents));
}
