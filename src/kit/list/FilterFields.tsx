import { Suspense } from "react";
import { type Day, isDay } from "#kit/domain/day.ts";
import type { FilterField, FilterNames, Filters, FiltersOf } from "#kit/list/define-list.ts";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { PeriodField } from "#kit/web/ui/day-presets.tsx";
import { Field } from "#kit/web/ui/Field.tsx";
import { Filters as FilterBar } from "#kit/web/ui/layout.tsx";
import { SearchField } from "#kit/web/ui/SearchField.tsx";

/** Loaded later, so that the list does not wait for it. */
const RecordSelect = lazyComponent(
  "The list of names",
  async () => (await import("./RecordSelect.tsx")).RecordSelect,
);

/** The few records that the screen knows: id and name of each, or only names. */
export type RecordOptions = readonly ({ id: number | string; name: string } | string)[];

interface FilterFieldsProps {
  filters: FiltersOf;
  address: Filters;
  names: FilterNames;
  /** For filters that choose from a short list of records. */
  options?: Record<string, RecordOptions | undefined>;
  choose: (changes: Filters, options?: { replace: boolean }) => void;
}

/** The filter fields of a list, the search first. */
export function FilterFields({ filters, address, names, options = {}, choose }: FilterFieldsProps) {
  const fields = Object.entries(filters).flatMap(([name, { field, onlyWith }]) =>
    field && (onlyWith?.(address) ?? true) ? [{ name, field }] : [],
  );
  const isSearch = ({ field }: { field: FilterField }) => field.kind === "search";
  const inOrder = [...fields.filter(isSearch), ...fields.filter((one) => !isSearch(one))];
  if (inOrder.length === 0) return null;
  return (
    <FilterBar many={inOrder.length > 3}>
      {inOrder.map(({ name, field }) => (
        <OneFilter
          key={name}
          {...{ name, field, address, choose }}
          recordName={names[name]}
          options={options[name]}
        />
      ))}
    </FilterBar>
  );
}

interface OneFilterProps extends Pick<FilterFieldsProps, "address" | "choose"> {
  name: string;
  field: FilterField;
  recordName: string | undefined;
  options: RecordOptions | undefined;
}

function OneFilter({ name, field, address, recordName, options, choose }: OneFilterProps) {
  const { label } = field;
  const value = address[name] ?? "";
  const set = (text: string) => choose({ [name]: text });
  if (field.kind === "search")
    return (
      <SearchField
        label={label}
        value={value}
        onSearch={(typed) => choose({ [name]: typed }, { replace: true })}
      />
    );
  if (field.kind === "day")
    return (
      <>
        {field.period !== undefined && <Period label={field.period} {...{ address, choose }} />}
        <DayField
          label={label}
          error={undefined}
          value={isDay(value) ? value : null}
          onChange={() => undefined}
          onSettled={(day) => set(day ?? "")}
        />
      </>
    );
  if (field.kind === "choice") {
    const offered = field.options(value);
    return (
      <SelectField
        label={label}
        error={undefined}
        options={offered}
        value={offered.some((one) => one.value === value) ? value || field.usual : field.usual}
        onChange={(chosen) => set(chosen === field.usual ? "" : chosen)}
      />
    );
  }
  if (field.kind === "given" || field.of === "plans") {
    const known = (options ?? []).map((one) =>
      typeof one === "string"
        ? { value: one, label: one }
        : { value: String(one.id), label: one.name },
    );
    const isMissing = field.kind === "given" && known.every((one) => one.value !== value);
    return (
      <SelectField
        label={label}
        error={undefined}
        options={[
          field.kind === "given" ? { value: "", label: field.all } : all,
          ...known,
          ...(isMissing && value !== "" ? [{ value, label: value }] : []),
        ]}
        value={value}
        onChange={set}
      />
    );
  }
  return (
    <Suspense
      fallback={
        <Field label={label} error={undefined}>
          {/* Pressed now, it would close again when the list of names is here. */}
          {(control) => (
            <select {...control} disabled>
              <option>{all.label}</option>
            </select>
          )}
        </Field>
      }
    >
      <RecordSelect
        of={field.of}
        label={label}
        error={undefined}
        placeholder="All"
        value={value === "" ? null : value}
        valueName={recordName}
        onChange={(chosen) => set(chosen ?? "")}
      />
    </Suspense>
  );
}

const all = { value: "", label: "All" };

interface PeriodProps extends Pick<FilterFieldsProps, "address" | "choose"> {
  label: string;
}

/** Sets both days. */
function Period({ label, address, choose }: PeriodProps) {
  return (
    <PeriodField
      label={label}
      from={dayIn(address["from"])}
      to={dayIn(address["to"])}
      today={useToday()}
      onChoose={(period) => choose({ from: "", to: "", ...period })}
    />
  );
}

const dayIn = (text: string | undefined): Day | undefined =>
  text !== undefined && isDay(text) ? text : undefined;
