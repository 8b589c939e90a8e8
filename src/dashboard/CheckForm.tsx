import type { ReactNode } from "react";
import { formatMoney } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { payByCheck } from "#payments/contract.ts";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";
import { AnotherCheckField } from "#payments/AnotherCheckField.tsx";
import { showRecord } from "#payments/own-record.tsx";
import { newestPayment, ToReceipt } from "#payments/payment-made.tsx";

interface CheckFormProps {
  payment: Payment;
  onPaid: (result: ReactNode) => void;
}

/** Records the number of the check that pays these dues. */
export function CheckForm({ payment, onPaid }: CheckFormProps) {
  const amount = formatMoney(payment.total);
  const form = useForm({
    start: { check_number: "", another_check: false },
    send: async (typed) => {
      const body = requestBody(payByCheck, { payment_hash: payment.hash, ...typed });
      const record = await call(payByCheck, { body });
      showRecord(record);
      return { record, checkNumber: body.check_number };
    },
    onDone: ({ record, checkNumber }) =>
      onPaid(
        <>
          {`Check ${checkNumber} for ${amount} is recorded. Your balance goes down once your referral service confirms it. `}
          <ToReceipt paymentId={newestPayment(record.checkPayments, payment.total)}>
            Details
          </ToReceipt>
        </>,
      ),
  });
  return (
    <Form form={form}>
      <p>
        Send your referral service a check for {amount}. Your balance goes down once they confirm
        it.
      </p>
      <TextField
        narrow
        label="Check number"
        {...form.field("check_number")}
        onChange={(number) => form.set({ check_number: number, another_check: false })}
      />
      <AnotherCheckField {...form.field("another_check")} />
      <SubmitButton pending={form.pending}>{`Pay ${amount} by check`}</SubmitButton>
    </Form>
  );
}
