import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { sendsMail } from "#kit/web/mail-delivery.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
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
          Enter the email address that you sign in with.{" "}
          {sendsMail()
            ? "A link to choose a password is mailed to it."
            : "This service sends no mail yet: ask your referral service for the link to choose a password."}{" "}
          If you have never signed in, ask your referral service for an invitation.
        </p>
        <TextField
          label="Email address"
          type="email"
          autoComplete="username"
          {...form.field("email")}
        />
        <SubmitButton pending={form.pending}>
          {sendsMail() ? "Mail me a link" : "Make a link"}
        </SubmitButton>
      </Form>
      <Notice>
        {askedFor &&
          (sendsMail()
            ? `If you sign in with ${askedFor}, a link is on its way. It works once, for two hours.`
            : `If you sign in with ${askedFor}, a link is made, and kept where this service runs. It works once, for two hours.`)}
      </Notice>
    </>
  );
}
