import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { sendsMail } from "#kit/web/mail-delivery.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { requestLink } from "./contract.ts";

/** Request an email with a link to choose a new password. Does not reveal whether there is an account. */
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
            ? "We will send you a link to choose a password."
            : "This service does not send email yet. Ask your referral service for the link to choose a password."}{" "}
          If you have never signed in, ask your referral service for an invitation.
        </p>
        <TextField
          label="Email address"
          type="email"
          autoComplete="username"
          {...form.field("email")}
        />
        <SubmitButton pending={form.pending}>
          {sendsMail() ? "Email me a link" : "Make a link"}
        </SubmitButton>
      </Form>
      <Notice>
        {askedFor &&
          (sendsMail()
            ? `If ${askedFor} has an account, a link is on its way. It works once, for two hours.`
            : `If ${askedFor} has an account, a link was made and saved on this service's server. It works once, for two hours.`)}
      </Notice>
    </>
  );
}
