import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { SearchSelect } from "#kit/web/ui/SearchSelect.tsx";
import type { ExportOptions } from "#kit/list/reports-contract.ts";

interface AttorneyFilterProps extends Omit<FieldProps<string>, "label"> {
  attorneys: ExportOptions["attorneys"];
}

const all = { value: "", label: "All attorneys" };

/** Filters by one attorney or all. On a long panel, typing part of a name finds an attorney. */
export function AttorneyFilter({ attorneys, onChange, ...field }: AttorneyFilterProps) {
  return (
    <SearchSelect
      label="Filter by"
      options={[all, ...byName(attorneys)]}
      pending={false}
      onChange={(id) => onChange(id ?? "")}
      {...field}
    />
  );
}

function byName(attorneys: ExportOptions["attorneys"]) {
  return Object.entries(attorneys)
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => inOrder.compare(a.label, b.label));
}

/** Sorts as the database does: accents, case, apostrophes and dashes do not count. */
const inOrder = new Intl.Collator("en", { sensitivity: "base", ignorePunctuation: true });
