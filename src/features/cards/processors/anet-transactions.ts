import { Temporal } from "temporal-polyfill";
import { centsFromDollars, dollarsText } from "#domain/money.ts";
import type {
  Account,
  Captured,
  Charge,
  RefundOutcome,
  Returned,
  LookUpOutcome,
  UnknownOutcome,
} from "#features/cards/processors/processor.ts";
import {
  valueAt,
  sendRequest,
  isSuccess,
  listAt,
  NoResponse,
  readJson,
  textAt,
} from "#features/cards/processors/send-request.ts";
import { declinedByBank, neverCollected, sentence } from "#features/cards/processors/wording.ts";

/*
 * Authorize.Net's transactions after they were made: its reporting calls, voids and refunds.
 */

/** Make one call. The names of `payload` must be in the schema's order: the gateway reads XML. */
export async function callGateway(
  account: Account,
  call: string,
  payload: object,
): Promise<unknown> {
  const body = {
    [`${call}Request`]: {
      merchantAuthentication: {
        name: account.keys["apiLoginId"],
        transactionKey: account.keys["transactionKey"],
      },
      ...payload,
    },
  };
  const answer = await sendRequest(account.addresses["apiUrl"] ?? "", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: account.timeoutMs,
  });
  const json = readJson(answer);
  if (!isSuccess(answer) || valueAt(json, "messages") === undefined)
    throw new NoResponse(`Authorize.Net answered HTTP ${answer.status}.`);
  return json;
}

export const problemCode = (answer: unknown) => textAt(answer, "messages", "message", 0, "code");
export const problemText = (answer: unknown) => textAt(answer, "messages", "message", 0, "text");
export const isOk = (answer: unknown) => textAt(answer, "messages", "resultCode") === "Ok";

export const unknown = (problem: string) => ({ kind: "unknown" as const, problem });

export async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const id =
    sought.transactionId ?? (await findByInvoice(account, sought.reference, sought.startedAt));
  if (!id) return { kind: "missing" };
  const details = await callGateway(account, "getTransactionDetails", { transId: id });
  if (!isOk(details)) return unknown(sentence(problemText(details), "No details were given."));
  return await outcomeOfDetails(account, valueAt(details, "transaction"), sought);
}

async function outcomeOfDetails(
  account: Account,
  transaction: unknown,
  sought: Charge,
): Promise<LookUpOutcome> {
  const transactionId = textAt(transaction, "transId");
  const status = textAt(transaction, "transactionStatus");
  const amount = centsFromDollars(textAt(transaction, "authAmount"));
  // Once it is on its way to the bank it cannot be voided, and is posted as what it is.
  const isPart = amount !== null && amount < sought.amountCents && isApprovedAndOpen(status);
  if (isPart || status === heldInPart) return await voidPart(account, transactionId, sought);
  switch (status) {
    case "capturedPendingSettlement":
    case "pendingSettlement":
    case "pendingFinalSettlement":
    case "settledSuccessfully":
    case "approvedReview":
    case "updatingSettlement":
      if (amount === null) return { ...unknown("Authorize.Net names no amount."), transactionId };
      return {
        kind: "approved",
        transactionId,
        amountCents: amount,
        card: cardOf(transaction),
        isSettled: status === "settledSuccessfully",
      };
    case "voided":
      return { kind: "given back", transactionId, how: "voided" };
    case "declined":
    case "expired":
    case "failedReview":
    case "generalError":
    case "settlementError": {
      const reason = textAt(transaction, "responseReasonDescription");
      return { kind: "declined", message: sentence(reason, declinedByBank), transactionId };
    }
    default: // held for review, in communication trouble, or a status that we do not know
      return { ...unknown(`Authorize.Net says: ${status || "nothing"}.`), transactionId };
  }
}

/** Approved in part, and held back until the rest is paid with another card: with us, never. */
const heldInPart = "authorizedPendingRelease";

const isApprovedAndOpen = (status: string) => /^(authorized|captured)Pending/.test(status);
/** What waits for a review (FDS) as well. */
const isVoidable = (status: string) => isApprovedAndOpen(status) || status.startsWith("FDS");

/** Take an approval of only a part of the amount back. Until the void is certain, nobody can say. */
export async function voidPart(
  account: Account,
  transactionId: string,
  { reference }: Charge,
): Promise<Returned | UnknownOutcome> {
  const voided = await voidWhole(account, { transactionId, reference });
  return voided.kind === "done"
    ? { kind: "given back", transactionId, how: "voided" }
    : { ...unknown("An approval of only a part has not been voided yet."), transactionId };
}

function cardOf(transaction: unknown) {
  const card = valueAt(transaction, "payment", "creditCard");
  return { brand: textAt(card, "cardType"), lastFour: textAt(card, "cardNumber").slice(-4) };
}

export const page = (limit: number, offset: number) => ({
  sorting: { orderBy: "submitTimeUTC", orderDescending: true },
  paging: { limit: String(limit), offset: String(offset) },
});

/** The transaction with our invoice number: among the unsettled ones, then in the batches since. */
async function findByInvoice(
  account: Account,
  invoice: string,
  since: string,
): Promise<string | null> {
  const unsettled = await findInList(
    account,
    "getUnsettledTransactionList",
    { status: "any" },
    invoice,
  );
  if (unsettled) return unsettled;
  const batches = await callGateway(account, "getSettledBatchList", {
    firstSettlementDate: secondsOnly(Temporal.Instant.from(since).subtract({ hours: 1 })),
    lastSettlementDate: secondsOnly(Temporal.Now.instant().add({ hours: 1 })),
  });
  expectList(batches, "The list of batches was refused.");
  for (const batch of listAt(batches, "batchList")) {
    const batchId = textAt(batch, "batchId");
    const found = await findInList(account, "getTransactionList", { batchId }, invoice);
    if (found) return found;
  }
  return null;
}

