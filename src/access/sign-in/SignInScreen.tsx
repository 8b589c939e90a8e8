import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { pathAfterSignIn } from "#kit/web/sign-in-redirect.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.tsx";
import { SecondStep, secondStepTitle } from "./SecondStep.tsx";
import { signIn, type Wanted } from "./sign-in.tsx";

export function SignInScreen() {
  const [search] = useSearchParams();
  const [wanted, setWanted] = useState<Wanted>("nothing");
  const handleDone = () => window.location.assign(pathAfterSignIn(search.get("next")));
  if (wanted === "nothing") return <PasswordStep onDone={handleDone} onWanted={setWanted} />;
  return (
    <>
      <PageHeading key="second step" title={secondStepTitle[wanted]} />
      <SecondStep wanted={wanted} onSignedIn={handleDone} onRestart={() => setWanted("nothing")} />
    </>
  );
}

function PasswordStep(props: { onDone: () => void; onWanted: (wanted: Wanted) => void }) {
  const form = useForm({
    start: { email: "", password: "" },
    send: signIn,
    onDone: (wanted) => (wanted === "nothing" ? props.onDone() : props.onWanted(wanted)),
  });
  return (
    <>
      <PageHeading title="Sign in" />
      <Form form={form}>
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
        <SubmitButton pending={form.pending}>Sign in</SubmitButton>
      </Form>
      <PasskeyButton
        label="Use a passkey"
        prove={async () => {
          await signInWithPasskey();
          props.onDone();
        }}
      />
      <Stack gap={4}>
        <Link to="/sign-in/link">Forgot your password?</Link>
        <Muted small>No account yet? Your referral service can send you an invitation.</Muted>
      </Stack>
    </>
  );
}
