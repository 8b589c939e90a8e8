import type { EventType } from "./contract.ts";

/** The label of each event type on screens. */
export const eventLabels: Record<EventType, string> = {
  "payment.recorded": "Payment recorded",
  "payment.approved": "Payment approved, or card charged",
  "payment.denied": "Payment denied, or card declined",
  "payment.returned": "Payment returned: a bounced check, or a charge that was never collected",
  "payment.refunded": "Card payment refunded in full or in part",
  "payment.charged_back": "Card payment charged back by the payer's bank",
  "debit.created": "Debit created by billing or a charge",
  "matter.referred": "Referral made to an attorney",
  "report.filed": "Status report filed",
  "attorney.suspended": "Attorney suspended",
  "attorney.reinstated": "Attorney's suspension lifted",
  "attorney.paused": "Attorney went on vacation",
};

const labels: Record<string, string> = { ...eventLabels, ping: "Test" };

/** An unknown type, such as one from a later version, is its own label. */
export const eventLabel = (type: string): string => labels[type] ?? type;

/** The address without `https://`. */
export const shortUrl = (url: string): string => url.replace(/^https:\/\//, "");
