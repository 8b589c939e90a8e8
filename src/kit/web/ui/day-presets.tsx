import type { Day } from "#kit/domain/day.ts";
import {
  type Period,
  type PeriodName,
  periodNamed,
  periodNames,
  periodOf,
} from "#kit/domain/periods.ts";
import { SelectField } from "./ChoiceField.tsx";

export const periodWords: Record<PeriodName, string> = {
  this_month: "This month",
  last_month: "Last month",
  this_quarter: "This quarter",
  last_quarter: "Last quarter",
  this_year: "This year",
  last_year: "Last year",
};

type Choice = PeriodName | "any" | "other";

const choices: { value: Choice; label: string }[] = [
  { value: "any", label: "Any time" },
  ...periodNames.map((name) => ({ value: name, label: periodWords[name] })),
];
const otherDays = { value: "other" as const, label: "Other dates" };

interface PeriodFieldProps {
  label?: string;
  from: Day | undefined;
  to: Day | undefined;
  today: Day;
  /** Null: any time. */
  onChoose: (period: Period | null) => void;
  /** Both days are required: "Any time" is not offered. */
  required?: boolean;
}

/** Beside two date fields: sets both to a month, a quarter or a year. */
export function PeriodField(props: PeriodFieldProps) {
  const { label = "Period", from, to, today, onChoose, required = false } = props;
  const isAny = from === undefined && to === undefined;
  const named = periodNamed({ from, to }, today);
  const value: Choice = isAny ? "any" : (named ?? "other");
  const offered = required && !isAny ? choices.filter((one) => one.value !== "any") : choices;
  return (
    <SelectField
      label={label}
      error={undefined}
      value={value}
      options={value === "other" ? [...offered, otherDays] : offered}
      onChange={(chosen) => {
        if (chosen === "other") return;
        onChoose(chosen === "any" ? null : periodOf(chosen, today));
      }}
    />
  );
}
