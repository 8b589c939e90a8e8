import { useMutation } from "@tanstack/react-query";
import { useParams, useSearchParams } from "react-router";
import { formatDay, isDay } from "#kit/domain/day.ts";
import { type Period, periodOf } from "#kit/domain/periods.ts";
import { creditSentence } from "#kit/domain/credit-words.ts";
import { Letterhead } from "#access/networks/Letterhead.tsx";
import { callForFile } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { changesNothing, endpointQuery, expectsNotFound, useList } from "#kit/web/queries.tsx";
import { saveFile } from "#kit/web/save-file.tsx";
import { useSession, useToday } from "#kit/web/session.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { PeriodField } from "#kit/web/ui/day-presets.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Filters, Row, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import {
  amountsOfLine,
  columnsOfAmounts,
  downloadStatement,
  showStatement,
  type Statement,
  type StatementLine,
} from "./contract.ts";

/** An attorney's statement, for the attorney and for administrators. */
export function StatementScreen() {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return <StatementPage key={id} attorneyId={Number(id)} />;
}

function StatementPage({ attorneyId }: { attorneyId: number }) {
  const [address, setAddress] = useSearchParams();
  const today = useToday();
  const month = periodOf("this_month", today);
  const asked = (name: "from" | "to") => {
    const day = address.get(name) ?? "";
    return isDay(day) ? day : month[name];
  };
  const period = { from: asked("from"), to: asked("to") };
  const list = useList({
    ...endpointQuery(showStatement, { params: { id: attorneyId }, query: period }),
    ...expectsNotFound,
  });
  if (list.error instanceof CallFailure && list.error.status === 404) return <NotFound />;
  const choose = (chosen: Period) => setAddress({ ...chosen });
  return (
    <>
      <PageHeading
        title={list.data ? `Statement of ${list.data.attorneyName}` : "Statement"}
        about={`${formatDay(period.from)} to ${formatDay(period.to)}`}
        actions={<Actions attorneyId={attorneyId} name={list.data?.attorneyName} period={period} />}
      />
      <Filters>
        <PeriodField
          required
          {...period}
          today={today}
          onChoose={(chosen) => choose(chosen ?? month)}
        />
        <DayField
          label="From"
          error={undefined}
          value={period.from}
          onChange={() => undefined}
          onSettled={(from) => from && choose({ ...period, from })}
        />
        <DayField
          label="To"
          error={undefined}
          value={period.to}
          onChange={() => undefined}
          onSettled={(to) => to && choose({ ...period, to })}
        />
      </Filters>
      {list.error ? (
        <ErrorState
          title="The statement could not be loaded"
          error={list.error}
          pending={list.isFetching}
          onRetry={() => void list.refetch()}
        />
      ) : list.data ? (
        <Paper statement={list.data} stale={list.isPlaceholderData} pending={list.isFetching} />
      ) : (
        <Loading />
      )}
    </>
  );
}

interface ActionsProps {
  attorneyId: number;
  name: string | undefined;
  period: Period;
}

function Actions({ attorneyId, name, period }: ActionsProps) {
  const { role } = useSession();
  const downloading = useMutation({
    mutationFn: () => callForFile(downloadStatement, { params: { id: attorneyId }, query: period }),
    onSuccess: saveFile,
    ...changesNothing,
  });
  return (
    <Row>
      {role === "admin" ? (
        <ButtonLink to={`/admin/attorneys/${attorneyId}`}>{name ?? "Attorney"}</ButtonLink>
      ) : (
        <ButtonLink to="/dashboard">Dashboard</ButtonLink>
      )}
      <Button pending={false} onClick={() => window.print()}>
        Print
      </Button>
      <Button pending={downloading.isPending} onClick={() => downloading.mutate()}>
        Download PDF
      </Button>
    </Row>
  );
}

type Line = StatementLine | "opening";

function Paper({
  statement,
  stale,
  pending,
}: {
  statement: Statement;
  stale: boolean;
  pending: boolean;
}) {
  const { brand, attorneyName, attorneyAddress, credit } = statement;
  const rows: Line[] = ["opening", ...statement.lines];
  return (
    <Stack gap={24}>
      <Letterhead brand={brand} />
      <Stack gap={4}>
        {[attorneyName, ...attorneyAddress].map((line) => (
          <span key={line}>{line}</span>
        ))}
      </Stack>
      <DataTable
        caption="Charges and payments"
        captionHidden
        columns={columnsOf(statement)}
        rows={rows}
        keyOf={(line) => rows.indexOf(line)}
        empty={null}
        pending={pending}
        stale={stale}
        error={null}
        onRetry={() => undefined}
      />
      {credit > 0 && <p>{creditSentence(statement)}</p>}
    </Stack>
  );
}

function columnsOf(statement: Statement): Column<Line>[] {
  const { from, asOf, opening, closing } = statement;
  const owed = `Balance on ${formatDay(asOf)}`;
  return [
    {
      heading: "Date",
      nowrap: true,
      cell: (line) => <DayText on={line === "opening" ? from : line.date} />,
      total: owed,
    },
    {
      heading: "Description",
      cell: (line) => (line === "opening" ? "Previous balance" : line.description),
    },
    ...columnsOfAmounts(statement).map(({ column, heading, sum }) => ({
      heading,
      amount: true as const,
      cell: (line: Line) => {
        const amount = line === "opening" ? undefined : amountsOfLine(line)[column];
        return amount !== undefined && <Money amount={amount} />;
      },
      total: <Money amount={sum} />,
    })),
    {
      heading: "Balance",
      amount: true,
      cell: (line) => <Money amount={line === "opening" ? opening : line.balance} />,
      total: <Money amount={closing} />,
    },
  ];
}
