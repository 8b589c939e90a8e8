import type { Cents } from "#kit/domain/money.ts";

/**
 * The demo's answer depends on the cents of the amount. Elavon's own table is not available, so this one is
 * ours.
 */
export interface CardOutcome {
  message: string;
  isApproved: boolean;
  /** Only half of the amount is approved. */
  isPartial?: boolean;
  /** The merchant's own rules refused a sale that the bank approved: `ssl_trans_status`. */
  failedRule?: "PST" | "FPR";
  callback?: "none" | "time-out before" | "time-out after";
  cvv?: string;
}

const byCents: Record<number, CardOutcome> = {
  5: { message: "DECLINED", isApproved: false },
  14: { message: "DECLINED CVV2", isApproved: false, cvv: "N" },
  54: { message: "EXPIRED CARD", isApproved: false },
  61: { message: "AMT OVER SVC LMT", isApproved: false },
  65: { message: "PARTIAL APPROVAL", isApproved: true, isPartial: true },
  81: { message: "APPROVAL", isApproved: true, failedRule: "PST" },
  82: { message: "APPROVAL", isApproved: true, failedRule: "FPR" },
  91: { message: "APPROVAL", isApproved: true, callback: "none" },
  96: { message: "", isApproved: false, callback: "time-out before" },
  97: { message: "APPROVAL", isApproved: true, callback: "time-out after" },
};

/** The demo declines every other card. Those from the fourth on are ours. */
const testCards = [
  "4000000000000002",
  "5121212121212124",
  "4124939999999990",
  "5105105105105100",
  "4242424242424242",
  "4111111111111111",
  "5555555555554444",
  "378282246310005",
  "6011111111111117",
];

export function outcomeOf(number: string, amountCents: Cents): CardOutcome {
  if (!testCards.includes(number)) return { message: "DECLINED", isApproved: false };
  return byCents[amountCents % 100] ?? { message: "APPROVAL", isApproved: true };
}
