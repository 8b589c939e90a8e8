import { Chart } from "#kit/web/ui/Chart.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import type { Overview } from "./contract.ts";

const ages = [
  ["current", "Current", "Not due before today"],
  ["days30", "1–30", "1–30 days overdue"],
  ["days60", "31–60", "31–60 days overdue"],
  ["days90", "61–90", "61–90 days overdue"],
  ["over90", "90+", "Over 90 days overdue"],
] as const;

/** Charts of the network's last year. */
export function OverviewCharts({ months, aging, referrals }: Overview) {
  return (
    <Stack gap={32}>
      <Chart
        title="Billed and received"
        about="Dollars by month, the last 12 months. Billed: new debits and adjustments. Received: payments, less what was returned or refunded."
        unit="money"
        pointName="Month"
        points={months.map(({ month }) => ({
          label: formatDate(month, { month: "short" }),
          name: formatDate(month, { month: "long", year: "numeric" }),
        }))}
        series={[
          { name: "Billed", values: months.map(({ billed }) => billed) },
          { name: "Received", values: months.map(({ received }) => received) },
        ]}
        empty="Nothing has been billed or received yet."
      />
      <Chart
        title="Owed, by age"
        about="Dollars owed today, by days since they were due. Choose an age to see who owes it."
        unit="money"
        pointName="Days overdue"
        points={ages.map(([bucket, label, name]) => ({
          label,
          name,
          to: `/admin/receivables?bucket=${bucket}`,
        }))}
        series={[{ name: "Owed", values: ages.map(([bucket]) => aging[bucket]) }]}
        empty="Nobody owes anything."
      />
      <Chart
        title="Referrals by week"
        about="By week, Monday to Sunday, the last 12 weeks. Retained: first reported as retained in that week."
        unit="count"
        pointName="Week of"
        points={referrals.map(({ week }) => ({
          label: formatDate(week, { month: "numeric", day: "numeric" }),
          name: formatDate(week, { month: "2-digit", day: "2-digit", year: "numeric" }),
        }))}
        series={[
          { name: "Made", values: referrals.map(({ made }) => made) },
          { name: "Retained", values: referrals.map(({ retained }) => retained) },
        ]}
        empty="No referral was made in these weeks."
      />
    </Stack>
  );
}

/** Formats a calendar day, which has no time zone. */
function formatDate(day: string, format: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-US", { ...format, timeZone: "UTC" }).format(new Date(day));
}
