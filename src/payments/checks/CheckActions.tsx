import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { formatMoney } from "#kit/domain/money.ts";
import { undecidedOf } from "./check-words.tsx";
import { type Check, decideWholeChecks } from "./contract.ts";
import { DenyDialog } from "./DenyDialog.tsx";
import { ReturnDialog } from "./ReturnDialog.tsx";

interface CheckActionsProps {
  check: Check;
  /** Called with a sentence about the result; null when another action begins. */
  onDone: (result: string | null) => void;
}

/** Buttons to approve or deny a pending check, return an approved one, and print. */
export function CheckActions({ check, onDone }: CheckActionsProps) {
  const [undecided = check] = undecidedOf([check]);
  const isPartDecided = undecided.amount !== check.amount;
  const amount = formatMoney(undecided.amount);
  const [open, setOpen] = useState<"deny" | "return" | null>(null);
  const approving = useMutation({
    mutationFn: async (done: string) => {
      await call(decideWholeChecks, { body: { approve: [check.id], deny: [] } });
      return done;
    },
    onSuccess: (done) => onDone(done), // the sentence from when the button was pressed
  });
  const show = (dialog: typeof open) => {
    onDone(null);
    setOpen(dialog);
  };
  const finish = (result: string) => {
    setOpen(null);
    onDone(result);
  };
  const isApproved = check.status === "approved" || check.status === "mixed";
  return (
    <Row>
      <Button pending={false} onClick={() => window.print()}>
        Print
      </Button>
      {isApproved && (
        <Button kind="danger" pending={false} onClick={() => show("return")}>
          Returned by the bank
        </Button>
      )}
      {check.status === "pending" && (
        <>
          <Button kind="danger" pending={false} onClick={() => show("deny")}>
            Deny
          </Button>
          <Button
            kind="primary"
            pending={approving.isPending}
            onClick={() =>
              approving.mutate(
                `${isPartDecided ? "The rest of check" : "Check"} ${check.checkNumber} (${amount}) approved.`,
              )
            }
          >{`Approve ${isPartDecided ? "the rest" : "check"} (${amount})`}</Button>
        </>
      )}
      {open === "deny" && (
        <DenyDialog checks={[check]} onClose={() => setOpen(null)} onDone={finish} />
      )}
      {open === "return" && (
        <ReturnDialog check={check} onClose={() => setOpen(null)} onDone={finish} />
      )}
    </Row>
  );
}
