import { useMutation } from "@tanstack/react-query";
import { addressElsewhere } from "#kit/web/page-meta.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { knowsPasskeys, NoPasskeyUsed } from "./browser-passkeys.tsx";

interface PasskeyButtonProps {
  label: string;
  /** Has the browser use a passkey, the server verify it, and goes on. */
  prove: () => Promise<unknown>;
}

/** In place of what passkeys are used with, on a page whose address they are not made for. */
export function PasskeysElsewhere({ address }: { address: string }) {
  return (
    <Muted small>
      Passkeys work at <a href={address}>{address}</a> only.
    </Muted>
  );
}

/** Another way than a password; not there in a browser without passkeys. */
export function PasskeyButton({ label, prove }: PasskeyButtonProps) {
  const proving = useMutation({
    // Closing the browser's own dialog is no failure: it is said below, without an alert.
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
