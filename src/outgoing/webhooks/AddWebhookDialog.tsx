import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { addWebhookEndpoint, eventTypes } from "./contract.ts";
import { SecretOnce } from "./SecretOnce.tsx";
import { WebhookFields } from "./WebhookFields.tsx";

/** Add a webhook, then show its secret once. */
export function AddWebhookDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm({
    start: { url: "", event_types: [...eventTypes] },
    labels: { url: "Address" },
    send: (typed) => call(addWebhookEndpoint, { body: requestBody(addWebhookEndpoint, typed) }),
    onDone: (added) => setSecret(added.secret),
  });
  return (
    <Dialog title={secret === null ? "Add a webhook" : "Webhook added"} onClose={onClose}>
      {secret === null ? (
        <Form form={form}>
          <WebhookFields url={form.field("url")} types={form.field("event_types")} />
          <DialogActions>
            <SubmitButton pending={form.pending}>Add webhook</SubmitButton>
          </DialogActions>
        </Form>
      ) : (
        <SecretOnce secret={secret}>Then send a test.</SecretOnce>
      )}
    </Dialog>
  );
}
