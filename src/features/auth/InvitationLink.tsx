import { useEffect, useRef, useState } from "react";
import { copied } from "#web/copy-text.tsx";
import { Button } from "#web/ui/Button.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Field } from "#web/ui/Field.tsx";
import { Notice } from "#web/ui/states.tsx";

/** The single-use link just made, to be handed over besides being mailed. */
export function InvitationLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the button that had it is gone
  const handleCopy = async () => {
    input.current?.select();
    const isCopied = await copied(url);
    setSaid(isCopied ? "Copied." : "The link is selected: copy it with Ctrl+C or ⌘C.");
  };
  return (
    <>
      <Field label="Sign-in link" error={undefined}>
        {(control) => (
          <input
            {...control}
            ref={input}
            readOnly
            value={url}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p>
        It works once, until <DayText on={expiresAt} />. It cannot be shown again: copy it now.
      </p>
      <div>
        <Button kind="primary" pending={false} onClick={() => void handleCopy()}>
          Copy link
        </Button>
      </div>
      <Notice>{said}</Notice>
    </>
  );
}
