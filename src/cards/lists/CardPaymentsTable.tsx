import type { ReactNode } from "react";
import { Link } from "react-router";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { listCardPayments } from "#cards/contract.ts";
import type { CardPayment } from "#cards/shapes.ts";
import { ListEnd } from "./ListEnd.tsx";

interface CardPaymentsTableProps {
  caption: string;
  which: {
    state?: CardPayment["state"];
    refund?: "failed" | "done";
    refund_by?: "processor";
    held?: "false";
    owed?: "true";
    chargeback?: "unseen";
  };
  isAlone: boolean;
  columns: Column<CardPayment>[];
  actions?: Column<CardPayment>;
  empty: ReactNode;
}

/** The newest card payments of one kind that need attention; with paging when it is the only list. */
export function CardPaymentsTable(props: CardPaymentsTableProps) {
  const { caption, which, columns, actions, empty, isAlone } = props;
  const payments = useList(endpointQuery(listCardPayments, { query: { ...which, ...usePage() } }));
  return (
    <>
      <PagedTable
        list={payments}
        caption={caption}
        columns={[attorney, ...columns, amount, ...(actions ? [actions] : [])]}
        keyOf={(payment) => payment.id}
        empty={empty}
        end={<ListEnd list={payments.data} isAlone={isAlone} first="newest" />}
      />
    </>
  );
}

const attorney: Column<CardPayment> = {
  heading: "Attorney",
  cell: ({ id, attorneyName }) => <Link to={`/admin/card-payments/${id}`}>{attorneyName}</Link>,
};

const amount: Column<CardPayment> = {
  heading: "Amount",
  amount: true,
  cell: (payment) => <Money amount={payment.amount} />,
};
