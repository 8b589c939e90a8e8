import { useEffect, useState } from "react";
import { Button, SubmitButton } from "#web/ui/Button.tsx";
import { Form } from "#web/ui/Form.tsx";
import { Row, Stack } from "#web/ui/layout.tsx";
import { TextField } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { type CodeKind, signInWithCode } from "./sign-in.tsx";

interface SecondStepProps {
  /** The form goes on saying that it works until this is done. */
  onSignedIn: () => Promise<void> | void;
  /** Back to the password. */
  onRestart: () => void;
}

const other: Record<CodeKind, { kind: CodeKind; label: string }> = {
  app: { kind: "recovery", label: "Use a recovery code instead" },
  recovery: { kind: "app", label: "Use the authenticator app instead" },
};

/** After a right password, where a second factor is set up: the code. */
export function SecondStep({ onSignedIn, onRestart }: SecondStepProps) {
  const [kind, setKind] = useState<CodeKind>("app");
  return (
    <Stack gap={24}>
      <CodeForm key={kind} kind={kind} onSignedIn={onSignedIn} />
      <Row gap={16}>
        <Button kind="quiet" pending={false} onClick={() => setKind(other[kind].kind)}>
          {other[kind].label}
        </Button>
        <Button kind="quiet" pending={false} onClick={onRestart}>
          Start again
        </Button>
      </Row>
    </Stack>
  );
}

interface CodeFormProps extends Pick<SecondStepProps, "onSignedIn"> {
  kind: CodeKind;
}

function CodeForm({ kind, onSignedIn }: CodeFormProps) {
  const form = useForm({
    start: { code: "" },
    send: async ({ code }) => {
      await signInWithCode(kind, code);
      await onSignedIn();
    },
  });
  const field = form.field("code");
  const { id } = field;
  useEffect(() => document.getElementById(id)?.focus(), [id]); // the button that had it is gone
  return (
    <Form form={{ ...form, isUnsaved: false }}>
      {kind === "app" ? (
        <TextField
          label="Code"
          hint="The six digits that your authenticator app shows for Referral Network."
          autoComplete="one-time-code"
          inputMode="numeric"
          narrow
          {...field}
        />
      ) : (
        <TextField
          label="Recovery code"
          hint="One of those that you kept when you set up the app. It works once."
          {...field}
        />
      )}
      <SubmitButton pending={form.pending}>Sign in</SubmitButton>
    </Form>
  );
}
