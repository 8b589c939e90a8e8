import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { WhenLoaded } from "#kit/web/ui/states.tsx";
import { AttentionList } from "./AttentionList.tsx";
import { type Overview, showOverview } from "./contract.ts";
import { FirstSteps } from "./FirstSteps.tsx";
import { RecentActivity } from "./RecentActivity.tsx";
import { OverviewCharts } from "./OverviewCharts.tsx";
import css from "./today.module.css";

/** The administrator's first page: what needs a person, recent activity, and charts. */
export function TodayScreen() {
  const overview = useQuery(endpointQuery(showOverview));
  const today = new Date(useToday());
  const inWords = { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" } as const;
  return (
    <>
      <PageHeading title="Today" about={new Intl.DateTimeFormat("en-US", inWords).format(today)} />
      <WhenLoaded query={overview} title="Today could not be loaded">
        {(loaded) => <TodayContent overview={loaded} />}
      </WhenLoaded>
    </>
  );
}

function TodayContent({ overview }: { overview: Overview }) {
  return (
    <div className={css["columns"]} data-wide-page>
      <Stack gap={32}>
        <FirstSteps begun={overview.begun} />
        <AttentionList attention={overview.attention} />
        <RecentActivity changes={overview.lately} />
      </Stack>
      {overview.begun.attorneys && <OverviewCharts {...overview} />}
    </div>
  );
}
