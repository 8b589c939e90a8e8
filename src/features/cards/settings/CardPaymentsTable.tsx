import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { listCardPayments } from "#features/cards/contract.ts";
import type { CardPayment } from "#features/cards/shapes.ts";

const maxShown = 50;

interface CardPaymentsTableProps {
  caption: string;
  /** Which of the network's card payments. */
  which: {
    state: CardPayment["state"];
    refund?: "failed";
    refund_by?: "processor";
    held?: "false";
  };
  /** The columns between the attorney and the amount. */
  columns: Column<CardPayment>[];
  /** The columns after the amount. */
  actions?: Column<CardPayment>;
  empty: ReactNode;
}

/** The newest card payments of one kind that an administrator must check, under a heading. */
export function CardPaymentsTable(props: CardPaymentsTableProps) {
  const { caption, which, columns, actions, empty } = props;
  const payments = useQuery(
    endpointQuery(listCardPayments, { query: { ...which, page: 1, per_page: maxShown } }),
  );
  const total = payments.data?.total ?? 0;
  return (
    <>
      <DataTable
        caption={caption}
        captionHidden
        columns={[attorney, ...columns, amount, ...(actions ? [actions] : [])]}
        rows={payments.data?.items}
        keyOf={(payment) => payment.id}
        empty={empty}
        pending={payments.isFetching}
        error={payments.error}
        onRetry={() => void payments.refetch()}
      />
      {total > maxShown && (
        <Muted small>{`The newest ${maxShown} of ${total.toLocaleString("en-US")}.`}</Muted>
      )}
    </>
  );
}

const attorney: Column<CardPayment> = {
  heading: "Attorney",
  cell: (payment) => (
    <Link to={`/admin/attorneys/${payment.attorneyId}`}>{payment.attorneyName}</Link>
  ),
};

const amount: Column<CardPayment> = {
  heading: "Amount",
  amount: true,
  cell: (payment) => <Money amount={payment.amount} />,
};
