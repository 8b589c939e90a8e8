import { CopyField } from "#kit/web/ui/CopyField.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";

/** A webhook's new secret, for the program that receives it. */
export function SecretOnce({ secret, children }: { secret: string; children?: string }) {
  return (
    <Stack gap={16}>
      <p>Copy the secret now. It will not be shown again. {children}</p>
      <CopyField
        label="Secret"
        hint="Your program uses it to check that a webhook comes from here."
        value={secret}
      />
    </Stack>
  );
}
