import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import type { ExportType } from "#kit/list/reports-contract.ts";

interface EventTypesProps extends Omit<FieldProps<string>, "label"> {
  modes: ExportType["timeFilterModes"];
}

/** The event that the dates filter by; shown only if the export type has modes. Source: spec §2. */
export function EventTypes({ modes, ...field }: EventTypesProps) {
  return modes.length > 0 && <SelectField label="Event Types" options={modes} {...field} />;
}
