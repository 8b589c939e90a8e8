import { useState } from "react";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Plan } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";
import { SubscribeAllDialog } from "./SubscribeAllDialog.tsx";

export function SubscribeAllButton({
  plan,
  small = false,
  onDone,
}: {
  plan: Plan;
  small?: boolean;
  /** Called with null when the dialog opens, to clear the last message. */
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
