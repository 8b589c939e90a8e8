import { CopyField } from "#kit/web/ui/CopyField.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";

/** A webhook's new secret, to be handed to the program that receives. */
export function SecretOnce({ secret, children }: { secret: string; children?: string }) {
  return (
    <Stack gap={16}>
      <p>It cannot be shown again: copy it now. {children}</p>
      <CopyField
        label="Secret"
        hint="Your program verifies with it that a webhook comes from here."
        value={secret}
      />
    </Stack>
  );
}
