import { useState } from "react";
import { requestBody, call } from "#web/api.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Form } from "#web/ui/Form.tsx";
import { Notice } from "#web/ui/states.tsx";
import { TextField } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { requestLink } from "./contract.ts";

/** Has a link mailed with which one chooses a new password. Whether there is an account is not said. */
export function RequestLinkForm() {
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const form = useForm({
    start: { email: "" },
    labels: { email: "Email address" },
    send: async (typed) => {
      setAskedFor(null);
      await call(requestLink, { body: requestBody(requestLink, typed) });
      return typed.email.trim();
    },
    onDone: setAskedFor,
  });
  return (
    <>
      <Form form={form}>
        <p>
          Enter the email address that you sign in with. A link to choose a password is mailed to
          it. If you have never signed in, ask your referral service for an invitation.
        </p>
        <TextField
          label="Email address"
          type="email"
          autoComplete="username"
          {...form.field("email")}
        />
        <SubmitButton pending={form.pending}>Mail me a link</SubmitButton>
      </Form>
      <Notice>
        {askedFor &&
          `If you sign in with ${askedFor}, a link is on its way. It works once, for two hours.`}
      </Notice>
    </>
  );
}
