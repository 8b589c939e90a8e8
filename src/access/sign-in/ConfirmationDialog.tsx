import { call, requestBody } from "#kit/web/api.tsx";
import { useConfirmation } from "#kit/web/confirmation.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { HiddenUsername, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { provePasskey } from "./browser-passkeys.tsx";
import { confirmByPasskey, confirmPassword, startPasskeyConfirmation } from "./contract.ts";
import { PasskeyButton } from "./PasskeyButton.tsx";

/** Asks for the password while a call waits for confirmation. The page keeps its input, and the call then continues. */
export function ConfirmationDialog() {
  const { isAsked, settle } = useConfirmation();
  return isAsked && <AskWhoThisIs onSettled={settle} />;
}

function AskWhoThisIs({ onSettled }: { onSettled: (isConfirmed: boolean) => void }) {
  const { email } = useSession();
  const form = useForm({
    start: { password: "" },
    send: (typed) => call(confirmPassword, { body: requestBody(confirmPassword, typed) }),
    onDone: () => onSettled(true),
  });
  const cancel = () => onSettled(false);
  return (
    <Dialog brief title="Confirm that this is you" onClose={cancel}>
      {/* A typed password need not be saved, so closing does not ask about it. */}
      <Stack gap={16}>
        <Form form={{ ...form, isUnsaved: false }}>
          <HiddenUsername email={email} />
          <p>Enter your password to continue. We will not ask again for ten minutes.</p>
          <TextField
            label="Your password"
            type="password"
            autoComplete="current-password"
            {...form.field("password")}
          />
          <Row>
            <SubmitButton pending={form.pending}>Confirm</SubmitButton>
            <Button kind="quiet" pending={false} onClick={cancel}>
              Cancel
            </Button>
          </Row>
        </Form>
        <PasskeyButton
          label="Use a passkey instead"
          prove={async () => {
            await confirmWithPasskey();
            onSettled(true);
          }}
        />
      </Stack>
    </Dialog>
  );
}

async function confirmWithPasskey() {
  const response = await provePasskey(await call(startPasskeyConfirmation));
  return await call(confirmByPasskey, { body: requestBody(confirmByPasskey, { response }) });
}
