import { useMutation } from "@tanstack/react-query";
import { type CellsOf, ListPart, useListed } from "#kit/list/ListScreen.tsx";
import { reports } from "#kit/list/reports.list.ts";
import { call } from "#kit/web/api.tsx";
import { ownAddress } from "#kit/web/page-owner.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import {
  cancelExport,
  type DataExport,
  listExports,
  retryExport,
} from "#kit/list/reports-contract.ts";
import css from "./exports.module.css";

/** The network's exports with their statuses, newest first: all, or those that need a person. */
export function ExportList() {
  const listed = useListed(reports, listExports);
  return (
    <ListPart
      listed={listed}
      cells={cells}
      isFiltered={false}
      empty={
        listed.filters.isFiltered ? (
          <EmptyState
            title="No reports are waiting here"
            action={<ButtonLink to="/admin/reports">Show all reports</ButtonLink>}
          />
        ) : (
          <EmptyState title="No reports yet">
            Choose a type above. Reports are prepared in the background and kept for 30 days.
          </EmptyState>
        )
      }
    />
  );
}

const cells: CellsOf<typeof reports, DataExport> = {
  report: (made) => <Name made={made} />,
  ordered_at: (made) => <Ordered made={made} />,
  status: (made) => <Progress made={made} />,
  rows: (made) => made.status === "ready" && count(made.rows),
  kept_until: (made) => made.status === "ready" && <DayText on={made.expiresAt} />,
  actions: (made) => <Actions made={made} />,
};

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
        {made.isCancelled ? "Canceled" : "Failed"}
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

/** "431,234 of 1,000,000 rows". More rows may be added after the count. */
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
