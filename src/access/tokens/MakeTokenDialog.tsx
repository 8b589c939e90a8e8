import { useState } from "react";
import type { Day } from "#kit/domain/day.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { CopyField } from "#kit/web/ui/CopyField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { makeApiToken } from "./contract.ts";

/** Make a token and show it once. */
export function MakeTokenDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const form = useForm({
    start: noToken,
    labels: { expires_on: "Last day" },
    send: (typed) => call(makeApiToken, { body: requestBody(makeApiToken, typed) }),
    onDone: setMade,
  });
  if (made)
    return (
      <Dialog title={`Token ${made.name}`} onClose={onClose}>
        <Stack>
          <p>
            Copy the token now. It will not be shown again. Anyone with this token has its
            permissions. Keep it secret.
          </p>
          <CopyField label="Token" value={made.token} />
        </Stack>
      </Dialog>
    );
  return (
    <Dialog title="Make a token" onClose={onClose}>
      <Form form={form}>
        <TextField
          label="Name"
          hint="What it is for, such as Accounting. The activity shows its changes under this name."
          {...form.field("name")}
        />
        <RadioField label="Scope" options={scopes} {...form.field("scope")} />
        <DayField
          label="Last day (optional)"
          hint="The token works through this day. Leave blank to use it until you revoke it."
          {...form.field("expires_on")}
        />
        <DialogActions>
          <SubmitButton pending={form.pending}>Make token</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

const noToken: { name: string; scope: "read" | "write"; expires_on: Day | null } = {
  name: "",
  scope: "read",
  expires_on: null,
};

const scopes = [
  { value: "read", label: "Read", hint: "See everything that administrators see" },
  {
    value: "write",
    label: "Read and write",
    hint: "Also make an administrator's changes, except to accounts, permissions and keys",
  },
] as const;
