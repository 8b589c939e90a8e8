import { expect, test } from "vitest";
import { changesText, fieldChanges } from "#office/activity/shapes.ts";

const words = (before: unknown, after: unknown) =>
  fieldChanges(before, after, "America/New_York").map((change) =>
    [change.field, change.before, change.after].map((word) => word ?? "-").join(" | "),
  );

test("only differences are shown, in the screens' words", () => {
  const before = { firstName: "Ada", addressLine1: "1 Main Street", addressZip: "" };
  const after = { firstName: "Ada", addressLine1: "2 Main Street", addressZip: "10013" };
  expect(words(before, after)).toEqual([
    "Address line 1 | 1 Main Street | 2 Main Street",
    "Zip | - | 10013",
  ]);
});

test("fields that were not written are unchanged", () => {
  expect(words({ pausedUntil: null, phone: "1" }, { pausedUntil: "2026-12-15" })).toEqual([
    "On vacation until | - | 12/15/2026",
  ]);
});

test("a new record has no before, a removed one no after", () => {
  const made = fieldChanges(null, { name: "Panel dues", archived: false }, "UTC");
  expect(made).toEqual([
    { field: "Name", before: undefined, after: "Panel dues" },
    { field: "Archived", before: undefined, after: "no" },
  ]);
  expect(words({ name: "Ada Min", role: "admin" }, null)).toEqual([
    "Name | Ada Min | -",
    "Role | administrator | -",
  ]);
});

test("request field names read like record fields, and record ids are left out", () => {
  const after = {
    id: 3,
    attorney_id: 7,
    reportId: 1,
    address_line_2: "Apt 4",
    bill_immediately: true,
  };
  expect(words(null, after)).toEqual(["Address line 2 | - | Apt 4", "Bill immediately | - | yes"]);
});

test("amounts read as money, maps as their parts, and anything else as empty", () => {
  expect(words({ balance: "75.00" }, { balance: "1250.50", fee: "-5.00" })).toEqual([
    "Balance | $75.00 | $1,250.50",
    "Fee | - | -$5.00",
  ]);
  expect(words(null, { amountCents: 125_050, statuses: { 3: "approved", 4: "denied" } })).toEqual([
    "Amount | - | $1,250.50",
    "Statuses | - | 3: approved, 4: denied",
  ]);
  expect(words("text", 5)).toEqual([]);
});

test("stored codes read as plain words, and lists item by item", () => {
  const after = { outcome: "could_not_reach", columns: ["first_name", "email"], debits: [] };
  expect(words(null, after)).toEqual([
    "Outcome | - | could not reach",
    "Columns | - | first name, email",
  ]);
  const shares = [
    [12, "50.00"],
    [13, "25.00"],
  ];
  expect(words(null, { debits: shares })).toEqual(["Debits | - | $50.00, $25.00"]);
});

test("an instant reads as its day in the network's time zone", () => {
  const after = { referredAt: "2026-11-06T05:00:00+00:00", closedAt: "2026-11-07T04:59:59.5Z" };
  expect(words(null, after)).toEqual(["Referred | - | 11/06/2026", "Closed | - | 11/06/2026"]);
});

test("fields are in reading order, and internal ones are left out", () => {
  const after = { note: "A lease.", addressZip: "10013", addressCity: "Harbor", firstPeriod: 0 };
  expect(words(null, { ...after, lastName: "Doe", firstName: "Jane" })).toEqual([
    "First name | - | Jane",
    "Last name | - | Doe",
    "City | - | Harbor",
    "Zip | - | 10013",
    "Note | - | A lease.",
  ]);
});

test("invisible characters in an old text are shown, since the new text looks the same", () => {
  const changes = (before: string, after: string) =>
    changesText({ name: before }, { name: after }, "UTC");
  expect(changes("Mun\u0303oz", "Muñoz")).toBe("Name: Mun[U+0303]oz → Muñoz");
  expect(changes("Hale\u00a0LL\u200bP", "Hale LLP")).toBe(
    "Name: Hale[U+00A0]LL[U+200B]P → Hale LLP",
  );
  expect(changes("Panel  dues", "Panel dues")).toBe("Name: Panel[2 spaces]dues → Panel dues");
  expect(changes("Muñoz", "Ọ\u0300ṣun")).toBe("Name: Muñoz → Ọ\u0300ṣun");
});
