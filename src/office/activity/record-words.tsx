import type { Activity } from "./contract.ts";
import { recordLabels } from "./shapes.ts";

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
  if (recordName === null || recordType === "sign-in") return null; // what was done says so
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
  books: "/admin/journal",
  "card settings": "/admin/settings/card-payments",
  webhook: "/admin/settings/integrations",
  network: "/admin/settings",
  "API token": "/admin/settings/integrations",
  user: "/admin/settings/people",
  "sign-in": "/admin/settings/people",
};

/** Where a record is shown: on its own page, its attorney's, or where its kind is; null where nowhere. */
export function recordAddress({
  recordType,
  recordId,
  recordName,
  attorneyId,
}: Pick<Activity, "recordType" | "recordId" | "recordName" | "attorneyId">): string | null {
  // A check's payment has the same kind; the server names each (record-names.ts).
  if (recordType === "payment" && recordName?.startsWith("Card payment"))
    return `/admin/card-payments/${recordId}`;
  const ownPages = recordId === null ? undefined : ownPagesOf[recordType];
  if (ownPages !== undefined) return `${ownPages}/${recordId}`;
  if (attorneyId !== null && !recordType.startsWith("data export"))
    return `/admin/attorneys/${attorneyId}`;
  return pages[recordType] ?? null;
}
