import { Link, useSearchParams } from "react-router";
import { pathAfterSignIn } from "#web/sign-in-redirect.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Form } from "#web/ui/Form.tsx";
import { Muted, Stack } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { TextField } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.tsx";
import { signIn } from "./sign-in.tsx";

export function SignInScreen() {
  const [search] = useSearchParams();
  const form = useForm({
    start: { email: "", password: "" },
    send: signIn,
    onDone: () => window.location.assign(pathAfterSignIn(search.get("next"))),
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
        prove={signInWithPasskey}
        onDone={() => window.location.assign(pathAfterSignIn(search.get("next")))}
      />
      <Stack gap={4}>
        <Link to="/sign-in/link">Forgotten your password?</Link>
        <Muted small>No account yet? Your referral service can send you an invitation.</Muted>
      </Stack>
    </>
  );
}
