import { useQuery } from "@tanstack/react-query";
import { asking } from "#web/queries.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { Row } from "#web/ui/layout.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import css from "./activity.module.css";
import { listPeople } from "./contract.ts";
import { recordWords } from "./record-words.tsx";
import type { ActivityFilters } from "./use-activity-filters.tsx";

const recordOptions = [
  { value: "", label: "All" },
  ...Object.entries(recordWords).map(([value, label]) => ({ value, label })),
];

interface ActivityFilterFieldsProps {
  filters: ActivityFilters;
  /** Nothing was found: what is said of that offers to clear the filters, too. */
  isEmpty: boolean;
}

/** Filters by person, by record and by day; all of them stand in the address. */
export function ActivityFilterFields({ filters, isEmpty }: ActivityFilterFieldsProps) {
  const { who, type, record, attorney, from, to, isFiltered, choose } = filters;
  const people = useQuery(asking(listPeople));
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
          {attorney !== undefined && <span>{`Only what concerns attorney ${attorney}.`}</span>}
          {record !== undefined && (
            <span>{`Only ${recordWords[type] ?? "record"} ${record}.`}</span>
          )}
          {!isEmpty && (
            <ButtonLink kind="quiet" small to="/admin/activity">
              Clear filters
            </ButtonLink>
          )}
        </Row>
      )}
    </>
  );
}
