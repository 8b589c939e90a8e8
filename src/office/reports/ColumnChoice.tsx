import { Button } from "#kit/web/ui/Button.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import type { ExportType } from "#kit/list/reports-contract.ts";
import css from "./exports.module.css";

interface ColumnChoiceProps extends Omit<FieldProps<string[]>, "label"> {
  columns: ExportType["columns"];
}

/** The columns to include, if the type offers a choice. Tooltips are also hints, for touch and screen readers. */
export function ColumnChoice({ columns, value, onChange, error, id }: ColumnChoiceProps) {
  if (columns.length === 0) return null;
  return (
    <fieldset className={css["group"]} id={id} tabIndex={-1}>
      <legend>Include</legend>
      {error && <p className={css["error"]}>{error}</p>}
      <Row gap={8}>
        <Button small pending={false} onClick={() => onChange(columns.map((one) => one.value))}>
          Check all
        </Button>
        <Button small pending={false} onClick={() => onChange([])}>
          Uncheck all
        </Button>
      </Row>
      <div className={css["columns"]}>
        {columns.map((column) => (
          <div key={column.value} title={column.tooltip}>
            <CheckboxField
              label={column.label}
              hint={column.tooltip}
              value={value.includes(column.value)}
              error={undefined}
              onChange={(isChecked) =>
                onChange(
                  isChecked
                    ? [...value, column.value]
                    : value.filter((chosen) => chosen !== column.value),
                )
              }
            />
          </div>
        ))}
      </div>
    </fieldset>
  );
}
