import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Overview, showOverview } from "#features/today/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import { Chart } from "#web/ui/Chart.tsx";

/** Figures that a type of report is about, in a picture; nothing for the other types, or while they cannot be had. */
export function ReportPicture({ type }: { type: string }) {
  const picture = pictures[type];
  const overview = useQuery({ ...endpointQuery(showOverview), enabled: picture !== undefined });
  return picture && overview.data ? picture(overview.data) : null;
}

const ages = [
  ["current", "Current", "Not due before today"],
  ["days30", "1–30", "1–30 days overdue"],
  ["days60", "31–60", "31–60 days overdue"],
  ["days90", "61–90", "61–90 days overdue"],
  ["over90", "90+", "Over 90 days overdue"],
] as const;

const owedByAge = ({ aging }: Overview) => (
  <Chart
    title="Owed, by age"
    about="Dollars owed today, by days since they were due."
    unit="money"
    pointName="Days overdue"
    points={ages.map(([, label, name]) => ({ label, name }))}
    series={[{ name: "Owed", values: ages.map(([bucket]) => aging[bucket]) }]}
    empty="Nobody owes anything."
  />
);

const byMonth =
  (title: string, about: string, figure: "billed" | "received") =>
  ({ months }: Overview) => (
    <Chart
      title={title}
      about={about}
      unit="money"
      pointName="Month"
      points={months.map(({ month }) => ({
        label: monthWords(month, "short"),
        name: `${monthWords(month, "long")} ${month.slice(0, 4)}`,
      }))}
      series={[{ name: title, values: months.map((one) => one[figure]) }]}
      empty="There is nothing in these months yet."
    />
  );

const received = byMonth(
  "Received by month",
  "Dollars, the last 12 months: payments, less what was returned or refunded.",
  "received",
);

const pictures: Record<string, (overview: Overview) => ReactNode> = {
  subscription_debits: byMonth(
    "Billed by month",
    "Dollars, the last 12 months: new debits and adjustments.",
    "billed",
  ),
  subscription_payments: received,
  payments: received,
  checks: received,
  receivables_aging: owedByAge,
  receivables_as_of: owedByAge,
};

const monthWords = (month: string, length: "short" | "long") =>
  new Intl.DateTimeFormat("en-US", { month: length, timeZone: "UTC" }).format(new Date(month));
