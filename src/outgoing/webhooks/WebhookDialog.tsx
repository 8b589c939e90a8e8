import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import {
  changeWebhookEndpoint,
  eventTypes,
  removeWebhookEndpoint,
  renewWebhookSecret,
  type WebhookEndpoint,
} from "./contract.ts";
import { shortUrl } from "./event-labels.tsx";
import { SecretOnce } from "./SecretOnce.tsx";
import { WebhookFields } from "./WebhookFields.tsx";
import css from "./webhooks.module.css";

interface WebhookDialogProps {
  webhook: WebhookEndpoint;
  onClose: () => void;
  onDone: (done: string) => void;
}

/** Change a webhook, make a new secret for it, or remove it. */
export function WebhookDialog({ webhook, onClose, onDone }: WebhookDialogProps) {
  const { id, url, active } = webhook;
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm({
    start: {
      url,
      event_types: eventTypes.filter((type) => webhook.eventTypes.includes(type)),
      active,
    },
    labels: { url: "Address" },
    send: async (typed, saved) => {
      const body = requestBody(changeWebhookEndpoint, changedFields(saved, typed));
      if (Object.keys(body).length === 0) return webhook;
      return await call(changeWebhookEndpoint, { params: { id }, body });
    },
    onDone: (changed) => {
      onDone(`${shortUrl(changed.url)} was changed.`);
      onClose();
    },
  });
  if (secret !== null)
    return (
      <Dialog title="The new secret" onClose={onClose}>
        <SecretOnce secret={secret}>
          The old secret also works for 24 hours. Webhooks are signed with both.
        </SecretOnce>
      </Dialog>
    );
  return (
    <Dialog title="Change a webhook" onClose={onClose}>
      <Stack gap={24}>
        <Form form={form}>
          <WebhookFields url={form.field("url")} types={form.field("event_types")} />
          <CheckboxField
            label="On"
            hint="While it is off, events are neither sent nor stored."
            {...form.field("active")}
          />
          <DialogActions>
            <SubmitButton pending={form.pending}>Save webhook</SubmitButton>
          </DialogActions>
        </Form>
        <div className={css["more"]}>
          <Stack gap={12}>
            {webhook.oldSecretExpiresAt && (
              <p>
                The old secret also works until <DayText on={webhook.oldSecretExpiresAt} />.
              </p>
            )}
            <Row>
              <NewSecretButton webhook={webhook} onDone={setSecret} />
              <RemoveButton
                webhook={webhook}
                onDone={() => {
                  onDone(`${shortUrl(url)} was removed.`);
                  onClose();
                }}
              />
            </Row>
          </Stack>
        </div>
      </Stack>
    </Dialog>
  );
}

interface ActionProps {
  webhook: WebhookEndpoint;
}

function NewSecretButton({
  webhook: { id, oldSecretExpiresAt },
  onDone,
}: ActionProps & { onDone: (secret: string) => void }) {
  const renewing = useMutation({
    mutationFn: () => call(renewWebhookSecret, { params: { id } }),
    onSuccess: ({ secret }) => onDone(secret),
  });
  const question =
    "Make another new secret? The current secret works for 24 more hours. The one before it stops working now, even if the receiver still uses it.";
  return (
    <Button
      pending={renewing.isPending}
      onClick={() => {
        if (oldSecretExpiresAt === null || window.confirm(question)) renewing.mutate();
      }}
    >
      Make a new secret
    </Button>
  );
}

function RemoveButton({ webhook: { id, url }, onDone }: ActionProps & { onDone: () => void }) {
  const removing = useMutation({
    mutationFn: () => call(removeWebhookEndpoint, { params: { id } }),
    onSuccess: onDone,
  });
  const question = `Remove ${shortUrl(url)}? Waiting deliveries will not be sent, and its list of deliveries will be deleted.`;
  return (
    <Button
      kind="danger"
      pending={removing.isPending}
      onClick={() => {
        if (window.confirm(question)) removing.mutate();
      }}
    >
      Remove webhook
    </Button>
  );
}
