import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type EventType, eventTypes } from "./contract.ts";
import { eventLabels } from "./event-labels.tsx";
import css from "./webhooks.module.css";

/** The events that a webhook sends. */
export function EventTypesField({
  value,
  onChange,
  error,
  id,
}: Omit<FieldProps<EventType[]>, "label">) {
  return (
    <fieldset className={css["events"]} id={id} tabIndex={-1}>
      <legend>Events to send</legend>
      {error && <p className={css["error"]}>{error}</p>}
      <Row gap={8}>
        <Button small pending={false} onClick={() => onChange([...eventTypes])}>
          Check all
        </Button>
        <Button small pending={false} onClick={() => onChange([])}>
          Uncheck all
        </Button>
      </Row>
      {eventTypes.map((type) => (
        <CheckboxField
          key={type}
          label={eventLabels[type]}
          value={value.includes(type)}
          error={undefined}
          onChange={(isChecked) =>
            onChange(eventTypes.filter((one) => (one === type ? isChecked : value.includes(one))))
          }
        />
      ))}
    </fieldset>
  );
}
