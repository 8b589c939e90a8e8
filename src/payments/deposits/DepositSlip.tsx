import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { formatMoney } from "#kit/domain/money.ts";
import { formatDay } from "#kit/domain/day.ts";
import type { Check } from "#payments/checks/contract.ts";
import { useSession } from "#kit/web/session.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { BankDialog } from "./BankDialog.tsx";
import type { Deposit } from "./contract.ts";
import { checkCount } from "./deposit-words.tsx";
import { DepositPage } from "./DepositPage.tsx";
import { DepositStatus } from "./DepositStatus.tsx";

/** The printable slip of one deposit, with actions until it is banked. */
export function DepositSlip({ history }: { history: (id: number) => ReactNode }) {
  return <DepositPage>{(deposit) => <Slip deposit={deposit} history={history} />}</DepositPage>;
}

interface SlipProps {
  deposit: Deposit;
  history: (id: number) => ReactNode;
}

function Slip({ deposit, history }: SlipProps) {
  const { networkName } = useSession();
  const [done, setDone] = useState<string | null>(null);
  const [isBanking, setBanking] = useState(false);
  const { id, number, status, count, total, checks, bankedAt, bankedOn } = deposit;
  const returned = checks.filter((check) => check.status === "returned");
  return (
    <>
      <PageHeading
        title={`Deposit ${number}`}
        about={<DepositStatus status={status} />}
        actions={
          <Row>
            <Button pending={false} onClick={() => window.print()}>
              Print
            </Button>
            {status === "open" && (
              <>
                <ButtonLink to={`/admin/deposits/${id}/edit`}>Edit</ButtonLink>
                {count > 0 && (
                  <Button kind="primary" pending={false} onClick={() => setBanking(true)}>
                    Mark as banked
                  </Button>
                )}
              </>
            )}
          </Row>
        }
      />
      <Notice>{done}</Notice>
      <Details>
        <Detail name="Depositor">{networkName}</Detail>
        <Detail name="Bank account">{deposit.accountName}</Detail>
        <Detail name="Date">
          <DayText on={deposit.depositedOn} />
        </Detail>
        {bankedOn !== null && (
          <Detail name="Banked on">
            <DayText on={bankedOn} />
          </Detail>
        )}
        {bankedAt !== null && (
          <Detail name="Marked as banked">
            <TimeText at={bankedAt} />
          </Detail>
        )}
      </Details>
      <ChecksOf
        caption="Checks deposited"
        checks={checks}
        columns={[payer(checkCount(count)), checkNumber, amount(deposit.total)]}
      />
      {returned.length > 0 && (
        <Section title="Returned by the bank">
          <ChecksOf
            caption="Checks returned by the bank"
            checks={returned}
            columns={[
              payer(checkCount(returned.length)),
              checkNumber,
              returnedOn,
              amount(deposit.returned),
            ]}
          />
        </Section>
      )}
      <Section title="History" onScreenOnly>
        {history(id)}
      </Section>
      {isBanking && (
        <BankDialog
          deposit={deposit}
          onClose={() => setBanking(false)}
          onDone={(banked) => {
            setBanking(false);
            setDone(
              `Deposit ${number} banked: ${checkCount(count)}, ${formatMoney(total)}, on ${formatDay(banked.bankedOn ?? "")}.`,
            );
          }}
        />
      )}
    </>
  );
}

const payer = (total: string): Column<Check> => ({
  heading: "Payer",
  cell: (check) => check.payer.name,
  total,
});

const checkNumber: Column<Check> = {
  heading: "Check number",
  cell: ({ id, checkNumber: number }) => <Link to={`/admin/checks/${id}`}>{number}</Link>,
};

const returnedOn: Column<Check> = {
  heading: "Returned on",
  nowrap: true,
  cell: ({ returnedOn: day }) => day && <DayText on={day} />,
};

const amount = (total: Deposit["total"]): Column<Check> => ({
  heading: "Amount",
  amount: true,
  cell: (check) => <Money amount={check.amount} />,
  total: <Money amount={total} />,
});

interface ChecksOfProps {
  caption: string;
  checks: readonly Check[];
  columns: readonly Column<Check>[];
}

function ChecksOf({ caption, checks, columns }: ChecksOfProps) {
  return (
    <DataTable
      caption={caption}
      captionHidden
      columns={columns}
      rows={checks}
      keyOf={({ id }) => id}
      empty={
        <EmptyState title="No checks in this deposit">Edit the deposit to add some.</EmptyState>
      }
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}
