import { useState } from "react";
import { Link } from "react-router";
import type { Cents } from "#kit/domain/money.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { payableOf } from "#dues/ledger/typed-amounts.tsx";
import { ApplyCreditDialog } from "./ApplyCreditDialog.tsx";
import type { CreditEntry, Debit } from "./contract.ts";
import { CreditEntries } from "./CreditEntries.tsx";
import { RefundCreditDialog } from "./RefundCreditDialog.tsx";

interface CreditSectionProps {
  attorney: { id: number; credit: Cents; hasHadCredit: boolean; debits: readonly Debit[] };
}

/** An attorney's credit, its history and an administrator's actions on it. Source: domain rules §10. */
export function CreditSection({ attorney }: CreditSectionProps) {
  const [open, setOpen] = useState<"apply" | "refund" | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const { id, credit, hasHadCredit } = attorney;
  const payable = attorney.debits.filter((debit) => payableOf(debit) > 0);
  const openDialog = (action: "apply" | "refund") => {
    setDone(null);
    setOpen(action);
  };
  const dialog = {
    attorneyId: id,
    credit,
    onClose: () => setOpen(null),
    onDone: (result: string) => {
      setDone(result);
      setOpen(null);
    },
  };
  if (!hasHadCredit)
    return (
      <p>
        <Muted>
          No credit. If a check or card payment is more than what is owed, the rest is kept here.
        </Muted>
      </p>
    );
  return (
    <>
      <Row gap={12}>
        <span>
          <Money amount={credit} /> left
        </span>
        {credit > 0 && payable.length > 0 && (
          <Button small pending={false} onClick={() => openDialog("apply")}>
            Apply to a debit
          </Button>
        )}
        {credit > 0 && (
          <Button small pending={false} onClick={() => openDialog("refund")}>
            Refund credit
          </Button>
        )}
        {credit > 0 && payable.length === 0 && (
          <Muted small>No debit can be paid from it now</Muted>
        )}
      </Row>
      <Notice>{done}</Notice>
      <CreditEntries attorneyId={id} actions={toCard} />
      {open === "apply" && <ApplyCreditDialog {...dialog} debits={payable} />}
      {open === "refund" && <RefundCreditDialog {...dialog} />}
    </>
  );
}

/** Unused credit from a card payment can be refunded to the card. */
const toCard: Column<CreditEntry> = {
  heading: "Actions",
  actions: true,
  cell: ({ cardPaymentId }) =>
    cardPaymentId !== null && (
      <Link to={`/admin/card-payments/${cardPaymentId}?refund=credit`}>Refund to the card</Link>
    ),
};
