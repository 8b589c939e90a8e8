import { useState } from "react";
import { ChargeDialog } from "#people/ChargeDialog.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";

/** Charges one attorney: a late fee, a course. */
export function ChargeButton({ attorney }: { attorney: { id: number; name: string } }) {
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  return (
    <Row>
      <Notice>{done}</Notice>
      <Button
        small
        pending={false}
        onClick={() => {
          setDone(null);
          setOpen(true);
        }}
      >
        Charge
      </Button>
      {isOpen && (
        <ChargeDialog
          chosen={[attorney]}
          chosenOnly
          onClose={() => setOpen(false)}
          onDone={(result) => {
            setDone(result);
            setOpen(false);
          }}
        />
      )}
    </Row>
  );
}
