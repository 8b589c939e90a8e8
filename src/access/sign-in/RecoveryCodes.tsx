import { useEffect, useRef, useState } from "react";
import { copied } from "#kit/web/copy-text.tsx";
import { saveText } from "#kit/web/save-file.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { Notice, Warning } from "#kit/web/ui/states.tsx";
import css from "./second-factor.module.css";

interface RecoveryCodesProps {
  codes: readonly string[];
  /** They are kept: not shown any more. */
  onDone: () => void;
}

/** Recovery codes just made, to be kept elsewhere: they are never shown again. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const [said, setSaid] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => list.current?.focus(), []); // the button that had it is gone
  const text = `Recovery codes of Referral Network. Each works once.\n\n${codes.join("\n")}\n`;
  const handleCopy = async () =>
    setSaid(
      (await copied(text))
        ? "Copied."
        : "This browser does not let us copy: download or print them.",
    );
  return (
    <Warning title="Keep these recovery codes">
      <Stack gap={16}>
        <p>
          Each lets you in once without the app, if your phone is lost. Keep them where nobody else
          finds them, and not on the phone. They are shown this once.
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
            I have kept them
          </Button>
        </div>
      </Stack>
    </Warning>
  );
}
