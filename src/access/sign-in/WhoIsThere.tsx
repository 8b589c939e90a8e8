import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { renewCsrfToken } from "#kit/web/page-meta.tsx";
import { announceOwner } from "#kit/web/page-owner.tsx";
import { endpointQuery, queryClient, showSaved } from "#kit/web/queries.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import {
  confirmDiscard,
  hasUnsavedChanges,
  leaveWithoutConfirm,
} from "#kit/web/unsaved-changes.tsx";
import { type SignedInUser, showSession } from "#kit/contract/session.ts";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { SecondStep, secondStepTitle } from "./SecondStep.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.tsx";
import { signIn, type Wanted } from "./sign-in.tsx";

interface WhoIsThereProps {
  /** Whose page this is. */
  owner: SignedInUser;
  /** Somebody else, signed in in this browser by now; null: nobody is. */
  now: SignedInUser | null;
}

/**
 * Asks who is there, where the page's session has ended or is another person's. It hides the page meanwhile; what
 * was entered is its owner's, who signs in again, and gone for anybody else.
 */
export function WhoIsThere({ owner, now }: WhoIsThereProps) {
  const [signsIn, setSignsIn] = useState(false);
  return now && !signsIn ? (
    <OtherAccount owner={owner} now={now} onSignIn={() => setSignsIn(true)} />
  ) : (
    <SignInAgain user={owner} />
  );
}

function OtherAccount({
  owner,
  now,
  onSignIn,
}: {
  owner: SignedInUser;
  now: SignedInUser;
  onSignIn: () => void;
}) {
  const goOn = () => confirmDiscard(() => leaveWithoutConfirm("/"));
  return (
    <Dialog veiled title="Somebody else has signed in" onClose={goOn}>
      <Stack gap={16}>
        <p>
          This browser is now signed in as {now.name} ({now.networkName}). This page belongs to{" "}
          {owner.name} ({owner.networkName}).
        </p>
        <Row>
          <Button kind="primary" pending={false} onClick={goOn}>
            Go on as {now.name}
          </Button>
          <Button kind="quiet" pending={false} onClick={onSignIn}>
            Sign in as {owner.name}
          </Button>
        </Row>
      </Stack>
    </Dialog>
  );
}

function SignInAgain({ user }: { user: SignedInUser }) {
  const [wanted, setWanted] = useState<Wanted>("nothing");
  const handleSignedIn = async () => {
    await renewCsrfToken();
    const session = await call(showSession);
    if (session.user?.id !== user.id) return leaveWithoutConfirm("/");
    announceOwner();
    showSaved(endpointQuery(showSession).queryKey, session);
    await queryClient.invalidateQueries(); // requests in between were refused
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
              Your session has ended. Sign in as {user.name} to go on
              {hasUnsavedChanges() && ": what you entered is still there"}.
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
