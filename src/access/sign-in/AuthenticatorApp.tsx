import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { endpointQuery, refetch, showSaved } from "#kit/web/queries.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { ErrorState, Loading, Notice } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import {
  beginAuthenticatorApp,
  confirmAuthenticatorApp,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  type SecondFactor,
  showSecondFactor,
} from "./contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { QrCode } from "./QrCode.tsx";
import { RecoveryCodes } from "./RecoveryCodes.tsx";
import css from "./second-factor.module.css";
import type { WithNotice } from "./security-notice.tsx";

/** Set up or remove an authenticator app, and make new recovery codes. */
export function AuthenticatorApp({ done, onDone }: WithNotice) {
  const factor = useQuery(endpointQuery(showSecondFactor));
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const handleChange = (saved: SecondFactor, said: string) => {
    showSaved(endpointQuery(showSecondFactor).queryKey, saved);
    void refetch(showSession);
    onDone(said);
  };
  return (
    <>
      <Notice>{done}</Notice>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
      ) : (
        <FactorState
          factor={factor}
          onSetUp={(saved, recoveryCodes) => {
            handleChange(
              saved,
              "The authenticator app is set up. You have been signed out everywhere else.",
            );
            setCodes(recoveryCodes);
          }}
          onRemoved={(saved) => handleChange(saved, "The authenticator app was removed.")}
          onNewCodes={(recoveryCodes) => {
            onDone("Here are your new recovery codes. The old ones no longer work.");
            setCodes(recoveryCodes);
          }}
        />
      )}
    </>
  );
}

interface Changes {
  onSetUp: (saved: SecondFactor, recoveryCodes: string[]) => void;
  onRemoved: (saved: SecondFactor) => void;
  onNewCodes: (recoveryCodes: string[]) => void;
}

interface FactorStateProps extends Changes {
  factor: {
    data: SecondFactor | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
}

function FactorState({ factor, onSetUp, onRemoved, onNewCodes }: FactorStateProps) {
  if (factor.data)
    return factor.data.authenticatorAppSince === null ? (
      <NoApp onSetUp={onSetUp} />
    ) : (
      <AppIsSetUp
        since={factor.data.authenticatorAppSince}
        codesLeft={factor.data.recoveryCodesLeft}
        onRemoved={onRemoved}
        onNewCodes={onNewCodes}
      />
    );
  if (!factor.error) return <Loading />;
  return (
    <ErrorState
      title="The authenticator app could not be loaded"
      error={factor.error}
      pending={factor.isFetching}
      onRetry={() => void factor.refetch()}
    />
  );
}

function NoApp({ onSetUp }: Pick<Changes, "onSetUp">) {
  const beginning = useMutation({ mutationFn: () => call(beginAuthenticatorApp) });
  const { data: begun } = beginning;
  if (begun)
    return (
      <SetUp
        uri={begun.uri}
        secret={begun.secret}
        onSetUp={(saved) => onSetUp(saved, begun.recoveryCodes)}
        onCancel={() => beginning.reset()}
      />
    );
  return (
    <>
      <p>
        With an app on your phone, such as Google Authenticator, Microsoft Authenticator or
        1Password, you sign in with your password and a code that the app shows. A stolen password
        is not enough to sign in.
      </p>
      <div>
        <Button pending={beginning.isPending} onClick={() => beginning.mutate()}>
          Set up an authenticator app
        </Button>
      </div>
    </>
  );
}

interface SetUpProps {
  uri: string;
  secret: string;
  onSetUp: (saved: SecondFactor) => void;
  onCancel: () => void;
}

function SetUp({ uri, secret, onSetUp, onCancel }: SetUpProps) {
  const steps = useRef<HTMLDivElement>(null);
  useEffect(() => steps.current?.focus(), []); // the focused button is gone
  const form = useForm({
    start: { code: "" },
    send: async (typed) => {
      const body = requestBody(confirmAuthenticatorApp, typed);
      onSetUp(await call(confirmAuthenticatorApp, { body })); // here, because the codes are shown only once
    },
  });
  return (
    <Stack gap={24}>
      <div ref={steps} tabIndex={-1} className={css["beside"]}>
        <QrCode text={uri} label="QR code for the authenticator app" />
        <Stack gap={12}>
          <p>Open the app on your phone, add an account, and scan the code.</p>
          <p>Or enter this key in the app and choose time-based codes:</p>
          <p className={css["secret"]}>{secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</p>
        </Stack>
      </div>
      <Form form={form} label="Confirm the authenticator app">
        <TextField
          label="Code"
          hint="The six digits that the app shows now. After this, you enter a code each time you sign in."
          autoComplete="one-time-code"
          inputMode="numeric"
          narrow
          {...form.field("code")}
        />
        <Row>
          <SubmitButton pending={form.pending}>Confirm the code</SubmitButton>
          <Button kind="quiet" pending={false} onClick={() => form.leave(onCancel)}>
            Cancel
          </Button>
        </Row>
      </Form>
    </Stack>
  );
}

interface AppIsSetUpProps extends Pick<Changes, "onRemoved" | "onNewCodes"> {
  since: string;
  codesLeft: number;
}

function AppIsSetUp({ since, codesLeft, onRemoved, onNewCodes }: AppIsSetUpProps) {
  const renewing = useMutation({
    mutationFn: () => call(replaceRecoveryCodes),
    onSuccess: ({ recoveryCodes }) => onNewCodes(recoveryCodes),
  });
  const removing = useMutation({
    mutationFn: async () => onRemoved(await call(removeAuthenticatorApp)),
  });
  const left =
    codesLeft === 1 ? "One recovery code is left" : `${codesLeft} recovery codes are left`;
  return (
    <>
      <p>
        You sign in with your password and a code from your authenticator app, set up on{" "}
        <DayText on={since} />. {left}
        {codesLeft <= 3 ? ". Make new ones before they run out." : "."}
      </p>
      <Row>
        <Button
          pending={renewing.isPending}
          onClick={() => {
            if (window.confirm("Make ten new recovery codes? The old ones will stop working."))
              renewing.mutate();
          }}
        >
          Make new recovery codes
        </Button>
        <Button
          kind="danger"
          pending={removing.isPending}
          onClick={() => {
            if (
              window.confirm(
                "Remove the authenticator app? Its recovery codes will stop working too.",
              )
            )
              removing.mutate();
          }}
        >
          Remove the authenticator app
        </Button>
      </Row>
    </>
  );
}