const secondsOnly = (instant: Temporal.Instant) => instant.toString({ smallestUnit: "second" });
const pageSize = 1000;

async function findInList(
  account: Account,
  call: string,
  which: object,
  invoice: string,
): Promise<string | null> {
  for (let number = 1; ; number += 1) {
    const answer = await callGateway(account, call, { ...which, ...page(pageSize, number) });
    expectList(answer, "The list of transactions was refused.");
    const listed = listAt(answer, "transactions");
    const found = listed.find((each) => textAt(each, "invoiceNumber") === invoice);
    if (found) return textAt(found, "transId");
    if (listed.length < pageSize) return null;
  }
}

/** "No records found" and an offset beyond the end are answers; any other problem says nothing of what there is. */
function expectList(answer: Awaited<ReturnType<typeof callGateway>>, usual: string): void {
  if (!isOk(answer) && !/^(E00040|E00094|I00004)$/.test(problemCode(answer)))
    throw new NoResponse(sentence(problemText(answer), usual));
}

export async function voidOrRefund(account: Account, captured: Captured): Promise<RefundOutcome> {
  const details = await callGateway(account, "getTransactionDetails", {
    transId: captured.transactionId,
  });
  if (!isOk(details)) return unknown(sentence(problemText(details), "No details were given."));
  const status = textAt(details, "transaction", "transactionStatus");
  if (status === "voided") return { kind: "done", how: "voided" };
  if (isVoidable(status)) return await voidWhole(account, captured);
  if (status === "settlementError") return { kind: "refused", message: neverCollected };
  if (status !== "settledSuccessfully") return unknown(`Authorize.Net says: ${status}.`);
  const made = await findByInvoice(account, captured.reference, captured.requestedAt);
  if (made !== null) return await outcomeOfRefund(account, made);
  return await refundWhole(account, captured, cardOf(valueAt(details, "transaction")).lastFour);
}

/** What became of a refund that was made before, and whose answer was lost. */
async function outcomeOfRefund(account: Account, transactionId: string): Promise<RefundOutcome> {
  const details = await callGateway(account, "getTransactionDetails", { transId: transactionId });
  if (!isOk(details)) return unknown(sentence(problemText(details), "No details were given."));
  const status = textAt(details, "transaction", "transactionStatus");
  if (/^refund(PendingSettlement|SettledSuccessfully)$/.test(status))
    return { kind: "done", how: "refunded" };
  if (/^(declined|expired|generalError|settlementError|voided)$/.test(status))
    return {
      kind: "refused",
      message: `Authorize.Net did not carry the refund out (${status}). It can be asked for again.`,
    };
  return unknown(`Authorize.Net says of the refund: ${status || "nothing"}.`);
}

/** Why a refund that was accepted came to nothing; null while it has not. */
export async function whyRefundFailed(
  account: Account,
  { reference, requestedAt }: Captured,
): Promise<string | null> {
  const made = await findByInvoice(account, reference, requestedAt);
  if (made === null) return null;
  const outcome = await outcomeOfRefund(account, made);
  return outcome.kind === "refused" ? outcome.message : null;
}

async function voidWhole(
  account: Account,
  captured: Pick<Captured, "transactionId" | "reference">,
): Promise<RefundOutcome> {
  const answer = await callGateway(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: { transactionType: "voidTransaction", refTransId: captured.transactionId },
  });
  const reason = textAt(answer, "transactionResponse", "errors", 0, "errorCode");
  if (textAt(answer, "transactionResponse", "responseCode") === "1" || reason === "310")
    return { kind: "done", how: "voided" };
  // The batch may have closed in between: the next look finds it settled and refunds it.
  return unknown(
    sentence(
      textAt(answer, "transactionResponse", "errors", 0, "errorText"),
      "The void was refused.",
    ),
  );
}

async function refundWhole(
  account: Account,
  captured: Captured,
  lastFour: string,
): Promise<RefundOutcome> {
  const answer = await callGateway(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: {
      transactionType: "refundTransaction",
      amount: dollarsText(captured.amountCents),
      payment: {
        creditCard: { cardNumber: lastFour || captured.lastFour, expirationDate: "XXXX" },
      },
      refTransId: captured.transactionId,
      order: { invoiceNumber: captured.reference },
      transactionSettings: {
        setting: [{ settingName: "duplicateWindow", settingValue: "28800" }],
      },
    },
  });
  const made = valueAt(answer, "transactionResponse");
  const reason = textAt(made, "errors", 0, "errorCode");
  // 11: the same refund was sent before, and its answer was lost.
  if (textAt(made, "responseCode") === "1" || reason === "11")
    return { kind: "done", how: "refunded" };
  const says = sentence(
    textAt(made, "errors", 0, "errorText") || problemText(answer),
    "It gave no reason.",
  );
  if (textAt(made, "responseCode") === "2" || /^(54|55|6|16)$/.test(reason))
    return { kind: "refused", message: `Authorize.Net refused the refund: ${says}` };
  return unknown(says);
}
