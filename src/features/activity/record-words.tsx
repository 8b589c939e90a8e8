import type { Activity } from "./contract.ts";

/** The kinds of records that people change, as the screens call them. */
export const recordWords: Record<string, string> = {
  attorney: "Attorney",
  matter: "Referral",
  plan: "Subscription",
  enrolment: "Lawyer's subscription",
  debit: "Debit",
  payment: "Payment",
  "billing run": "Billing run",
  network: "Network settings",
  user: "Account",
};

/** "Attorney 12", "Network settings". */
export function recordTitle({ recordType, recordId }: Activity): string {
  const word = recordWords[recordType] ?? recordType;
  return recordId === null || recordType === "network" ? word : `${word} ${recordId}`;
}

/** Where a record is shown, or null where it has no page. */
export function recordAddress({ recordType, recordId, before, after }: Activity): string | null {
  if (recordType === "attorney" && recordId) return `/admin/attorneys/${recordId}`;
  if (recordType === "matter" && recordId) return `/admin/matters/${recordId}`;
  if (recordType === "plan" || recordType === "billing run") return "/admin/subscriptions";
  if (recordType === "network") return "/admin/settings";
  const attorneyId = attorneyIn(after) ?? attorneyIn(before);
  return attorneyId === null ? null : `/admin/attorneys/${attorneyId}`;
}

/** The attorney whom an enrolment, a debit or a payment belongs to, where the entry says so. */
function attorneyIn(state: unknown): number | null {
  if (typeof state !== "object" || state === null || !("attorneyId" in state)) return null;
  return typeof state.attorneyId === "number" ? state.attorneyId : null;
}
