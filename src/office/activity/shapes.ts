import { cleaned } from "#kit/domain/cleaned.ts";
import { dayOf, formatDay, isDay } from "#kit/domain/day.ts";
import { cents, centsFromDollars, formatMoney } from "#kit/domain/money.ts";

/* The words for changes, on the screens and in the report of the same list. */

/** Kinds of records, as the screens call them. */
export const recordLabels: Record<string, string> = {
  attorney: "Attorney",
  matter: "Referral",
  plan: "Subscription",
  firm: "Firm",
  enrolment: "Attorney's subscription",
  debit: "Debit",
  charge: "Charge",
  payment: "Payment",
  "received check": "Check",
  deposit: "Deposit",
  books: "Books",
  "unapplied payment": "Unapplied charge", // no longer made; old changes remain
  "card session": "Card form",
  "billing run": "Billing run",
  "data export": "Report",
  "data export schedule": "Repeated report",
  network: "Network settings",
  "card settings": "Card processor",
  "API token": "API token",
  webhook: "Webhook",
  user: "Account",
  "sign-in": "Sign-ins",
};

/** Screen words for actions whose stored names read poorly. */
const actionWords: Record<string, string> = {
  "captured card payment": "received card payment",
  "card payment counts again": "received again",
  "card payment failed": "recorded as failed",
  "card payment charged back": "recorded as charged back",
  "chargeback reversed": "recorded as a chargeback won",
  "looked at chargeback": "reviewed after chargeback",
  "made an unapplied charge credit": "kept as credit",
  "made held money credit": "moved held money to credit",
  "gave back held money": "refunded held money",
  "gave back credit": "refunded credit",
  "asked for refund": "requested refund",
  "began card payment": "started card payment",
  "left the panel": "marked as left",
  "returned to the panel": "added back to the panel",
  "asked for a new password": "requested a new password",
  "chose a password by a link": "chose a password with a link",
  "was refused to remove second factor": "was not allowed to remove second factor",
  "called off another email address": "canceled another email address",
  "put away the first steps": "hid the first steps",
  "cancelled report": "canceled report",
};

/** An action after a name: "archived". */
export const actionAfterName = (action: string): string => actionWords[action] ?? action;

