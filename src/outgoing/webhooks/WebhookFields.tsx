import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import type { EventType } from "./contract.ts";
import { EventTypesField } from "./EventTypesField.tsx";

interface WebhookFieldsProps {
  url: Omit<FieldProps<string>, "label">;
  types: Omit<FieldProps<EventType[]>, "label">;
}

/** What a webhook is, as it is entered. */
export function WebhookFields({ url, types }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label="Address"
        hint="Where your program listens, such as https://example.org/webhooks"
        {...url}
      />
      <EventTypesField {...types} />
    </>
  );
}
