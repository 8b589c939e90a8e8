import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#web/api.tsx";
import { endpointQuery, refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Muted, Row } from "#web/ui/layout.tsx";
import { SearchSelect } from "#web/ui/SearchSelect.tsx";
import { ErrorState } from "#web/ui/states.tsx";
import { listExports, type ExportType, requestExport, showExportOptions } from "./contract.ts";
import css from "./exports.module.css";
import { ExportDialog } from "./ExportDialog.tsx";
import { ReportPicture } from "./ReportPicture.tsx";

/** Choose a type and request its export: through the dialog where it has columns, else at once. Spec §2. */
export function ExportPanel() {
  const options = useQuery(endpointQuery(showExportOptions));
  const [chosen, setChosen] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const ordering = useMutation({
    mutationFn: (type: ExportType) => call(requestExport, { body: plainRequest(type) }),
    onSuccess: ({ message }) => alertAndRefetch(message),
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
      {isOpen && type && options.data && (
        <ExportDialog
          type={type}
          attorneys={options.data.attorneys}
          onClose={() => setOpen(false)}
          onDone={(message) => {
            setOpen(false);
            alertAndRefetch(message);
          }}
        />
      )}
    </>
  );
}

/** What the chosen type is for, and when it was last made. */
function AboutType({ type: { value, description, lastMade } }: { type: ExportType }) {
  return (
    <div className={`${css["about"]} actions`}>
      <p>
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
      <ReportPicture type={value} />
    </div>
  );
}

/** A type without columns is requested at once, with no columns and no dates. Source: spec §2. */
function plainRequest(type: ExportType) {
  return { report_type: type.value, columns: [] };
}

/** The returned message is shown in a browser alert. Source: spec §8. */
function alertAndRefetch(message: string): void {
  void refetch(listExports);
  window.alert(message);
}
