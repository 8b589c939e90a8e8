import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { type HeldMoney, listHeldMoney } from "./contract.ts";
import { RefundHeldMoneyDialog } from "./RefundHeldMoneyDialog.tsx";
import { HeldToCreditDialog } from "./HeldToCreditDialog.tsx";

interface Opened {
  dialog: typeof RefundHeldMoneyDialog;
  held: HeldMoney;
}

/** Denied parts of deposited checks, oldest first, until each is refunded or becomes credit. Hidden if there are none. */
export function HeldForPayers() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const list = useQuery(endpointQuery(listHeldMoney, { query: { page: 1, per_page: 200 } }));
  if (list.data?.total === 0) return <Notice>{done}</Notice>;
  if (!list.data && !list.error) return null;
  const begin = (dialog: Opened["dialog"], held: HeldMoney) => {
    setDone(null);
    setOpened({ dialog, held });
  };
  const total = list.data?.total ?? 0;
  const columns: Column<HeldMoney>[] = [
    {
      heading: "Check",
      cell: ({ checkId, checkNumber }) => (
        <Link to={`/admin/checks/${checkId}`}>{checkNumber}</Link>
      ),
      total: totalWords(total, "check"),
    },
    { heading: "Payer", cell: ({ payerName }) => payerName },
    { heading: "Held since", nowrap: true, cell: ({ since }) => <DayText on={since} /> },
    {
      heading: "Amount",
      amount: true,
      cell: ({ amount }) => <Money amount={amount} />,
      total: list.data && <Money amount={list.data.amount} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (held) => (
        <Row>
          <Button
            small
            pending={false}
            label={`Refund money held from check ${held.checkNumber}`}
            onClick={() => begin(RefundHeldMoneyDialog, held)}
          >
            Refund
          </Button>
          <Button
            small
            pending={false}
            label={`Move money held from check ${held.checkNumber} to credit`}
            onClick={() => begin(HeldToCreditDialog, held)}
          >
            Move to credit
          </Button>
        </Row>
      ),
    },
  ];
  return (
    <Section title="Held for payers">
      <p>
        <Muted>Denied parts of checks that were deposited. The money belongs to the payers.</Muted>
      </p>
      <Notice>{done}</Notice>
      <DataTable
        caption="Held for payers"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={({ id }) => id}
        empty={null}
        pending={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      {opened && (
        <opened.dialog
          held={opened.held}
          onClose={() => setOpened(null)}
          onDone={(result) => {
            setDone(result);
            setOpened(null);
          }}
        />
      )}
    </Section>
  );
}
