import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import type { EventType } from "./contract.ts";
import { EventTypesField } from "./EventTypesField.tsx";

interface WebhookFieldsProps {
  url: Omit<FieldProps<string>, "label">;
  types: Omit<FieldProps<EventType[]>, "label">;
}

/** The fields of a webhook. */
export function WebhookFields({ url, types }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label="Address"
        hint="Where your program receives events, such as https://example.org/webhooks"
        {...url}
      />
      <EventTypesField {...types} />
    </>
  );
}
