import { z } from "zod";
import { type Cents, negated, sum, zero } from "#kit/domain/money.ts";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, Money } from "#kit/contract/fields.ts";
import { Brand } from "#access/networks/contract.ts";

/** Kinds of lines. A line is an entry, or all shares of one payment. */
export const lineKinds = ["charge", "adjustment", "payment", "reversal", "credit"] as const;

const StatementLine = z.object({
  date: Day,
  kind: z.enum(lineKinds),
  description: z.string(),
  /** How much more, or less, is owed. One of the two is zero. */
  charge: Money,
  payment: Money,
  balance: Money,
  /** The change of credit, negative if it fell. Credit that pays a debit is also in `payment`. */
  credit: Money,
});
export type StatementLine = z.output<typeof StatementLine>;

/** The columns of amounts. Adjustments and credit are shown only if some line has them. */
export type LineColumn = "charges" | "payments" | "adjustments" | "credit";

/** A line's amounts by column: the change of the balance, and of the credit. */
export function amountsOfLine(line: StatementLine): Partial<Record<LineColumn, Cents>> {
  const { kind, charge, payment, credit } = line;
  const more = charge === zero ? negated(payment) : charge;
  return {
    ...(credit !== zero && { credit }),
    ...(kind === "charge" && { charges: more }),
    ...(kind === "adjustment" && { adjustments: more }),
    ...(kind !== "charge" && kind !== "adjustment" && more !== zero && { payments: negated(more) }),
  };
}

/** An attorney's balance and its changes, from the start of one day to the end of another. */
export const Statement = z.object({
  attorneyId: Id,
  attorneyName: z.string(),
  attorneyAddress: z.array(z.string()),
  brand: Brand,
  from: Day,
  to: Day,
  /** The day of `closing` and `credit`: the last of the period, or today if that is earlier. */
  asOf: Day,
  opening: Money,
  lines: z.array(StatementLine),
  charged: Money,
  /** Payments and applied credit. */
  paid: Money,
  /** Payments and applied credit that were returned, refunded or not collected. */
  takenBack: Money,
  /** Negative if adjustments reduced the balance. */
  adjusted: Money,
  /** The balance at the end, without credit. */
  closing: Money,
  credit: Money,
});
export type Statement = z.output<typeof Statement>;

/** The columns of amounts to show, with their headings and sums. */
export function columnsOfAmounts(
  statement: Statement,
): { column: LineColumn; heading: string; sum: Cents }[] {
  const { lines, charged, paid, takenBack, adjusted } = statement;
  const credit = lines.some((line) => line.credit !== zero);
  return [
    { column: "charges", heading: "Charges", sum: charged },
    { column: "payments", heading: "Payments", sum: sum([paid, negated(takenBack)]) },
    ...(lines.some(({ kind }) => kind === "adjustment")
      ? [{ column: "adjustments" as const, heading: "Adjustments", sum: adjusted }]
      : []),
    ...(credit
      ? [
          {
            column: "credit" as const,
            heading: "Credit",
            sum: sum(lines.map((line) => line.credit)),
          },
        ]
      : []),
  ];
}

const OfAttorney = z.object({ id: IdText });

/** This month unless days are given. */
const Between = z.object({ from: Day.optional(), to: Day.optional() });
export type Between = z.output<typeof Between>;

export const showStatement = endpoint({
  method: "GET",
  path: "/attorneys/:id/statement",
  summary:
    "An attorney's statement: the balance before, each line that changed it, the balance after",
  params: OfAttorney,
  query: Between,
  object: Statement,
});

export const downloadStatement = endpoint({
  method: "GET",
  path: "/attorneys/:id/statement.pdf",
  summary: "The statement as a PDF",
  params: OfAttorney,
  query: Between,
  object: z.string(),
});

const DayOfMonth = z
  .number({ error: "must be a day of the month from 1 to 31, or null for none" })
  .int("must be a day of the month from 1 to 31, or null for none")
  .min(1, "must be a day of the month from 1 to 31, or null for none")
  .max(31, "must be a day of the month from 1 to 31, or null for none");

export const StatementSettings = z.object({
  /** The day of each month, or the last day of a shorter one, when the previous month is emailed; null: never. */
  mailedOnDay: DayOfMonth.nullable(),
  /** The next such day. */
  nextOn: Day.nullable(),
});
export type StatementSettings = z.output<typeof StatementSettings>;

export const showStatementSettings = endpoint({
  method: "GET",
  path: "/legal_networks/statement_settings",
  summary: "The day of the month when statements are emailed",
  object: StatementSettings,
});

export const changeStatementSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/statement_settings",
  summary: "Choose the day of the month when statements are emailed, or turn them off",
  body: z.strictObject({ mailed_on_day: DayOfMonth.nullable() }),
  object: StatementSettings,
});
