import { useEffect, useRef, useState } from "react";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import { Notice } from "./states.tsx";

/** A text to be copied, such as one that is shown once: "Copy token". */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the button that had it is gone
  const words = label.toLowerCase();
  const handleCopy = async () => {
    input.current?.select();
    const isCopied = await copied(value);
    setSaid(isCopied ? "Copied." : `The ${words} is selected: copy it with Ctrl+C or ⌘C.`);
  };
  return (
    <>
      <Field label={label} error={undefined}>
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
          {`Copy ${words}`}
        </Button>
      </div>
      <Notice>{said}</Notice>
    </>
  );
}

/** Whether the browser let us write to the clipboard: it does so over TLS and on this machine only. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the person is told to copy it by hand
  }
}
