import { useState } from "react";
import { call } from "#web/api.tsx";
import { renewCsrfToken } from "#web/page-meta.tsx";
import { Button, SubmitButton } from "#web/ui/Button.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Form } from "#web/ui/Form.tsx";
import { Row, Stack } from "#web/ui/layout.tsx";
import { TextField } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { confirmDiscard, leaveWithoutConfirm } from "#web/unsaved-changes.tsx";
import { type SignedInUser, showSession } from "./contract.ts";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { SecondStep, secondStepTitle } from "./SecondStep.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.tsx";
import { signIn, type Wanted } from "./sign-in.tsx";

interface SignInAgainProps {
  /** Whose page this is. */
  user: SignedInUser;
  onDone: () => void;
}

/**
 * Signing in on the page, where the session has ended and leaving would lose what was entered. It
 * hides the page meanwhile, and takes it from whoever signs in as somebody else.
 */
export function SignInAgain({ user, onDone }: SignInAgainProps) {
  const [wanted, setWanted] = useState<Wanted>("nothing");
  const handleSignedIn = async () => {
    await renewCsrfToken();
    const { user: now } = await call(showSession);
    if (now?.id === user.id) onDone();
    else leaveWithoutConfirm("/");
  };
  const form = useForm({
    start: { email: "", password: "" },
    send: async (typed) => {
      await renewCsrfToken();
      const next = await signIn(typed);
      if (next === "nothing") await handleSignedIn();
      return next;
    },
    onDone: setWanted,
  });
  const leave = () => confirmDiscard(() => leaveWithoutConfirm("/sign-in"));
  return (
    <Dialog
      veiled
      title={wanted === "nothing" ? "Sign in again" : secondStepTitle[wanted]}
      onClose={leave}
    >
      {wanted !== "nothing" ? (
        <SecondStep
          wanted={wanted}
          onSignedIn={handleSignedIn}
          onRestart={() => setWanted("nothing")}
        />
      ) : (
        // A password is nothing to be kept: closing asks once, about what the page holds.
        <Stack gap={16}>
          <Form form={{ ...form, isUnsaved: false }}>
            <p>
              Your session has ended. Sign in as {user.name} to go on: what you entered is still
              there.
            </p>
            <TextField
              label="Email address"
              type="email"
              autoComplete="username"
              {...form.field("email")}
            />
            <TextField
              label="Password"
              type="password"
              autoComplete="current-password"
              {...form.field("password")}
            />
            <Row>
              <SubmitButton pending={form.pending}>Sign in</SubmitButton>
              <Button kind="quiet" pending={false} onClick={leave}>
                I am somebody else
              </Button>
            </Row>
          </Form>
          <PasskeyButton
            label="Use a passkey"
            prove={async () => {
              await renewCsrfToken();
              await signInWithPasskey();
              await handleSignedIn();
            }}
          />
        </Stack>
      )}
    </Dialog>
  );
}
