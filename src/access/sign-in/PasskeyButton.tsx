import { useMutation } from "@tanstack/react-query";
import { addressElsewhere } from "#kit/web/page-meta.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { knowsPasskeys, NoPasskeyUsed } from "./browser-passkeys.tsx";

interface PasskeyButtonProps {
  label: string;
  /** Use a passkey in the browser, verify it on the server and continue. */
  prove: () => Promise<unknown>;
}

/** Shown instead of passkey buttons on an address where passkeys do not work. */
export function PasskeysElsewhere({ address }: { address: string }) {
  return (
    <Muted small>
      Passkeys work only at <a href={address}>{address}</a>.
    </Muted>
  );
}

/** A passkey instead of a password; hidden in a browser without passkeys. */
export function PasskeyButton({ label, prove }: PasskeyButtonProps) {
  const proving = useMutation({
    // Closing the browser's own dialog is not a failure: show a notice instead of an alert.
    mutationFn: async () => {
      try {
        await prove();
        return null;
      } catch (problem) {
        if (problem instanceof NoPasskeyUsed) return problem.message;
        throw problem;
      }
    },
  });
  const elsewhere = addressElsewhere();
  if (elsewhere !== null) return <PasskeysElsewhere address={elsewhere} />;
  if (!knowsPasskeys()) return null;
  return (
    <>
      <div>
        <Button pending={proving.isPending} onClick={() => proving.mutate()}>
          {label}
        </Button>
      </div>
      <Notice>{proving.data ?? null}</Notice>
    </>
  );
}
