import { useEffect, useState } from "react";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.tsx";
import { type CodeKind, signInWithCode, type Wanted } from "./sign-in.tsx";

interface SecondStepProps {
  wanted: Exclude<Wanted, "nothing">;
  /** The form stays pending until this is done. */
  onSignedIn: () => Promise<void> | void;
  /** Back to the password. */
  onRestart: () => void;
}

const other: Record<CodeKind, { kind: CodeKind; label: string }> = {
  app: { kind: "recovery", label: "Use a recovery code instead" },
  recovery: { kind: "app", label: "Use the authenticator app instead" },
};

/** The title of the step. */
export const secondStepTitle = { code: "Enter your code", passkey: "Use your passkey" };

/** The step after a right password, if a second factor is set up: a code or a passkey. */
export function SecondStep({ wanted, onSignedIn, onRestart }: SecondStepProps) {
  const [kind, setKind] = useState<CodeKind>("app");
  return (
    <Stack gap={24}>
      {wanted === "code" ? (
        <CodeForm key={kind} kind={kind} onSignedIn={onSignedIn} />
      ) : (
        <p>
          Your password is right. Now use your passkey, on the device that has it. If you have lost
          it, ask an administrator of your network to remove it.
        </p>
      )}
      <PasskeyButton
        label={wanted === "code" ? "Use a passkey instead" : "Use your passkey"}
        prove={async () => {
          await signInWithPasskey();
          await onSignedIn();
        }}
      />
      <Row gap={16}>
        {wanted === "code" && (
          <Button kind="quiet" pending={false} onClick={() => setKind(other[kind].kind)}>
            {other[kind].label}
          </Button>
        )}
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
  useEffect(() => document.getElementById(id)?.focus(), [id]); // the focused button is gone
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
          hint="One of the codes that you saved when you set up the app. It works once."
          {...field}
        />
      )}
      <SubmitButton pending={form.pending}>Sign in</SubmitButton>
    </Form>
  );
}
