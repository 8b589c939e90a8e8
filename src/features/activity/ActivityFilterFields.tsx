import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { showAttorney } from "#features/attorneys/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { Row } from "#web/ui/layout.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import css from "./activity.module.css";
import { type Activity, listPeople } from "./contract.ts";
import { recordTitle } from "./record-words.tsx";
import { recordLabels } from "./shapes.ts";
import type { ActivityFilters } from "./use-activity-filters.tsx";

const recordOptions = [
  { value: "", label: "All" },
  ...Object.entries(recordLabels).map(([value, label]) => ({ value, label })),
];

interface ActivityFilterFieldsProps {
  filters: ActivityFilters;
  /** The newest change that was found. Without one, what is said of that offers to clear the filters. */
  newest: Activity | undefined;
}

/** Filters by person, by record and by day; all of them are in the address. */
export function ActivityFilterFields({ filters, newest }: ActivityFilterFieldsProps) {
  const { who, type, record, attorney, from, to, isFiltered, choose } = filters;
  const people = useQuery(endpointQuery(listPeople));
  const names = new Set([...(people.data ?? []), ...(who ? [who] : [])]);
  return (
    <>
      <search className={css["filters"]}>
        <SelectField
          label="Who"
          error={undefined}
          options={[
            { value: "", label: "Everyone" },
            ...[...names].map((name) => ({ value: name, label: name })),
          ]}
          value={who}
          onChange={(name) => choose("who", name)}
        />
        <SelectField
          label="Record"
          error={undefined}
          options={recordOptions}
          value={type}
          onChange={(kind) => choose("type", kind)}
        />
        <DayField
          label="From"
          error={undefined}
          value={from ?? null}
          onChange={() => undefined}
          onSettled={(day) => choose("from", day ?? "")}
        />
        <DayField
          label="To"
          error={undefined}
          value={to ?? null}
          onChange={() => undefined}
          onSettled={(day) => choose("to", day ?? "")}
        />
      </search>
      {isFiltered && (
        <Row gap={16}>
          {attorney !== undefined && <AttorneyFilter attorneyId={attorney} />}
          {record !== undefined && newest && (
            <span>
              Only the {(recordLabels[type] ?? "record").toLowerCase()} {recordTitle(newest)}.
            </span>
          )}
          {newest && (
            <ButtonLink kind="quiet" small to="/admin/activity">
              Clear filters
            </ButtonLink>
          )}
        </Row>
      )}
    </>
  );
}

function AttorneyFilter({ attorneyId }: { attorneyId: number }) {
  const attorney = useQuery(endpointQuery(showAttorney, { params: { id: attorneyId } }));
  return attorney.data ? (
    <span>
      Only what concerns <Link to={`/admin/attorneys/${attorneyId}`}>{attorney.data.name}</Link>.
    </span>
  ) : null;
}
