import { useState } from "react";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { CheckNowButton } from "./CheckNowButton.tsx";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/** Card payments whose outcome is not known yet. A job looks them up; an administrator can do so now. */
export function CardPaymentsToConfirm({ isAlone }: { isAlone: boolean }) {
  const [result, setResult] = useState<string | null>(null);
  return (
    <>
      <Notice>{result}</Notice>
      <CardPaymentsTable
        caption="Card payments being confirmed"
        which={{ state: "processing", held: "false" }}
        columns={columns}
        isAlone={isAlone}
        actions={{
          heading: "Actions",
          actions: true,
          cell: ({ id, reference }) => (
            <CheckNowButton paymentId={id} reference={reference} onResult={setResult} />
          ),
        }}
        empty={
          <EmptyState title="No card payment is being confirmed">
            Payments appear here while we ask the card processor whether the card was charged.
          </EmptyState>
        }
      />
    </>
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Started", cell: (payment) => <TimeText at={payment.createdAt} /> },
  { heading: "Reference", wideOnly: true, cell: (payment) => payment.reference },
  { heading: "Problem", cell: (payment) => payment.problem ?? <Muted>Not answered yet</Muted> },
  {
    heading: "Next check",
    cell: ({ nextLookAt }) => (nextLookAt ? <TimeText at={nextLookAt} /> : <Muted>Soon</Muted>),
  },
];
