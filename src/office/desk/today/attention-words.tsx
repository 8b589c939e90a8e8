import type { Attention, AttentionKind } from "./contract.ts";

/** The words after the count, singular and plural. */
const words: Record<AttentionKind, [one: string, several: string]> = {
  checks_to_confirm: ["check to confirm", "checks to confirm"],
  held_money: ["part of a check held for its payer", "parts of checks held for their payers"],
  referrals_without_attorney: ["referral without an attorney", "referrals without an attorney"],
  overdue_reports: ["overdue report", "overdue reports"],
  suspended_attorneys: ["suspended attorney", "suspended attorneys"],
  card_payments_held: ["card payment held for review", "card payments held for review"],
  card_chargebacks: ["chargeback to look at", "chargebacks to look at"],
  card_refunds_failed: ["card refund that failed", "card refunds that failed"],
  card_settlements_failed: [
    "card payment that failed at settlement",
    "card payments that failed at settlement",
  ],
  due_but_not_billed: ["debit due but not billed", "debits due but not billed"],
  reports_failed: ["report could not be made", "reports could not be made"],
  reports_ready: ["report is ready", "reports are ready"],
  emails_refused: ["attorney whose email is refused", "attorneys whose email is refused"],
  mail_not_sent: ["email could not be sent", "emails could not be sent"],
};

export function attentionWords({ kind, count }: Attention): string {
  const [one, several] = words[kind];
  return count === 1 ? one : several;
}

/** "oldest 3 days", "2 new this week"; null if neither applies. */
export function attentionDetail({ since, recent }: Attention, now: number): string | null {
  if (recent !== undefined)
    return recent > 0 ? `${recent.toLocaleString("en-US")} new this week` : null;
  return since === undefined ? null : `oldest ${ageWords(since, now)}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago an instant (ISO 8601) was: "less than an hour", "5 hours", "3 days". */
function ageWords(instant: string, now: number): string {
  const age = now - Date.parse(instant);
  if (age < hour) return "less than an hour";
  if (age < day) return counted(Math.floor(age / hour), "hour");
  return counted(Math.floor(age / day), "day");
}

/** "just now", "5 min ago", "3 h ago"; null after a day. */
export function agoWords(instant: string, now: number): string | null {
  const age = now - Date.parse(instant);
  if (age < minute) return "just now";
  if (age < hour) return `${Math.floor(age / minute)} min ago`;
  return age < day ? `${Math.floor(age / hour)} h ago` : null;
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