/** An action on its own: "Archived". */
export function actionTitle(action: string): string {
  const words = actionAfterName(action);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * One field of a record before and after a change: null if it had or has no value, undefined if the earlier value is
 * unknown, as for a new record.
 */
export interface FieldChange {
  field: string;
  before: string | null | undefined;
  after: string | null;
}

/** Labels of fields whose names make poor words. */
const fieldLabels: Record<string, string> = {
  frequencyInMonths: "Months between dues",
  followupConsent: "Follow-up consent",
  lifted: "Suspensions lifted",
  accountName: "Bank account",
  asked: "Email address requested",
  emailsAsked: "Email addresses requested",
  plan: "Subscription",
  reversed: "Debits reversed",
  referredAt: "Referred",
  closedAt: "Closed",
  permitsMatterEditing: "Editing of referrals permitted",
  overduePeriodInDays: "Overdue period in days",
  overduePeriodsSuspensionThreshold: "Grace period",
  pausedUntil: "On vacation until",
  leftOn: "Left the panel",
  reportDueOn: "Report due",
  accountsReceivable: "Receivables account name",
  duesIncome: "Dues account name",
  otherIncome: "Other income account name",
  undepositedChecks: "Undeposited checks account name",
  bank: "Bank account name",
  cardClearing: "Card clearing account name",
  attorneysCredit: "Attorneys' credit account name",
  held: "Held money account name",
  adjustments: "Adjustments account name",
  appliesCreditAutomatically: "Credit applied automatically",
  returnedCheckFee: "Fee for a returned check",
  chargebackFee: "Fee for a chargeback",
  suspended: "Suspended",
  statementsMailedOnDay: "Statements emailed on day",
  suspendsOverdueAttorneys: "Overdue suspensions",
  lawyersSetOwnVacation: "Lawyers set their own vacation",
  addressRegion: "State",
  addressCity: "City",
  addressZip: "Zip",
};

/** These fields come first, in this order: JSON in the database does not keep ours. */
const fieldOrder = [
  ["firstName", "lastName", "name", "email", "phone", "barNumber"],
  ["addressLine1", "addressLine2", "addressCity", "addressRegion", "addressZip"],
  ["contactPreference", "followupConsent", "status", "suspended", "reason", "plan"],
  ["method", "device", "address"],
  ["checkNumber", "payer", "amount", "balance", "outcome", "fee", "startDate"],
].flat();

/** Internal fields. */
const hiddenFields = new Set(["firstPeriod", "fileBytes"]);

/**
 * The differences between two states of a record, field by field. `after` may hold only what was written: other fields
 * are unchanged, unless the record is deleted. Instants are shown as days in `timeZone`.
 */
export function fieldChanges(before: unknown, after: unknown, timeZone: string): FieldChange[] {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const names = after === null ? [...old.keys()] : [...now.keys()];
  return names
    .filter((name) => !/(^id|Id|_id)$/.test(name) && !hiddenFields.has(name)) // names are shown instead
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((name) => ({
      field: fieldName(name),
      before: old.has(name) ? valueWords(old.get(name), name, timeZone) : undefined,
      after: valueWords(now.get(name), name, timeZone),
    }))
    .filter((change) => (change.before ?? null) !== change.after);
}

/** The same on one line: "Phone: (555) 010-4477 → (555) 010-4478; Email: nothing → maya@example.test". */
export const changesText = (before: unknown, after: unknown, timeZone: string): string =>
  fieldChanges(before, after, timeZone)
    .map(({ field, before, after }) => {
      const old = before === undefined ? "" : `${before ?? "nothing"} → `;
      return `${field}: ${old}${after ?? "nothing"}`;
    })
    .join("; ");

function positionOf(name: string): number {
  const place = fieldOrder.indexOf(keyOf(name));
  return place < 0 ? fieldOrder.length : place;
}

function fieldsOf(state: unknown): Map<string, unknown> {
  return new Map(typeof state === "object" && state !== null ? Object.entries(state) : []);
}

/** Both `address_line_1` and `addressLine1`: "Address line 1". */
function fieldName(name: string): string {
  const key = keyOf(name);
  const words = key
    .replace(/([a-z])([A-Z0-9])/g, "$1 $2")
    .replace(/(\d)([A-Z])/g, "$1 $2")
    .toLowerCase();
  return fieldLabels[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const keyOf = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/Cents$/, "");

function valueWords(value: unknown, name: string, timeZone: string): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return textWords(value, timeZone);
  if (typeof value === "number")
    return name.endsWith("Cents") ? formatMoney(cents(value)) : String(value);
  if (Array.isArray(value)) return listWords(value, timeZone);
  const parts = [...fieldsOf(value)].map(
    ([part, its]) => `${part}: ${valueWords(its, part, timeZone)}`,
  );
  return parts.join(", ") || null;
}

/** Formats stored values: amounts, days, instants, and codes such as `could_not_reach`. */
function textWords(text: string, timeZone: string): string {
  if (isDay(text)) return formatDay(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+(Z|[+-]\d\d:\d\d)$/.test(text))
    return dayOf(text, timeZone);
  if (text === "admin") return "administrator";
  const amount = /^-?\d+\.\d\d$/.test(text) ? centsFromDollars(text) : null;
  if (amount !== null) return formatMoney(amount);
  return /^[a-z]+(_[a-z\d]+)+$/.test(text) ? text.replaceAll("_", " ") : seenText(text);
}

/**
 * Shows the invisible characters that `cleaned` removes: "Mun[U+0303]oz", "Hale[U+00A0]LLP". Otherwise a text from
 * before texts were cleaned looks like the new one.
 */
function seenText(text: string): string {
  if (cleaned(text) === text) return text;
  const isComposed = text.normalize("NFC") === text;
  return text
    .replaceAll(isComposed ? /[\p{Cf}\p{Zs}]/gu : /[\p{Cf}\p{Zs}\p{M}]/gu, (letter) =>
      letter === " "
        ? letter
        : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replaceAll(/ {2,}/g, (spaces) => `[${spaces.length} spaces]`);
}

/** A payment's shares, `[debit, amount]` each, as their amounts; other lists item by item. */
function listWords(list: readonly unknown[], timeZone: string): string | null {
  const items = list.map((item) =>
    valueWords(Array.isArray(item) && typeof item[0] === "number" ? item[1] : item, "", timeZone),
  );
  return items.join(", ") || null;
}
