import type { Activity } from "./contract.ts";
import { recordLabels } from "./shapes.ts";

/** For bulk changes such as an import. */
const pluralLabels: Record<string, string> = { attorney: "Attorneys", matter: "Referrals" };

/** A record's name: "Maya Okafor", "Check 1020 of $50.00"; else its kind. */
export function recordTitle({ recordType, recordId, recordName }: Activity): string {
  if (recordName !== null) return recordName;
  const many = recordId === null ? pluralLabels[recordType] : undefined;
  return many ?? recordLabels[recordType] ?? recordType;
}

/** A record's kind and attorney, if the title does not say: "Payment of Maya Okafor". */
export function recordKind({ recordType, recordName, attorneyName }: Activity): string | null {
  if (recordName === null || recordType === "sign-in") return null; // the action says it
  if (recordType === "enrolment" && attorneyName !== null) return `${attorneyName}'s subscription`;
  const word = recordLabels[recordType] ?? recordType;
  return attorneyName === null || attorneyName === recordName ? word : `${word} of ${attorneyName}`;
}

/** Kinds with a page for each record. */
const ownPagesOf: Record<string, string> = {
  matter: "/admin/matters",
  plan: "/admin/plans",
  firm: "/admin/firms",
  "received check": "/admin/checks",
  deposit: "/admin/deposits",
};

/** Pages of kinds that have no attorney. */
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

/** The address that shows a record: its own page, its attorney's, or its kind's. Null if there is none. */
export function recordAddress({
  recordType,
  recordId,
  recordName,
  attorneyId,
}: Pick<Activity, "recordType" | "recordId" | "recordName" | "attorneyId">): string | null {
  // A check's payment has the same kind; the name tells them apart (record-names.ts).
  if (recordType === "payment" && recordName?.startsWith("Card payment"))
    return `/admin/card-payments/${recordId}`;
  const ownPages = recordId === null ? undefined : ownPagesOf[recordType];
  if (ownPages !== undefined) return `${ownPages}/${recordId}`;
  if (attorneyId !== null && !recordType.startsWith("data export"))
    return `/admin/attorneys/${attorneyId}`;
  return pages[recordType] ?? null;
}
