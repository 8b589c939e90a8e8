import { useState } from "react";
import { formatDay } from "#kit/domain/day.ts";
import type { Attorney } from "#people/contract.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { Muted, Row, Section, Stack } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { DepartureDialog } from "./DepartureDialog.tsx";
import { ReturnDialog } from "./ReturnDialog.tsx";

/** When an attorney left the panel, with a button to record a departure or a return. */
export function DepartureSection({ attorney }: { attorney: Attorney }) {
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const dialog = {
    attorney,
    onClose: () => setOpen(false),
    onDone: (result: string) => {
      setOpen(false);
      setDone(result);
    },
  };
  const hasLeft = attorney.leftOn !== null;
  return (
    <Section title="Panel membership" onScreenOnly>
      <Stack gap={8}>
        <Notice>{done}</Notice>
        {attorney.leftOn !== null && (
          <p>
            {`Left the panel on ${formatDay(attorney.leftOn)}${attorney.leftReason && `: ${attorney.leftReason}`}`}
          </p>
        )}
        <Row gap={16}>
          <Button
            small
            pending={false}
            onClick={() => {
              setDone(null);
              setOpen(true);
            }}
          >
            {hasLeft ? "Return to the panel" : "Record departure"}
          </Button>
          <Muted small>
            {hasLeft
              ? "Gets no referrals, is not billed, and cannot sign in. The balance can be paid by check."
              : "Ends subscriptions and new referrals, and closes the account. The balance stays owed."}
          </Muted>
        </Row>
      </Stack>
      {isOpen && (hasLeft ? <ReturnDialog {...dialog} /> : <DepartureDialog {...dialog} />)}
    </Section>
  );
}
