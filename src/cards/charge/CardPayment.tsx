import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, Suspense } from "react";
import { formatMoney } from "#kit/domain/money.ts";
import { requestBody, callForAnswer } from "#kit/web/api.tsx";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { EmptyState, ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { dashboardSettings, payByCard } from "#cards/contract.ts";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";
import { showRecord } from "#payments/own-record.tsx";
import { newestPayment, ToReceipt } from "#payments/payment-made.tsx";
import type { ProcessorFormProps } from "#cards/processors/processor-form.tsx";
import type { ProcessorName } from "#cards/shapes.ts";

/** Each processor's card form, loaded only when the network uses that processor. */
const forms: Record<ProcessorName, ComponentType<ProcessorFormProps>> = {
  stripe: cardForm(async () => (await import("#cards/processors/Stripe.tsx")).Stripe),
  anet: cardForm(async () => (await import("#cards/processors/Anet.tsx")).Anet),
  lawpay: cardForm(async () => (await import("#cards/processors/LawPay.tsx")).LawPay),
  elavon: cardForm(async () => (await import("#cards/processors/Elavon.tsx")).Elavon),
  paypal_payflow_pro: cardForm(async () => (await import("#cards/processors/Payflow.tsx")).Payflow),
};

function cardForm(load: () => Promise<ComponentType<ProcessorFormProps>>) {
  return lazyComponent("The card form", load);
}

interface CardPaymentProps {
  payment: Payment;
  onPaid: (result: ReactNode) => void;
}

export function CardPayment({ payment, onPaid }: CardPaymentProps) {
  const acceptance = useQuery(endpointQuery(dashboardSettings));
  if (acceptance.error && !acceptance.data) {
    return (
      <ErrorState
        title="The card form could not be loaded"
        error={acceptance.error}
        pending={acceptance.isFetching}
        onRetry={() => void acceptance.refetch()}
      />
    );
  }
  if (!acceptance.data) return <Loading />;
  const { paymentProcessor } = acceptance.data;
  if (paymentProcessor === null) {
    return (
      <EmptyState title="Your referral service does not take cards right now">
        Pay by check instead.
      </EmptyState>
    );
  }
  const ProcessorForm = forms[paymentProcessor];
  const amount = formatMoney(payment.total);
  return (
    <Suspense fallback={<Loading />}>
      <ProcessorForm
        key={paymentProcessor}
        acceptance={acceptance.data}
        payment={payment}
        pay={async (token) => {
          const body = requestBody(payByCard, {
            payment_hash: payment.hash,
            token,
            idempotency_key: payment.name,
          });
          const answer = await callForAnswer(payByCard, { body });
          showRecord(answer.object);
          return answer;
        }}
        onPaid={({ object, message }) =>
          onPaid(
            message ?? (
              <>
                {`You paid ${amount} by card. `}
                <ToReceipt paymentId={newestPayment(object.onlinePayments, payment.total)}>
                  The receipt
                </ToReceipt>{" "}
                is under Paid.
              </>
            ),
          )
        }
      />
    </Suspense>
  );
}
