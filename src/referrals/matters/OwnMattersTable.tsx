import { type Day, daysAfter, daysBetween, formatDay } from "#kit/domain/day.ts";
import { useToday } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#kit/web/ui/Details.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import type { Matter } from "./contract.ts";
import type { SuspensionStatus } from "#referrals/suspension/contract.ts";
import css from "./matters.module.css";
import { ReportDue } from "./ReportDue.tsx";

interface OwnMattersTableProps {
  caption: string;
  matters: readonly Matter[];
  suspension: SuspensionStatus;
  /** The due date of the most overdue report. */
  oldestDue: Day | null;
  /** Referrals whose reports must be filed to end a suspension. */
  suspending: ReadonlySet<number>;
  onRead: (matter: Matter) => void;
  onReport: (matter: Matter) => void;
}

export function OwnMattersTable(props: OwnMattersTableProps) {
  const { caption, matters, onRead, onReport } = props;
  const columns: Column<Matter>[] = [
    { heading: "Client", cell: (matter) => <Client matter={matter} /> },
    {
      heading: "Referred",
      nowrap: true,
      cell: ({ referredAt }) => referredAt && <DayText on={referredAt} />,
    },
    {
      heading: "Report due",
      cell: (matter) => <DueAndConsequence matter={matter} {...props} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (matter) => (
        <Row>
          <Button
            small
            kind="quiet"
            pending={false}
            label={`Details of ${matter.name}`}
            onClick={() => onRead(matter)}
          >
            Details
          </Button>
          <Button
            small
            pending={false}
            label={`File report on ${matter.name}`}
            onClick={() => onReport(matter)}
          >
            File report
          </Button>
        </Row>
      ),
    },
  ];
  return (
    <DataTable
      caption={caption}
      captionHidden
      columns={columns}
      rows={matters}
      keyOf={(matter) => matter.id}
      empty={null}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

function Client({ matter: { name, phone, email } }: { matter: Matter }) {
  return (
    <span className={css["client"]}>
      {name}
      <Muted small>
        {phone && <PhoneLink phone={phone} />}
        {phone && email && " · "}
        {email && <EmailLink email={email} />}
        {!phone && !email && "No phone or email"}
      </Muted>
    </span>
  );
}

type DueProps = Pick<OwnMattersTableProps, "suspension" | "oldestDue" | "suspending"> & {
  matter: Matter;
};

function DueAndConsequence(props: DueProps) {
  const { matter } = props;
  const consequence = useConsequence(props);
  return (
    <Stack gap={4}>
      <ReportDue on={matter.reportDueOn} />
      {consequence && <span>{consequence}</span>}
    </Stack>
  );
}

/** What happens if only this report is not filed. Source: domain rules §6. */
function useConsequence({ matter, suspension, oldestDue, suspending }: DueProps): string | null {
  const today = useToday();
  const due = matter.reportDueOn;
  const { suspendsOn } = suspension;
  if (suspending.has(matter.id)) return "You are suspended until you file it";
  if (due === null || oldestDue === null || due >= today) return null;
  if (suspendsOn === null) return null;
  // Every report has the same days of grace; the server knows the day for the oldest one.
  const day = daysAfter(suspendsOn, daysBetween(oldestDue, due));
  return `You will be suspended on ${formatDay(day)}`;
}
