import { cents, formatMoney } from "#kit/domain/money.ts";

/** Money is in cents. */
export type ChartUnit = "money" | "count";

export interface ChartPoint {
  /** Short, below the bars. */
  label: string;
  /** The full name. */
  name: string;
  /** The address of the list behind the figure. */
  to?: string;
}

export interface ChartSeries {
  name: string;
  /** One for each point. */
  values: number[];
}

export function figureText(unit: ChartUnit, value: number): string {
  return unit === "money" ? formatMoney(cents(value)) : value.toLocaleString("en-US");
}

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** For an axis: "$12K", "-$300". */
export function shortFigureText(unit: ChartUnit, value: number): string {
  if (unit === "count") return short.format(value);
  return `${value < 0 ? "-" : ""}$${short.format(Math.abs(value) / 100)}`;
}
