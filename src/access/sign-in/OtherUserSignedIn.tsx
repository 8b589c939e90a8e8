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
  /** The person who opened the page. */
  owner: SignedInUser;
  /** The other person now signed in in this browser; null if nobody is. */
  now: SignedInUser | null;
}

/**
 * Hides the page and asks who is there, after its session has ended or become another person's. The owner keeps the
 * page's input by signing in again; for anyone else it is lost.
 */
export function OtherUserSignedIn({ owner, now }: WhoIsThereProps) {
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
    <Dialog veiled title="Someone else has signed in" onClose={goOn}>
      <Stack gap={16}>
        <p>
          This browser is now signed in as {now.name} ({now.networkName}). This page belongs to{" "}
          {owner.name} ({owner.networkName}).
        </p>
        <Row>
          <Button kind="primary" pending={false} onClick={goOn}>
            Continue as {now.name}
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
        // A typed password need not be saved, so closing asks only about the page's input.
        <Stack gap={16}>
          <Form form={{ ...form, isUnsaved: false }}>
            <p>
              Your session has ended. Sign in as {user.name} to continue.
              {hasUnsavedChanges() && " What you entered is still there."}
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
                I am someone else
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
