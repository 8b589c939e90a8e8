import { useEffect, useRef, useState } from "react";
import { copied } from "#kit/web/copy-text.tsx";
import { saveText } from "#kit/web/save-file.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { Notice, Warning } from "#kit/web/ui/states.tsx";
import css from "./second-factor.module.css";

interface RecoveryCodesProps {
  codes: readonly string[];
  /** The user has saved the codes. */
  onDone: () => void;
}

/** New recovery codes, shown only once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const [said, setSaid] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => list.current?.focus(), []); // the focused button is gone
  const text = `Recovery codes for Referral Network. Each works once.\n\n${codes.join("\n")}\n`;
  const handleCopy = async () =>
    setSaid(
      (await copied(text))
        ? "Copied."
        : "This browser does not allow copying. Download or print the codes.",
    );
  return (
    <Warning title="Save these recovery codes">
      <Stack gap={16}>
        <p>
          If you lose your phone, sign in with one of these codes instead of the app. Each works
          once. Keep them in a safe place, not on the phone. They will not be shown again.
        </p>
        <ol ref={list} tabIndex={-1} className={css["codes"]} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <div className="actions">
          <Row>
            <Button pending={false} onClick={() => void handleCopy()}>
              Copy the codes
            </Button>
            <Button
              pending={false}
              onClick={() => saveText("recovery-codes.txt", text, "text/plain")}
            >
              Download the codes
            </Button>
            <Button pending={false} onClick={() => window.print()}>
              Print the codes
            </Button>
          </Row>
        </div>
        <Notice>{said}</Notice>
        <div className="actions">
          <Button kind="primary" pending={false} onClick={onDone}>
            I have saved them
          </Button>
        </div>
      </Stack>
    </Warning>
  );
}
