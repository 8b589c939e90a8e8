import { type Day, formatDay } from "#kit/domain/day.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { PeriodField } from "#kit/web/ui/day-presets.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import type { ExportType } from "#kit/list/reports-contract.ts";
import css from "./exports.module.css";

type Field<Value> = Omit<FieldProps<Value>, "label">;

interface DateRangeProps {
  permission: ExportType["timeFilterPermissions"];
  mode: Field<"range" | "all-time">;
  start: Field<string | null>;
  end: Field<string | null>;
  today: Day;
  /** The first day that the last report of this type left out; null if there was none. */
  sinceLast: Day | null;
}

/** "either" leaves the choice, "range" forces dates, anything else shows none. Source: spec §4. */
export function DateRange({ permission, mode, start, end, today, sinceLast }: DateRangeProps) {
  if (permission !== "either" && permission !== "range") return null;
  const isRange = permission === "range" || mode.value === "range";
  const choose = (from: Day, to: Day) => {
    start.onChange(from);
    end.onChange(to);
  };
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
        <>
          <Row gap={16}>
            <DayField label="Start date" {...start} />
            <DayField label="End date" {...end} />
          </Row>
          <Row gap={16} align="end">
            <PeriodField
              required
              from={start.value ?? undefined}
              to={end.value ?? undefined}
              today={today}
              onChoose={(period) => period && choose(period.from, period.to)}
            />
            {sinceLast !== null && (
              <Button small pending={false} onClick={() => choose(sinceLast, today)}>
                Since last time ({formatDay(sinceLast)})
              </Button>
            )}
          </Row>
        </>
      )}
    </fieldset>
  );
}
