import { useState } from "react";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Plan } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";
import { SubscribeAllDialog } from "./SubscribeAllDialog.tsx";

/** Opens the dialog that enrols everybody. */
export function SubscribeAllButton({
  plan,
  small = false,
  onDone,
}: {
  plan: Plan;
  small?: boolean;
  /** Called with null as it opens, so that what was done before is said no more. */
  onDone: (done: Done | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        small={small}
        pending={false}
        label={`Subscribe all lawyers to ${plan.name}`}
        onClick={() => {
          onDone(null);
          setOpen(true);
        }}
      >
        Subscribe all lawyers
      </Button>
      {isOpen && (
        <SubscribeAllDialog
          plan={plan}
          onClose={() => setOpen(false)}
          onDone={(done) => {
            setOpen(false);
            onDone(done);
          }}
        />
      )}
    </>
  );
}
