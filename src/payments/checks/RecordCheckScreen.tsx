import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { showAttorney } from "#people/contract.ts";
import { showFirm } from "#panel/firms/contract.ts";
import { formatMoney, sum } from "#kit/domain/money.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Loading, Notice } from "#kit/web/ui/states.tsx";
import { CheckStatus } from "./CheckStatus.tsx";
import type { Check } from "./contract.ts";
import type { Payer } from "./PayerSelect.tsx";
import { RecordCheckForm } from "./RecordCheckForm.tsx";

/** Records checks one after another by keyboard. Source: domain rules §10. */
export function RecordCheckScreen() {
  const asked = usePayerInAddress();
  const [recorded, setRecorded] = useState<readonly Check[]>([]);
  const [last] = recorded;
  const today = useToday();
  return (
    <>
      <PageHeading
        title="Record a check"
        about="Press Enter for the next field and Ctrl+Enter to record."
      />
      <Notice>{last && <Recorded check={last} />}</Notice>
      {asked.isLoading ? (
        <Loading />
      ) : (
        <RecordCheckForm
          key={`${recorded.length} ${asked.key}`}
          payer={last ? null : asked.payer}
          receivedOn={last?.receivedOn ?? today}
          onRecorded={(check) => setRecorded([check, ...recorded])}
        />
      )}
      {recorded.length > 0 && (
        <Section title="Recorded just now">
          <RecordedChecks checks={recorded} />
        </Section>
      )}
    </>
  );
}

function Recorded({ check: { id, checkNumber, amount, payer, status } }: { check: Check }) {
  const words = status === "approved" ? "is recorded and approved" : "is recorded and pending";
  return (
    <>
      {`Check ${checkNumber} of ${formatMoney(amount)} from ${payer.name} ${words}. `}
      <Link to={`/admin/checks/${id}`}>Show it</Link>
    </>
  );
}

/** The checks recorded in this session, to compare with the paper checks. */
function RecordedChecks({ checks }: { checks: readonly Check[] }) {
  const columns: Column<Check>[] = [
    {
      heading: "Number",
      cell: ({ id, checkNumber }) => <Link to={`/admin/checks/${id}`}>{checkNumber}</Link>,
      total: `${checks.length.toLocaleString("en-US")} in all`,
    },
    { heading: "Payer", cell: ({ payer }) => payer.name },
    { heading: "Status", cell: ({ status }) => <CheckStatus status={status} /> },
    {
      heading: "Amount",
      amount: true,
      cell: ({ amount }) => <Money amount={amount} />,
      total: <Money amount={sum(checks.map(({ amount }) => amount))} />,
    },
  ];
  return (
    <DataTable
      caption="Recorded just now"
      captionHidden
      columns={columns}
      rows={checks}
      keyOf={({ id }) => id}
      empty={null}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

/** The payer from the address of a link on an attorney's or a firm's page; null if unknown. */
function usePayerInAddress() {
  const [address] = useSearchParams();
  const attorneyId = numberIn(address.get("attorney_id"));
  const firmId = attorneyId === 0 ? numberIn(address.get("firm_id")) : 0;
  const attorney = useQuery({
    ...endpointQuery(showAttorney, { params: { id: attorneyId } }),
    enabled: attorneyId > 0,
  });
  const firm = useQuery({
    ...endpointQuery(showFirm, { params: { id: firmId } }),
    enabled: firmId > 0,
  });
  const isAttorney = attorneyId > 0;
  const found = isAttorney ? attorney.data : firm.data;
  const payer: Payer | null = found
    ? { kind: isAttorney ? "attorney" : "firm", id: found.id, name: found.name }
    : null;
  return {
    payer,
    key: `${attorneyId} ${firmId}`,
    isLoading: attorney.isLoading || firm.isLoading,
  };
}

const numberIn = (text: string | null): number =>
  text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
