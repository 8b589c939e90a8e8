import { useEffect, useRef, useState } from "react";
import { copied } from "#kit/web/copy-text.tsx";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import { Notice } from "./states.tsx";

interface CopyFieldProps {
  label: string;
  hint?: string;
  value: string;
  /** What the button copies, if that is not its label: "link". */
  noun?: string;
}

/** Text to copy, such as a token that is shown once: "Copy token". It is focused and selected. */
export function CopyField({ label, hint, value, noun = label.toLowerCase() }: CopyFieldProps) {
  const [said, setSaid] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the button that had focus is gone
  const handleCopy = async () => {
    input.current?.select();
    const isCopied = await copied(value);
    setSaid(isCopied ? "Copied." : `The ${noun} is selected. Copy it with Ctrl+C or ⌘C.`);
  };
  return (
    <>
      <Field label={label} hint={hint} error={undefined}>
        {(control) => (
          <input
            {...control}
            ref={input}
            readOnly
            value={value}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <div>
        <Button kind="primary" pending={false} onClick={() => void handleCopy()}>
          {`Copy ${noun}`}
        </Button>
      </div>
      <Notice>{said}</Notice>
    </>
  );
}
