import { z } from "zod";
import { type Cents, negated, sum, zero } from "#kit/domain/money.ts";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, Money } from "#kit/contract/fields.ts";
import { Brand } from "#access/networks/contract.ts";

/** What moved a balance or the credit: an entry, or the shares of one payment taken together. */
export const lineKinds = ["charge", "adjustment", "payment", "reversal", "credit"] as const;

const StatementLine = z.object({
  date: Day,
  kind: z.enum(lineKinds),
  description: z.string(),
  /** What is owed more, and what is owed less: one of the two, the other is zero. */
  charge: Money,
  payment: Money,
  /** What was owed after it. */
  balance: Money,
  /** What it added to the credit, below zero what it took off: credit that pays a debit is in both columns. */
  credit: Money,
});
export type StatementLine = z.output<typeof StatementLine>;

/** The columns of amounts, of which the last two stand only where there is anything in them. */
export type LineColumn = "charges" | "payments" | "adjustments" | "credit";

/** What stands in the columns of a line: by how much it moved what is owed, and the credit. */
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

/** What an attorney owed, and what moved it, between the beginning of a day and the end of another. */
export const Statement = z.object({
  attorneyId: Id,
  attorneyName: z.string(),
  attorneyAddress: z.array(z.string()),
  brand: Brand,
  from: Day,
  to: Day,
  /** The day of which `closing` and `credit` tell: today, where the period is not over. */
  asOf: Day,
  opening: Money,
  lines: z.array(StatementLine),
  charged: Money,
  /** Payments, and credit that was applied. */
  paid: Money,
  /** Of payments and applied credit: returned, refunded, not collected. */
  takenBack: Money,
  /** Below zero where they made less owed. */
  adjusted: Money,
  /** What was owed at the end. Credit stands beside it. */
  closing: Money,
  credit: Money,
});
export type Statement = z.output<typeof Statement>;

/** The columns of amounts that a statement has, with their headings and their sums. */
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
    "An attorney's statement: what was owed before, each line that moved it, what was owed after",
  params: OfAttorney,
  query: Between,
  object: Statement,
});

export const downloadStatement = endpoint({
  method: "GET",
  path: "/attorneys/:id/statement.pdf",
  summary: "The same as a PDF",
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
  /** On which day of each month, or the last of a shorter one, the month before is mailed; null: never. */
  mailedOnDay: DayOfMonth.nullable(),
  /** The next day on which that happens. */
  nextOn: Day.nullable(),
});
export type StatementSettings = z.output<typeof StatementSettings>;

export const showStatementSettings = endpoint({
  method: "GET",
  path: "/legal_networks/statement_settings",
  summary: "On which day of the month statements are mailed",
  object: StatementSettings,
});

export const changeStatementSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/statement_settings",
  summary: "Choose on which day of the month statements are mailed, or that none are",
  body: z.strictObject({ mailed_on_day: DayOfMonth.nullable() }),
  object: StatementSettings,
});
