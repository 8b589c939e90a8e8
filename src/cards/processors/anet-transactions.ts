import { centsFromDollars } from "#kit/domain/money.ts";
import { callGateway, cardOf, detailsOf, unknown } from "#cards/processors/anet-gateway.ts";
import { findCharge, refundsOf } from "#cards/processors/anet-lists.ts";
import { voidOf } from "#cards/processors/charge-events.ts";
import type {
  Account,
  Captured,
  Charge,
  LookUpOutcome,
  RefundOutcome,
  UnknownOutcome,
} from "#cards/processors/processor.ts";
import { textAt } from "#cards/processors/send-request.ts";
import { declinedByBank, sentence } from "#cards/processors/wording.ts";

export async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const id =
    sought.transactionId ?? (await findCharge(account, sought.reference, sought.startedAt));
  if (!id) return { kind: "missing" };
  return await outcomeOfDetails(account, await detailsOf(account, id), sought);
}

async function outcomeOfDetails(
  account: Account,
  transaction: unknown,
  sought: Charge,
): Promise<LookUpOutcome> {
  const transactionId = textAt(transaction, "transId");
  const status = textAt(transaction, "transactionStatus");
  const amount = centsFromDollars(textAt(transaction, "authAmount"));
  // On its way to the bank it cannot be voided any more; it is posted with its amount.
  const isPart = amount !== null && amount < sought.amountCents && isApprovedAndOpen(status);
  const charged = { transactionId, amountCents: amount ?? sought.amountCents, card: null };
  const voided = { kind: "approved" as const, ...charged, since: [voidOf(charged)] };
  if (isPart || status === heldInPart)
    return (await voidPart(account, transactionId, sought)) ?? voided;
  switch (status) {
    case "capturedPendingSettlement":
    case "pendingSettlement":
    case "pendingFinalSettlement":
    case "settledSuccessfully":
    case "approvedReview":
    case "updatingSettlement":
      if (amount === null) return { ...unknown("Authorize.Net gave no amount."), transactionId };
      return {
        kind: "approved",
        transactionId,
        amountCents: amount,
        card: cardOf(transaction),
        ...(status === "settledSuccessfully" && {
          since: await refundsOf(account, transaction, sought.startedAt),
        }),
      };
    case "voided":
      return voided;
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

/** A partial approval, held until another card pays the rest. We never split a payment. */
const heldInPart = "authorizedPendingRelease";

const isApprovedAndOpen = (status: string) => /^(authorized|captured)Pending/.test(status);
/** Also charges that wait for review (FDS). */
export const isVoidable = (status: string) => isApprovedAndOpen(status) || status.startsWith("FDS");

/** Void an approval of only part of the amount. Null once it is voided; unknown until then. */
export async function voidPart(
  account: Account,
  transactionId: string,
  { reference }: Charge,
): Promise<UnknownOutcome | null> {
  const voided = await voidWhole(account, { transactionId, reference });
  return voided.kind === "done"
    ? null
    : { ...unknown("A partial approval has not been voided yet."), transactionId };
}

/** Void a charge. Unknown if that was refused. */
export async function voidWhole(
  account: Account,
  captured: Pick<Captured, "transactionId" | "reference">,
): Promise<RefundOutcome> {
  const answer = await callGateway(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: { transactionType: "voidTransaction", refTransId: captured.transactionId },
  });
  const reason = textAt(answer, "transactionResponse", "errors", 0, "errorCode");
  if (textAt(answer, "transactionResponse", "responseCode") === "1" || reason === "310")
    return { kind: "done", how: "voided", processorId: captured.transactionId };
  // The batch may have closed since: the next look finds the charge settled and refunds it.
  return unknown(
    sentence(
      textAt(answer, "transactionResponse", "errors", 0, "errorText"),
      "The void was refused.",
    ),
  );
}
