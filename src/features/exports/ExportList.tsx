import { useMutation } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { PagedTable } from "#list/PagedTable.tsx";
import { call } from "#web/api.tsx";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { ownAddress } from "#web/page-owner.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import type { Column } from "#web/ui/DataTable.tsx";
import { DayText, TimeText } from "#web/ui/DayText.tsx";
import { Filters, Muted, Stack } from "#web/ui/layout.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { StatusMark } from "#web/ui/StatusMark.tsx";
import {
  cancelExport,
  type DataExport,
  exportColumns,
  listExports,
  retryExport,
} from "#list/reports-contract.ts";
import css from "./exports.module.css";

const columns: Column<DataExport>[] = [
  { heading: "Report", sort: "report", cell: (made) => <Name made={made} /> },
  { heading: "Ordered", sort: "ordered", sortsDown: true, cell: (made) => <Ordered made={made} /> },
  { heading: "Status", sort: "status", cell: (made) => <Progress made={made} /> },
  {
    heading: "Rows",
    sort: "rows",
    amount: true,
    cell: (made) => made.status === "ready" && count(made.rows),
  },
  {
    heading: "Kept until",
    cell: (made) => made.status === "ready" && <DayText on={made.expiresAt} />,
  },
  { heading: "Actions", actions: true, cell: (made) => <Actions made={made} /> },
];

const choices = [
  { value: "", label: "All" },
  { value: "ready", label: "Ready, not downloaded yet" },
  { value: "failed", label: "Could not be made" },
] as const;

/** The network's exports, newest first, with the status of each: all, or those that wait for somebody. */
export function ExportList() {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("show");
  const waiting = choices.find(({ value }) => value === asked)?.value ?? "";
  const sort = useSort(exportColumns);
  const which = { waiting: waiting || undefined, sort: sort.by };
  const list = useListPages(({ page }) =>
    endpointQuery(listExports, { query: { page, per_page: 20, ...which } }),
  );
  return (
    <>
      {(waiting !== "" || (list.data?.total ?? 0) > 0) && (
        <>
          <Filters>
            <SelectField
              label="Show"
              error={undefined}
              options={choices}
              value={waiting}
              onChange={(show) => setAddress(show ? { show } : {})}
            />
          </Filters>
          <ListTools list={listed("reports")} filters={{ waiting }} printing={list.printing} />
        </>
      )}
      <PagedTable
        list={list}
        caption="Reports"
        columns={columns}
        sort={sort}
        keyOf={(made) => made.id}
        empty={
          waiting ? (
            <EmptyState
              title="No report waits here"
              action={<ButtonLink to="/admin/reports">Show all reports</ButtonLink>}
            />
          ) : (
            <EmptyState title="No reports yet">
              Choose a type above. Reports are prepared in the background and kept for 30 days.
            </EmptyState>
          )
        }
      />
    </>
  );
}

function Name({ made }: { made: DataExport }) {
  return (
    <Stack gap={4}>
      <span>{made.label}</span>
      <Muted small>{made.scope}</Muted>
    </Stack>
  );
}

function Ordered({ made }: { made: DataExport }) {
  return (
    <Stack gap={4}>
      <TimeText at={made.createdAt} />
      <Muted small>{made.isScheduled ? "By schedule" : `By ${made.requestedBy}`}</Muted>
    </Stack>
  );
}

function Progress({ made }: { made: DataExport }) {
  if (made.status === "ready")
    return made.file ? (
      <StatusMark tone="good">Ready</StatusMark>
    ) : (
      <StatusMark tone="quiet">Expired</StatusMark>
    );
  if (made.status === "queued") return <StatusMark tone="waiting">Queued</StatusMark>;
  if (made.status === "running")
    return (
      <div className={css["state"]}>
        <span className={css["progress"]}>
          <progress max={100} value={made.progress} aria-label={`Preparing ${made.label}`} />
          Preparing, {Math.floor(made.progress)}%
        </span>
        <Muted small>{rowsSoFar(made)}</Muted>
      </div>
    );
  return (
    <div className={css["state"]}>
      <StatusMark tone={made.isCancelled ? "quiet" : "bad"}>
        {made.isCancelled ? "Cancelled" : "Failed"}
      </StatusMark>
      {made.failureReason && <Muted small>{made.failureReason}</Muted>}
    </div>
  );
}

function Actions({ made }: { made: DataExport }) {
  const changing = useMutation({
    mutationFn: (change: typeof cancelExport) => call(change, { params: { id: made.id } }),
  });
  if (made.file)
    return (
      <a className={css["download"]} href={ownAddress(made.file.url)} download={made.file.name}>
        Download<span className={css["size"]}> ({sizeWords(made.file.bytes)})</span>
      </a>
    );
  if (made.status === "ready") return null; // expired: the file is deleted
  const isOver = made.status === "failed";
  return (
    <Button
      small
      kind="quiet"
      pending={changing.isPending}
      label={`${isOver ? "Retry" : "Cancel"} ${made.label}`}
      onClick={() => changing.mutate(isOver ? retryExport : cancelExport)}
    >
      {isOver ? "Retry" : "Cancel"}
    </Button>
  );
}

/** "431,234 of 1,000,000 rows". Rows may have been added since they were counted. */
function rowsSoFar({ rows, totalRows }: DataExport): string {
  return totalRows === null
    ? `${count(rows)} rows so far`
    : `${count(rows)} of ${count(Math.max(rows, totalRows))} rows`;
}

const count = (rows: number) => rows.toLocaleString("en-US");

/** `812 B`, `64 kB`, `1.2 MB`. */
function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}
