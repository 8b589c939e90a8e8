import type { WireAnswer } from "../desk.ts";
import { at, textAt, type Tree } from "../tree.ts";
import { refusal } from "./answers.ts";
import { capture, charge } from "./charge.ts";
import { refund, voidCharge } from "./void-and-refund.ts";
import type { Counter, Merchant } from "./wanted.ts";

const doers: Record<string, typeof charge> = {
  authCaptureTransaction: charge,
  authOnlyTransaction: charge,
  priorAuthCaptureTransaction: capture,
  voidTransaction: voidCharge,
  refundTransaction: refund,
};

/** createTransactionRequest: charge, authorise, capture, void, refund. */
export function createTransaction(counter: Counter, merchant: Merchant, body: Tree): WireAnswer {
  const wanted = at(body, "transactionRequest");
  const refId = textAt(body, "refId");
  const act = doers[textAt(wanted, "transactionType") ?? ""];
  if (!act) return refusal("E00013", "The transaction type is invalid.", refId);
  return act(counter, merchant, wanted, refId);
}
