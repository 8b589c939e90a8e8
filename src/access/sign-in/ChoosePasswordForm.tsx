import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { HiddenUsername, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { acceptLink } from "./contract.ts";
import { SecondStep } from "./SecondStep.tsx";
import { signIn, type Wanted } from "./sign-in.tsx";

interface ChoosePasswordFormProps {
  token: string;
  name: string;
  email: string;
}

/** Uses the link, then signs in with the new password. */
export function ChoosePasswordForm({ token, name, email }: ChoosePasswordFormProps) {
  const [wanted, setWanted] = useState<Wanted>("nothing");
  /** Why signing in failed after the password was set. The link is used, so the form cannot be sent again. */
  const [notSignedIn, setNotSignedIn] = useState<string | null>(null);
  const form = useForm({
    start: { password: "" },
    send: async ({ password }) => {
      await call(acceptLink, { body: requestBody(acceptLink, { token, password }) });
      return await signIn({ email, password }).catch((problem: unknown) => {
        setNotSignedIn(problem instanceof Error ? problem.message : "");
        return null;
      });
    },
    onDone: (next) => {
      if (next === null) return;
      if (next === "nothing") window.location.assign("/");
      else setWanted(next);
    },
  });
  if (notSignedIn !== null)
    return (
      <>
        <p>Your password was saved, but signing in did not work. {notSignedIn}</p>
        <p>
          <a href="/sign-in">Sign in</a>
        </p>
      </>
    );
  if (wanted !== "nothing")
    return (
      <>
        <p>Your password was saved. Now use your second factor to sign in.</p>
        <SecondStep
          wanted={wanted}
          onSignedIn={() => window.location.assign("/")}
          onRestart={() => window.location.assign("/sign-in")}
        />
      </>
    );
  return (
    <Form form={form}>
      <p>
        Welcome, {name}. You will sign in as <strong>{email}</strong>.
      </p>
      <HiddenUsername email={email} />
      <TextField
        label="Password"
        hint="At least 12 characters, such as a few words"
        type="password"
        autoComplete="new-password"
        {...form.field("password")}
      />
      <SubmitButton pending={form.pending}>Choose password and sign in</SubmitButton>
    </Form>
  );
}
