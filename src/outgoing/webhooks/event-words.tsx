import type { EventType } from "./contract.ts";

/** What each type of event says, in the words of the screens. */
export const eventLabels: Record<EventType, string> = {
  "payment.recorded": "Payment recorded",
  "payment.approved": "Payment approved, or card charged",
  "payment.denied": "Payment denied, or card declined",
  "payment.returned": "Payment returned: a bounced check, or a charge that was never collected",
  "payment.refunded": "Card payment refunded, whole or in part",
  "payment.charged_back": "Card payment charged back by the payer's bank",
  "debit.created": "Debit made, by billing or by a charge",
  "matter.referred": "Referral given to an attorney",
  "report.filed": "Status report filed",
  "attorney.suspended": "Attorney suspended",
  "attorney.reinstated": "Attorney's suspension lifted",
  "attorney.paused": "Attorney went on vacation",
};

const labels: Record<string, string> = { ...eventLabels, ping: "Test" };

/** A delivery may be of a type that only a later version knows. */
export const eventLabel = (type: string): string => labels[type] ?? type;

/** The address without what every one begins with. */
export const shortUrl = (url: string): string => url.replace(/^https:\/\//, "");
