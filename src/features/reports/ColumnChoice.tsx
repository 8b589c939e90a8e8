import { Button } from "#web/ui/Button.tsx";
import { CheckboxField } from "#web/ui/ChoiceField.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { Row } from "#web/ui/layout.tsx";
import type { ReportType } from "./contract.ts";
import css from "./reports.module.css";

interface ColumnChoiceProps extends Omit<FieldProps<string[]>, "label"> {
  columns: ReportType["columns"];
}

/** Which columns the report has. A column's tooltip is shown as its hint, so that a phone has it too. */
export function ColumnChoice({ columns, value, onChange, error, id }: ColumnChoiceProps) {
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
          <CheckboxField
            key={column.value}
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
        ))}
      </div>
    </fieldset>
  );
}
