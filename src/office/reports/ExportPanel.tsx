import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { isDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { SearchSelect } from "#kit/web/ui/SearchSelect.tsx";
import { ErrorState } from "#kit/web/ui/states.tsx";
import { type ExportType, requestExport, showExportOptions } from "#kit/list/reports-contract.ts";
import css from "./exports.module.css";
import { ExportDialog } from "./ExportDialog.tsx";

/**
 * Choose a type and request its export: through the dialog if it has columns, else immediately. Spec §2. Another screen
 * can open a type's dialog by address: `?type=receivables_as_of&day=2026-11-22`.
 */
export function ExportPanel() {
  const options = useQuery(endpointQuery(showExportOptions));
  const [address, setAddress] = useSearchParams();
  const asked = address.get("type");
  const day = address.get("day") ?? "";
  const [chosen, setChosen] = useState(asked);
  const [isOpen, setOpen] = useState(asked !== null);
  const close = () => {
    setOpen(false);
    if (asked !== null) setAddress({}, { replace: true });
  };
  const ordering = useMutation({
    mutationFn: (type: ExportType) => call(requestExport, { body: plainRequest(type) }),
    onSuccess: ({ message }) => window.alert(message),
  });
  const types = options.data?.reportTypes ?? [];
  const type = types.find(({ value }) => value === chosen);

  if (options.error && !options.data)
    return (
      <ErrorState
        title="The report types could not be loaded"
        error={options.error}
        pending={options.isFetching}
        onRetry={() => void options.refetch()}
      />
    );
  return (
    <>
      <div className={`${css["panel"]} actions`}>
        <SearchSelect
          label="Report type"
          placeholder="Select a report type"
          options={types.map(({ value, label }) => ({ value, label }))}
          value={chosen}
          onChange={setChosen}
          pending={options.isPending}
          error={undefined}
        />
        <Row gap={8}>
          <Button
            kind="primary"
            disabled={!type}
            pending={ordering.isPending}
            onClick={() => {
              if (!type) return;
              if (type.columns.length > 0) setOpen(true);
              else ordering.mutate(type);
            }}
          >
            Create report
          </Button>
        </Row>
      </div>
      {type && <AboutType type={type} />}
      {isOpen && type && type.columns.length > 0 && options.data && (
        <ExportDialog
          type={type}
          attorneys={options.data.attorneys}
          day={isDay(day) ? day : undefined}
          onClose={close}
          onDone={(message) => {
            close();
            window.alert(message);
          }}
        />
      )}
    </>
  );
}

/** What the chosen type is for, and when it was last made. */
function AboutType({ type: { description, lastMade } }: { type: ExportType }) {
  return (
    <p className={`${css["about"]} actions`}>
      {description}{" "}
      <Muted>
        {lastMade ? (
          <>
            Last made <TimeText at={lastMade.at} />.
          </>
        ) : (
          "Not made yet."
        )}
      </Muted>
    </p>
  );
}

/** A type without columns is requested immediately, without columns or dates. Source: spec §2. */
function plainRequest(type: ExportType) {
  return { report_type: type.value, columns: [] };
}
