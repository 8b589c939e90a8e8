import type { Outcome } from "./contract.ts";

/** The outcomes of a status report, as shown on screens. */
export const outcomeWords: Record<Outcome, string> = {
  consulted: "Consulted",
  retained: "Retained",
  could_not_reach: "Could not reach",
  not_retained: "Not retained",
  closed: "Closed",
};
