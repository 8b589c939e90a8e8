import type { Activity } from "./contract.ts";

/** The kinds of records that people change, as the screens call them. */
export const recordLabels: Record<string, string> = {
  attorney: "Attorney",
  matter: "Referral",
  plan: "Subscription",
  firm: "Firm",
  enrolment: "Lawyer's subscription",
  debit: "Debit",
  charge: "Charge",
  payment: "Payment",
  "received check": "Check",
  deposit: "Deposit",
  "unapplied payment": "Unapplied charge",
  "card session": "Card form",
  "billing run": "Billing run",
  "data export": "Report",
  "data export schedule": "Repeated report",
  network: "Network settings",
  "card settings": "Card processor",
  user: "Account",
  "sign-in": "Sign-ins",
};

/** Actions that the audit trail names as processors do, or as the record's own doing, as the screens say them. */
const actionWords: Record<string, string> = {
  "captured card payment": "received card payment",
  "left the panel": "marked as left",
  "returned to the panel": "took back on the panel",
};

/** What was done, after who did it: "archived". */
export const actionAfterName = (action: string): string => actionWords[action] ?? action;

/** What was done: "Archived". */
export function actionTitle(action: string): string {
  const words = actionAfterName(action);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Many at once, as an import changes them. */
const pluralLabels: Record<string, string> = { attorney: "Attorneys", matter: "Referrals" };

/** What a record is known by: "Maya Okafor", "Check 1020 of $50.00"; else its kind. */
export function recordTitle({ recordType, recordId, recordName }: Activity): string {
  if (recordName !== null) return recordName;
  const many = recordId === null ? pluralLabels[recordType] : undefined;
  return many ?? recordLabels[recordType] ?? recordType;
}

/** What kind of record it is and whose, where the title does not say so: "Payment of Maya Okafor". */
export function recordKind({ recordType, recordName, attorneyName }: Activity): string | null {
  if (recordName === null) return null;
  const word = recordLabels[recordType] ?? recordType;
  return attorneyName === null || attorneyName === recordName ? word : `${word} of ${attorneyName}`;
}

/** Kinds whose records have pages of their own. */
const ownPagesOf: Record<string, string> = {
  matter: "/admin/matters",
  plan: "/admin/plans",
  firm: "/admin/firms",
  "received check": "/admin/checks",
  deposit: "/admin/deposits",
};

/** Where each kind is shown that has a page but no owner. */
const pages: Record<string, string> = {
  attorney: "/admin/attorneys",
  matter: "/admin/matters",
  plan: "/admin/subscriptions",
  charge: "/admin/attorneys",
  firm: "/admin/firms",
  "billing run": "/admin/subscriptions",
  "data export": "/admin/reports",
  "data export schedule": "/admin/reports",
  "card settings": "/admin/settings/card-payments",
  network: "/admin/settings",
  user: "/admin/settings/people",
  "sign-in": "/admin/settings/people",
};

/** Where a record is shown: on its own page, its attorney's, or where its kind is; null where nowhere. */
export function recordAddress({ recordType, recordId, attorneyId }: Activity): string | null {
  const ownPages = recordId === null ? undefined : ownPagesOf[recordType];
  if (ownPages !== undefined) return `${ownPages}/${recordId}`;
  if (attorneyId !== null && !recordType.startsWith("data export"))
    return `/admin/attorneys/${attorneyId}`;
  return pages[recordType] ?? null;
}
