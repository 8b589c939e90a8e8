import { RadioField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { Row } from "#web/ui/layout.tsx";
import type { ExportType } from "./contract.ts";
import css from "./exports.module.css";

type Field<Value> = Omit<FieldProps<Value>, "label">;

interface DateRangeProps {
  permission: ExportType["timeFilterPermissions"];
  mode: Field<"range" | "all-time">;
  start: Field<string | null>;
  end: Field<string | null>;
}

/** "either" leaves the choice, "range" forces dates, anything else shows none. Source: spec §4. */
export function DateRange({ permission, mode, start, end }: DateRangeProps) {
  if (permission !== "either" && permission !== "range") return null;
  const isRange = permission === "range" || mode.value === "range";
  return (
    <fieldset className={css["group"]}>
      <legend>Date Range</legend>
      {permission === "either" && (
        <RadioField
          label="Which dates"
          labelHidden
          inline
          options={[
            { value: "all-time", label: "All time" },
            { value: "range", label: "Specific range" },
          ]}
          {...mode}
        />
      )}
      {isRange && (
        <Row gap={16}>
          <DayField label="Start date" {...start} />
          <DayField label="End date" {...end} />
        </Row>
      )}
    </fieldset>
  );
}
