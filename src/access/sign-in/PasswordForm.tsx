import { requestBody, call } from "#kit/web/api.tsx";
import { useSession } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { HiddenUsername, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changePassword } from "./contract.ts";
import type { WithNotice } from "./security-notice.tsx";

export function PasswordForm({ done, onDone }: WithNotice) {
  const { email } = useSession();
  const form = useForm({
    start: { current_password: "", new_password: "" },
    send: (typed) => {
      onDone(null);
      return call(changePassword, { body: requestBody(changePassword, typed) });
    },
    onDone: () => {
      form.reset();
      onDone("Your password was changed. You have been signed out everywhere else.");
    },
  });
  return (
    <>
      <Notice>{done}</Notice>
      <Form form={form}>
        <HiddenUsername email={email} />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          {...form.field("current_password")}
        />
        <TextField
          label="New password"
          hint="At least 12 characters, such as a few words. You will be signed out everywhere else."
          type="password"
          autoComplete="new-password"
          {...form.field("new_password")}
        />
        <div>
          <SubmitButton pending={form.pending}>Change password</SubmitButton>
        </div>
      </Form>
    </>
  );
}
