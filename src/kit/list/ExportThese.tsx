import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { call, requestBody } from "#kit/web/api.tsx";
import { ownAddress } from "#kit/web/page-owner.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type DataExport, listExports, requestExport } from "#kit/list/reports-contract.ts";
import css from "./lists.module.css";
import type { Filters } from "#kit/list/define-list.ts";

interface ExportTheseProps {
  /** The report with the rows of the list. */
  reportType: string;
  filters: Filters;
  label?: string;
}

/** Requests a report of exactly the list's rows, on all pages, and offers the download here. */
export function ExportThese({ reportType, filters, label = "Export these" }: ExportTheseProps) {
  const of = JSON.stringify(filters);
  const [made, setMade] = useState<{ id: number; of: string } | null>(null);
  const requesting = useMutation({
    mutationFn: async () => {
      const body = requestBody(requestExport, { report_type: reportType, filters });
      const { id } = await call(requestExport, { body });
      return id;
    },
    onSuccess: (id) => setMade(id === undefined ? null : { id, of }),
  });
  return (
    <>
      <Button small pending={requesting.isPending} onClick={() => requesting.mutate()}>
        {label}
      </Button>
      <output className={css["notice"]}>
        {made?.of === of && <Prepared key={made.id} id={made.id} />}
      </output>
    </>
  );
}

const lookEveryMs = 1_000;

/** The state of the report just requested. */
function Prepared({ id }: { id: number }) {
  const latest = useQuery({
    ...endpointQuery(listExports, { query: { page: 1, per_page: 20 } }),
    refetchInterval: ({ state }) => {
      const one = state.data?.items.find((report) => report.id === id);
      return one && isOver(one) ? false : lookEveryMs;
    },
  });
  const report = latest.data?.items.find((one) => one.id === id);
  if (report?.file)
    return (
      <>
        <a href={ownAddress(report.file.url)} download={report.file.name}>
          {`Download ${rowsWords(report.rows)}`}
        </a>
        {`: ${report.scope}.`}
      </>
    );
  const reports = <Link to="/admin/reports">Reports</Link>;
  if (report?.status === "failed")
    return (
      <>
        The report failed: {report.failureReason} {reports}
      </>
    );
  return <>The report is being prepared; it appears here and under {reports}, for 30 days.</>;
}

const isOver = ({ status }: DataExport) => status === "ready" || status === "failed";

const rowsWords = (rows: number) => (rows === 1 ? "1 row" : `${rows.toLocaleString("en-US")} rows`);
