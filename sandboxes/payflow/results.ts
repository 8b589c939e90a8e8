/** `held`: waits for the merchant. `unclear`: the outcome is not known yet. `refused`: nothing was charged. */
export type TransactionState =
  | "verified"
  | "pending"
  | "settled"
  | "failed to settle"
  | "voided"
  | "held"
  | "unclear"
  | "refused";

/** RESPMSG for each RESULT of the sandbox. The texts may vary: integrations should use the numbers. */
const texts: Record<number, string> = {
  0: "Approved",
  1: "User authentication failed",
  2: "Invalid tender type",
  3: "Invalid transaction type",
  4: "Invalid amount format",
  5: "Invalid merchant information",
  6: "Invalid or unsupported currency code",
  7: "Field format error",
  11: "Client time-out waiting for response",
  12: "Declined",
  13: "Referral",
  19: "Original transaction ID not found",
  20: "Cannot find the customer reference number",
  23: "Invalid account number",
  24: "Invalid expiration date",
  25: "Invalid Host Mapping",
  26: "Invalid vendor account",
  27: "Insufficient partner permissions",
  50: "Insufficient funds available in account",
  51: "Exceeds per transaction limit",
  99: "General error",
  102: "Processor not available",
  103: "Error reading response from host",
  104: "Timeout waiting for processor response",
  105: "Credit error",
  106: "Host not available",
  107: "Duplicate suppression time-out",
  108: "Void error",
  109: "Time-out waiting for host response",
  111: "Capture error",
  112: "Failed AVS check",
  114: "Card Security Code (CSC) Mismatch",
  115: "System busy, try again later",
  116: "PNREF lock",
  117: "Failed merchant rule check",
  120: "Attempt to reference a failed transaction",
  125: "Fraud Protection Services Filter: Declined by filters",
  126: "Under review by Fraud Service",
  127: "Not processed by Fraud Service",
  128: "Fraud Protection Services Filter: Declined by merchant after being flagged by filters",
  150: "Issuing bank timed out",
  151: "Issuing bank unavailable",
  160: "Secure Token already been used",
  161: "Transaction using secure token is already in progress",
  162: "Secure Token Expired",
  402: "Unrecognized response",
  404: "Unrecognized response",
  1000: "Generic host error",
};

export function textOf(result: number): string {
  return texts[result] ?? texts[12] ?? "";
}

export function isKnown(result: number): boolean {
  return result in texts;
}

/**
 * A transaction's state after a RESULT: 126 is held by the fraud filters, 127 was not screened by them but
 * processed, and the outcome of a RESULT in no table is unclear.
 */
export function stateAfter(result: number, type: "A" | "S" | "C"): TransactionState {
  if (result === 126) return "held";
  if (result === 402 || result === 404) return "unclear";
  if (result !== 0 && result !== 127) return "refused";
  return type === "A" ? "verified" : "pending";
}
