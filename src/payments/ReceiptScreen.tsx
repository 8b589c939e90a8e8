import { type Cents, cents, formatMoney, sum } from "#kit/domain/money.ts";
import { contactLines, Logo } from "#access/networks/Letterhead.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { showReceipt } from "./contract.ts";
import { methodWords } from "./method-words.tsx";
import { hasReceipt, PaymentStatus } from "./PaymentStatus.tsx";
import css from "./receipt.module.css";
import { NamedRow } from "./NamedRow.tsx";
import { paymentStatuses, type Receipt } from "./shapes.ts";

/** The printable receipt of one payment, for its attorney and for administrators. */
export function ReceiptScreen() {
  return (
    <RecordScreen name="payment" query={(id) => endpointQuery(showReceipt, { params: { id } })}>
      {(receipt) => <ReceiptPaper receipt={receipt} />}
    </RecordScreen>
  );
}

function ReceiptPaper({ receipt }: { receipt: Receipt }) {
  const { role } = useSession();
  return (
    <>
      <PageHeading
        title={titleOf(receipt)}
        actions={
          <Row>
            {role === "attorney" && (
              <ButtonLink to="/dashboard?view=payments">All payments</ButtonLink>
            )}
            {role === "admin" && receipt.method === "online" && (
              <ButtonLink to={`/admin/card-payments/${receipt.paymentId}`}>Card payment</ButtonLink>
            )}
            <Button pending={false} onClick={() => window.print()}>
              Print
            </Button>
          </Row>
        }
      />
      <Logo brand={receipt.brand} />
      {!hasReceipt(receipt.status) && <p>{notReceivedWords(receipt)}</p>}
      <Facts receipt={receipt} />
      <DataTable
        caption={captionOf(receipt.status)}
        columns={columnsFor(receipt)}
        rows={linesOf(receipt)}
        keyOf={(line) => (line === "credit" ? line : line.debitId)}
        empty={null}
        pending={false}
        error={null}
        onRetry={() => undefined}
      />
    </>
  );
}

/** "Receipt 17", or "Check 778, denied" if no money was received. */
const titleOf = (receipt: Receipt): string =>
  hasReceipt(receipt.status)
    ? `Receipt ${receipt.paymentId}`
    : `${methodWords(receipt)}, ${paymentStatuses[receipt.status].toLowerCase()}`;

const isOpen = (status: Receipt["status"]) => status === "pending" || status === "processing";

function captionOf(status: Receipt["status"]): string {
  if (hasReceipt(status)) return "What was paid";
  return isOpen(status) ? "What it is for" : "What it was for";
}

function notReceivedWords({ status, received }: Receipt): string {
  if (received > 0)
    return `${formatMoney(received)} has been received${isOpen(status) ? " so far" : ""}.`;
  return isOpen(status) ? "No payment has been received yet." : "No payment was received.";
}

/** The amount for one debit, or the amount kept as credit. */
type Line = Receipt["shares"][number] | "credit";

const linesOf = ({ shares, credit }: Receipt): Line[] =>
  credit > 0 ? [...shares, "credit"] : shares;

/** The amount without the denied part. A payment denied as a whole keeps its full amount. */
const countedOf = ({ amount, denied }: Receipt): Cents => cents(amount - denied);

/** A partly refunded card payment shows what was received per debit; a check shows each share's status. */
function columnsFor(receipt: Receipt): Column<Line>[] {
  const { method, credit } = receipt;
  const name: Column<Line> = {
    heading: "Subscription",
    cell: (line) =>
      line === "credit" ? (
        <NamedRow name="Credit">For later dues</NamedRow>
      ) : (
        <NamedRow name={line.name}>{line.note}</NamedRow>
      ),
    total: "Total",
  };
  const due: Column<Line> = {
    heading: "Due date",
    cell: (line) => line !== "credit" && <DayText on={line.dueDate} />,
  };
  const status: Column<Line> = {
    heading: "Status",
    cell: (line) => line !== "credit" && <PaymentStatus status={line.status} />,
  };
  const paid: Column<Line> = {
    heading: "Amount",
    amount: true,
    cell: (line) => <Money amount={line === "credit" ? credit : line.amount} />,
    total: <Money amount={countedOf(receipt)} />,
  };
  if (method === "check") return [name, due, status, paid];
  const forDebits = sum(receipt.shares.map((share) => share.received));
  const received: Column<Line> = {
    heading: "Received",
    amount: true,
    cell: (line) => (
      <Money amount={line === "credit" ? cents(receipt.received - forDebits) : line.received} />
    ),
    total: <Money amount={receipt.received} />,
  };
  return receipt.status === "partly refunded" ? [name, due, paid, received] : [name, due, paid];
}

function Facts({ receipt }: { receipt: Receipt }) {
  const { attorneyName, attorneyAddress, firm, status, createdAt, settledAt } = receipt;
  const { refundedAt, failedAt, returnedOn } = receipt;
  const [to, by] = hasReceipt(status) ? ["Paid to", "Paid by"] : ["To", "From"];
  return (
    <dl className={css["facts"]}>
      <dt>{to}</dt>
      <dd>
        {[receipt.networkName, ...contactLines(receipt.brand)].map((line) => (
          <span key={line}>{line}</span>
        ))}
      </dd>
      {firm !== null && (
        <>
          <dt>{by}</dt>
          <dd>{firm}</dd>
        </>
      )}
      <dt>{firm === null ? by : "For"}</dt>
      <dd>
        {[attorneyName, ...attorneyAddress].map((line) => (
          <span key={line}>{line}</span>
        ))}
      </dd>
      <dt>Amount</dt>
      <dd>
        <strong>
          <Money amount={countedOf(receipt)} />
        </strong>
        {receipt.denied > 0 && (
          <span>
            The check was for {formatMoney(receipt.amount)}. {formatMoney(receipt.denied)} was not
            accepted.
          </span>
        )}
      </dd>
      {status === "partly refunded" && (
        <>
          <dt>Received</dt>
          <dd>
            <strong>
              <Money amount={receipt.received} />
            </strong>
          </dd>
        </>
      )}
      <dt>Status</dt>
      <dd>
        <PaymentStatus status={status} />
      </dd>
      <dt>Method</dt>
      <dd>{methodWords(receipt)}</dd>
      <dt>Date</dt>
      <dd>
        <TimeText at={settledAt ?? createdAt} />
      </dd>
      {refundedAt && (
        <>
          <dt>Refunded</dt>
          <dd>
            <TimeText at={refundedAt} />
          </dd>
        </>
      )}
      {failedAt && (
        <>
          <dt>Failed</dt>
          <dd>
            <span>
              <TimeText at={failedAt} />: the card processor could not collect the payment. These
              amounts are owed again.
            </span>
          </dd>
        </>
      )}
      {returnedOn && (
        <>
          <dt>Returned</dt>
          <dd>
            <span>
              <DayText on={returnedOn} />: the bank returned the check. The amounts it paid are owed
              again.
            </span>
          </dd>
        </>
      )}
      {receipt.reference && (
        <>
          <dt>Reference</dt>
          <dd>{receipt.reference}</dd>
        </>
      )}
      {receipt.transactionId && (
        <>
          <dt>Transaction</dt>
          <dd>{receipt.transactionId}</dd>
        </>
      )}
    </dl>
  );
}
