import { cleaned } from "#kit/domain/cleaned.ts";
import { dayOf, formatDay, isDay } from "#kit/domain/day.ts";
import { cents, centsFromDollars, formatMoney } from "#kit/domain/money.ts";

/*
 * What was changed in words: on the screens and in the report of the same list.
 */

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
  books: "Books",
  "unapplied payment": "Unapplied charge", // none is made any more; what was done to those there were stays
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

/** Actions that the audit trail names as processors do, or as the record's own doing, as the screens say them. */
const actionWords: Record<string, string> = {
  "captured card payment": "received card payment",
  "card payment counts again": "received again",
  "card payment failed": "recorded as failed",
  "card payment charged back": "recorded as charged back",
  "chargeback reversed": "recorded as a chargeback won",
  "looked at chargeback": "reviewed after chargeback",
  "made an unapplied charge credit": "kept as credit",
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

/**
 * One field of a record, before and after a change: null where it had, or has, no value, and
 * undefined where what it was is not known, as for a new record.
 */
export interface FieldChange {
  field: string;
  before: string | null | undefined;
  after: string | null;
}

/** Labels of the fields whose names would read badly as words. */
const fieldLabels: Record<string, string> = {
  frequencyInMonths: "Months between dues",
  followupConsent: "Follow-up consent",
  lifted: "Suspensions lifted",
  accountName: "Bank account",
  asked: "Email address asked for",
  emailsAsked: "Email addresses asked for",
  plan: "Subscription",
  reversed: "Debits taken back",
  referredAt: "Referred",
  closedAt: "Closed",
  permitsMatterEditing: "Editing of referrals permitted",
  overduePeriodInDays: "Overdue period in days",
  overduePeriodsSuspensionThreshold: "Grace period",
  pausedUntil: "On vacation until",
  leftOn: "Left the panel",
  reportDueOn: "Report due",
  accountsReceivable: "Account of receivables",
  duesIncome: "Account of dues",
  otherIncome: "Account of other income",
  undepositedChecks: "Account of undeposited checks",
  bank: "Account of banks",
  cardClearing: "Account of card clearing",
  attorneysCredit: "Account of attorneys' credit",
  held: "Account of held money",
  adjustments: "Account of adjustments",
  appliesCreditAutomatically: "Credit applied automatically",
  returnedCheckFee: "Fee for a returned check",
  chargebackFee: "Fee for a chargeback",
  suspended: "Suspended",
  statementsMailedOnDay: "Statements mailed on day",
  suspendsOverdueAttorneys: "Overdue suspensions",
  lawyersSetOwnVacation: "Lawyers set their own vacation",
  addressRegion: "State",
  addressCity: "City",
  addressZip: "Zip",
};

/** These fields come first, in this order; JSON in the database has an order of its own. */
const fieldOrder = [
  ["firstName", "lastName", "name", "email", "phone", "barNumber"],
  ["addressLine1", "addressLine2", "addressCity", "addressRegion", "addressZip"],
  ["contactPreference", "followupConsent", "status", "suspended", "reason", "plan"],
  ["method", "device", "address"],
  ["checkNumber", "payer", "amount", "balance", "outcome", "fee", "startDate"],
].flat();

/** Internal fields that are not shown. */
const hiddenFields = new Set(["firstPeriod", "fileBytes"]);

/**
 * What differs between two states of a record, field by field, in words. `after` may hold only what
 * was written; what it does not name stayed as it was, unless the record is gone. Instants are
 * shown as days in `timeZone`.
 */
export function fieldChanges(before: unknown, after: unknown, timeZone: string): FieldChange[] {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const names = after === null ? [...old.keys()] : [...now.keys()];
  return names
    .filter((name) => !/(^id|Id|_id)$/.test(name) && !hiddenFields.has(name)) // the names beside them say more
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((name) => ({
      field: fieldName(name),
      before: old.has(name) ? valueWords(old.get(name), name, timeZone) : undefined,
      after: valueWords(now.get(name), name, timeZone),
    }))
    .filter((change) => (change.before ?? null) !== change.after);
}

/** The same in one line: "Phone: (555) 010-4477 → (555) 010-4478; Email: nothing → maya@example.test". */
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

/** `address_line_1` and `addressLine1` alike: "Address line 1". */
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

/** Texts that are a program's rather than people's: amounts, days, instants, and `could_not_reach`. */
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
 * A text in which everything can be seen that `cleaned` takes away: "Mun[U+0303]oz", "Hale[U+00A0]LLP". What was kept
 * before texts were cleaned looks like what it was changed to, else.
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

/** The shares of a payment, `[debit, amount]` each, by their amounts; other lists item by item. */
function listWords(list: readonly unknown[], timeZone: string): string | null {
  const items = list.map((item) =>
    valueWords(Array.isArray(item) && typeof item[0] === "number" ? item[1] : item, "", timeZone),
  );
  return items.join(", ") || null;
}
