import { useEffect, useRef, useState } from "react";
import { Button } from "#web/ui/Button.tsx";
import { Field } from "#web/ui/Field.tsx";
import { Stack } from "#web/ui/layout.tsx";
import { Notice } from "#web/ui/states.tsx";

/** A webhook's new secret, to be handed to the program that receives. */
export function SecretOnce({ secret, children }: { secret: string; children?: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the button that had it is gone
  const handleCopy = async () => {
    input.current?.select();
    const isCopied = await navigator.clipboard.writeText(secret).then(
      () => true,
      () => false, // the browser does not let us: the person copies it by hand
    );
    setSaid(isCopied ? "Copied." : "The secret is selected: copy it with Ctrl+C or ⌘C.");
  };
  return (
    <Stack gap={16}>
      <Field
        label="Secret"
        hint="Your program verifies with it that a webhook comes from here."
        error={undefined}
      >
        {(control) => (
          <input
            {...control}
            ref={input}
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p>It cannot be shown again: copy it now. {children}</p>
      <div>
        <Button kind="primary" pending={false} onClick={() => void handleCopy()}>
          Copy secret
        </Button>
      </div>
      <Notice>{said}</Notice>
    </Stack>
  );
}
