import { formatDay, isDay } from "#domain/day.ts";

/** One field of a record, before and after a change; null where it had, or has, no value. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

/** Names that would read badly as they stand; all others are their own words. */
const fieldWords: Record<string, string> = {
  attorneyId: "Attorney number",
  amountCents: "Amount in cents",
  frequencyInMonths: "Months between dues",
  lrsSubscriptionId: "Subscription number",
  overduePeriodInDays: "Overdue period in days",
  overduePeriodsSuspensionThreshold: "Grace period",
  pausedUntil: "On vacation until",
  reportDueOn: "Report due",
  suspended: "Suspended",
  suspendsOverdueAttorneys: "Overdue suspensions",
  addressRegion: "State",
  addressCity: "City",
  addressZip: "Zip",
};

/**
 * What differs between two states of a record, field by field, in words. `after` may hold only what
 * was written; what it does not name stayed as it was, unless the record is gone.
 */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const names = after === null ? [...old.keys()] : [...now.keys()];
  return names
    .map((name) => ({
      field: fieldName(name),
      before: valueWords(old.get(name)),
      after: valueWords(now.get(name)),
    }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(state: unknown): Map<string, unknown> {
  return new Map(typeof state === "object" && state !== null ? Object.entries(state) : []);
}

/** `address_line_1` and `addressLine1` alike: "Address line 1". */
function fieldName(name: string): string {
  const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const words = key
    .replace(/([a-z])([A-Z0-9])/g, "$1 $2")
    .replace(/(\d)([A-Z])/g, "$1 $2")
    .toLowerCase();
  return fieldWords[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function valueWords(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return isDay(value) ? formatDay(value) : value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(valueWords).filter(Boolean).join(", ") || null;
  const parts = [...fieldsOf(value)].map(([name, part]) => `${name} ${valueWords(part) ?? "none"}`);
  return parts.join(", ") || null;
}
