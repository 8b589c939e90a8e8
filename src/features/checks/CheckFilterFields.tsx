import { SelectField } from "#web/ui/ChoiceField.tsx";
import { useToday } from "#web/session.tsx";
import { PeriodField } from "#web/ui/day-presets.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { Filters } from "#web/ui/layout.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { checkStatusWord } from "./CheckStatus.tsx";
import { checkStatuses } from "./contract.ts";
import css from "./checks.module.css";
import type { CheckFilters } from "./use-check-filters.tsx";

const statusOptions = [
  { value: "all", label: "All" },
  ...checkStatuses.map((status) => ({ value: status, label: checkStatusWord(status) })),
] as const;

const depositOptions = [
  { value: "", label: "All" },
  { value: "true", label: "In a deposit" },
  { value: "false", label: "In none yet" },
] as const;

/** What checks are found by; all of it is in the address. */
export function CheckFilterFields({ filters }: { filters: CheckFilters }) {
  const { search, status, from, to, deposited, choose } = filters;
  return (
    <div className={css["filters"]}>
      <Filters>
        <SearchField
          label="Search by number, payer, lawyer or amount"
          value={search}
          onSearch={(text) => choose("search", text, { replace: true })}
        />
        <SelectField
          label="Status"
          error={undefined}
          options={statusOptions}
          value={status}
          onChange={(chosen) => choose("status", chosen === "pending" ? "" : chosen)}
        />
        <SelectField
          label="Deposit"
          error={undefined}
          options={depositOptions}
          value={deposited}
          onChange={(chosen) => choose("deposited", chosen)}
        />
        <PeriodField
          label="Received"
          from={from}
          to={to}
          today={useToday()}
          onChoose={filters.chooseDays}
        />
        <DayField
          label="Received from"
          error={undefined}
          value={from ?? null}
          onChange={() => undefined}
          onSettled={(day) => choose("from", day ?? "")}
        />
        <DayField
          label="Received to"
          error={undefined}
          value={to ?? null}
          onChange={() => undefined}
          onSettled={(day) => choose("to", day ?? "")}
        />
      </Filters>
    </div>
  );
}
