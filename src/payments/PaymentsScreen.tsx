import { Link } from "react-router";
import type { z } from "zod";
import { formatMoney } from "#kit/domain/money.ts";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { Sums } from "#kit/web/ui/Sums.tsx";
import { methodWords } from "./method-words.tsx";
import { listPayments, type Payment, paymentFilters, payments } from "./payments.list.ts";
import { PaymentStatus } from "./PaymentStatus.tsx";
import { ReceiptLink } from "./ReceiptLink.tsx";

/** All card and check payments, newest first. */
export function PaymentsScreen() {
  return (
    <ListScreen
      listed={useListed(payments, listPayments)}
      cells={cells}
      totals={{ amount: sums }}
      empty={<EmptyState title="No payments yet">Checks and card payments appear here.</EmptyState>}
    />
  );
}

/** The page of the card payment or check; null if there is none. */
function addressOf({ id, method, checkId }: Payment): string | null {
  if (method === "online") return `/admin/card-payments/${id}`;
  return checkId === null ? null : `/admin/checks/${checkId}`;
}

const cells: CellsOf<typeof payments, Payment> = {
  attorney_name: ({ attorneyId, attorneyName }) => (
    <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
  ),
  method: (payment) => {
    const address = addressOf(payment);
    const words = methodWords(payment);
    return address === null ? words : <Link to={address}>{words}</Link>;
  },
  amount_received: ({ received }) => <Money amount={received} />,
  status: ({ status, denied }) => (
    <>
      <PaymentStatus status={status} />
      {denied > 0 && <Muted small> {formatMoney(denied)} denied</Muted>}
    </>
  ),
  paid_on: ({ createdAt }) => <DayText on={createdAt} />,
  details: ({ id, attorneyName, status }) => (
    <ReceiptLink payment={{ paymentId: id, name: attorneyName, status }} />
  ),
};

const sums = ({ totals }: z.output<typeof listPayments.object>) => (
  <Sums parts={totals.parts} wordOf={(status) => paymentFilters[status]} />
);
