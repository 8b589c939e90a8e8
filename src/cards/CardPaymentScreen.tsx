import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { formatMoney } from "#kit/domain/money.ts";
import { methodWords } from "#payments/method-words.tsx";
import { PaymentStatus } from "#payments/PaymentStatus.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Notice, Warning } from "#kit/web/ui/states.tsx";
import { showCardPayment } from "./contract.ts";
import { CheckNowButton } from "#cards/lists/CheckNowButton.tsx";
import { SeenButton } from "#cards/lists/SeenButton.tsx";
import { RefundDialog } from "#cards/refund/RefundDialog.tsx";
import { type CardPayment } from "./shapes.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { kindsOf, RecordTransactionDialog } from "#cards/transactions/RecordTransactionDialog.tsx";
import { TransactionsTable } from "#cards/transactions/TransactionsTable.tsx";
import { PaidDebitsTable } from "#cards/transactions/PaidDebitsTable.tsx";

export function CardPaymentScreen() {
  return (
    <RecordScreen
      name="card payment"
      query={(id) => endpointQuery(showCardPayment, { params: { id } })}
    >
      {(payment) => <CardPaymentRecord payment={payment} />}
    </RecordScreen>
  );
}

/** One card payment: the debits it paid, its history at the processor, and the actions that are possible. */
function CardPaymentRecord({ payment }: { payment: CardPayment }) {
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <PageHeading
        title={`Card payment of ${formatMoney(payment.amount)}`}
        about={<PaymentStatus status={payment.status} />}
        actions={<Actions payment={payment} onDone={setDone} />}
      />
      <Notice>{done}</Notice>
      <Warnings payment={payment} onDone={setDone} />
      <Facts payment={payment} />
      <Section title="History">
        <TransactionsTable payment={payment} />
      </Section>
      <Section title="What it paid">
        <PaidDebitsTable payment={payment} />
      </Section>
    </>
  );
}

interface ActionsProps {
  payment: CardPayment;
  /** Called with a sentence saying what was done; null when another action begins. */
  onDone: (result: string | null) => void;
}

/** `?refund` in the address opens the refund; `?refund=credit` opens it for the payment's unused credit. */
function Actions({ payment, onDone }: ActionsProps) {
  const [address, setAddress] = useSearchParams();
  const [isRecording, setRecording] = useState(false);
  const refund = address.get("refund");
  const isRefundable = payment.received > 0 && payment.refund?.state !== "requested";
  const finish = (result: string) => {
    setRecording(false);
    setAddress({}, { replace: true });
    onDone(result);
  };
  return (
    <Row>
      <ButtonLink to={`/receipts/${payment.id}`}>Receipt</ButtonLink>
      <CheckNowButton
        small={false}
        paymentId={payment.id}
        reference={payment.reference}
        onResult={onDone}
      />
      {kindsOf(payment).length > 0 && (
        <Button
          pending={false}
          onClick={() => {
            onDone(null);
            setRecording(true);
          }}
        >
          Record what happened at the processor
        </Button>
      )}
      {isRefundable && (
        <Button
          kind="danger"
          pending={false}
          onClick={() => {
            onDone(null);
            setAddress({ refund: "" }, { replace: true });
          }}
        >
          Refund
        </Button>
      )}
      {isRecording && (
        <RecordTransactionDialog
          payment={payment}
          onClose={() => setRecording(false)}
          onDone={finish}
        />
      )}
      {isRefundable && refund !== null && (
        <RefundDialog
          paymentId={payment.id}
          ofCredit={refund === "credit" && payment.credit.unused > 0}
          onClose={() => setAddress({}, { replace: true })}
          onDone={finish}
        />
      )}
    </Row>
  );
}

function Warnings({ payment, onDone }: ActionsProps) {
  const { unseenChargebacks, refund, received } = payment;
  return (
    <>
      {unseenChargebacks > 0 && (
        <Warning title="Chargeback to look at" tone="bad">
          <p>
            {`The payer's bank took back ${formatMoney(payment.unseenChargebacks)}. The attorney is not emailed. Contact them if needed.`}
          </p>
          <div>
            <SeenButton payment={payment} onSeen={onDone} />
          </div>
        </Warning>
      )}
      {refund?.state === "requested" && (
        <Warning title="A refund is being confirmed">
          <p>The card processor has not confirmed this refund yet. We will ask again.</p>
        </Warning>
      )}
      {refund?.state === "failed" && received > 0 && (
        <Warning title="The last refund failed" tone="bad">
          <p>{refund.problem}</p>
        </Warning>
      )}
    </>
  );
}

function Facts({ payment }: { payment: CardPayment }) {
  const { attorneyId, attorneyName, problem, heldAt, nextLookAt, settledAt } = payment;
  return (
    <Details>
      <Detail name="Attorney">
        <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
      </Detail>
      <Detail name="Amount">
        <Money amount={payment.amount} />
      </Detail>
      <Detail name="Received">
        <Money amount={payment.received} />
      </Detail>
      <Detail name="Paid by">
        {methodWords({ method: "online", card: payment.card, checkNumber: null })}
      </Detail>
      <Detail name={settledAt === null ? "Started" : "Date"}>
        <TimeText at={settledAt ?? payment.createdAt} />
      </Detail>
      <Detail name="Processor">{processorLabels[payment.processor]}</Detail>
      <Detail name="Transaction">{payment.transactionId}</Detail>
      <Detail name="Reference">{payment.reference}</Detail>
      {problem !== null && <Detail name="Problem">{problem}</Detail>}
      {heldAt !== null && (
        <Detail name="Held for review since">
          <TimeText at={heldAt} />
        </Detail>
      )}
      {nextLookAt !== null && (
        <Detail name="Next check">
          <TimeText at={nextLookAt} />
        </Detail>
      )}
    </Details>
  );
}
