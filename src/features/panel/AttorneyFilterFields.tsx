import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { lazyComponent } from "#web/lazy-component.tsx";
import type { FilterNames } from "#list/define-list.ts";
import { listPlans } from "#features/subscriptions/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { Filters } from "#web/ui/layout.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import type { AttorneyFilters } from "#features/attorneys/shapes.ts";
import type { ChooseFilter } from "./use-attorney-filters.tsx";

/** The list does not wait for a field to search in. */
const RecordSelect = lazyComponent(
  "The list of firms",
  async () => (await import("#list/RecordSelect.tsx")).RecordSelect,
);

const statusOptions = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "paused", label: "On vacation" },
  { value: "suspended", label: "Suspended" },
  { value: "left", label: "Left" },
] as const satisfies { value: "" | NonNullable<AttorneyFilters["status"]>; label: string }[];

const owesOptions = [
  { value: "", label: "All" },
  { value: "any", label: "Anything" },
  { value: "30", label: "For over 30 days" },
  { value: "60", label: "For over 60 days" },
  { value: "90", label: "For over 90 days" },
] as const satisfies { value: "" | NonNullable<AttorneyFilters["owes"]>; label: string }[];

const signedInOptions = [
  { value: "", label: "All" },
  { value: "never", label: "Never" },
] as const;

const emailOptions = [
  { value: "", label: "All" },
  { value: "refused", label: "Refuses mail" },
] as const;

interface AttorneyFilterFieldsProps {
  filters: AttorneyFilters;
  names: FilterNames;
  choose: ChooseFilter;
}

export function AttorneyFilterFields({ filters, names, choose }: AttorneyFilterFieldsProps) {
  const { search, status, owes, plan_id, firm_id, signed_in, email } = filters;
  const plans = useQuery(endpointQuery(listPlans));
  return (
    <Filters many>
      <SearchField
        label="Search"
        value={search}
        onSearch={(text) => choose("search", text, { replace: true })}
      />
      <SelectField
        label="Status"
        error={undefined}
        options={statusOptions}
        value={status ?? ""}
        onChange={(chosen) => choose("status", chosen)}
      />
      <SelectField
        label="Owes"
        error={undefined}
        options={owesOptions}
        value={owes ?? ""}
        onChange={(chosen) => choose("owes", chosen)}
      />
      <SelectField
        label="Subscription"
        error={undefined}
        options={[
          { value: "", label: "All" },
          ...(plans.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        value={String(plan_id ?? "")}
        onChange={(chosen) => choose("plan_id", chosen)}
      />
      <Suspense fallback={<FirmToCome />}>
        <RecordSelect
          of="firms"
          label="Firm"
          placeholder="All"
          error={undefined}

          value={firm_id ? String(firm_id) : null}
          valueName={names.firm_id}
          onChange={(chosen) => choose("firm_id", chosen ?? "")}
        />
      </Suspense>
      <SelectField
        label="Signed in"
        error={undefined}
        options={signedInOptions}
        value={signed_in ?? ""}
        onChange={(chosen) => choose("signed_in", chosen)}
      />
      <SelectField
        label="Email"
        error={undefined}
        options={emailOptions}
        value={email ?? ""}
        onChange={(chosen) => choose("email", chosen)}
      />
    </Filters>
  );
}

/** The field's place while its code is on its way. */
function FirmToCome() {
  return (
    <SelectField
      label="Firm"
      error={undefined}
      options={[{ value: "", label: "All" }]}
      value=""
      onChange={() => undefined}
    />
  );
}
