import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import type { Day } from "#kit/domain/day.ts";
import { centsFromDollars, cleanAmount, zero } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { AnotherCheckField } from "#payments/AnotherCheckField.tsx";
import { newCheckBody, type TypedCheck } from "./new-check-body.tsx";
import { RecordCheckPreview } from "./RecordCheckPreview.tsx";
import { type Check, recordWholeCheck } from "./contract.ts";
import css from "./checks.module.css";
import { type Payer, PayerSelect } from "./PayerSelect.tsx";
import { PartsFields } from "./PartsFields.tsx";
import { unallocatedAmount, noAllocation, oldestFirst } from "./check-allocation.tsx";
import { UnallocatedAmount } from "./UnallocatedAmount.tsx";
import { useOpenDebits } from "./use-open-debits.tsx";

interface RecordCheckFormProps {
  /** The payer chosen initially. */
  payer: Payer | null;
  receivedOn: Day;
  onRecorded: (check: Check) => void;
}

/** One check: its payer, what is printed on it, and the debits and credit it pays to the cent. */
export function RecordCheckForm({ payer, receivedOn, onRecorded }: RecordCheckFormProps) {
  const start: TypedCheck = {
    payer,
    check_number: "",
    amount: "",
    received_on: receivedOn,
    ...noAllocation,
    note: "",
    approve: false,
    another_check: false,
  };
  const form = useForm({
    start,
    labels: { payer: "Payer", check_number: "Number", amount: "Amount in dollars" },
    maps: ["shares", "credits"],
    send: async (typed: TypedCheck) => {
      const body = newCheckBody(typed, debits);
      return await call(recordWholeCheck, { body });
    },
    onDone: onRecorded,
  });
  const { typed } = form;
  const open = useOpenDebits(typed.payer);
  const debits = open.data?.items ?? [];
  const left = unallocatedAmount(typed.amount, debits, typed);
  const keeping = useRef<HTMLDivElement>(null);

  // Checks are recorded with the keyboard only.
  const firstField = form.idOf(payer ? "check_number" : "payer");
  useEffect(() => document.getElementById(firstField)?.focus(), [firstField]);

  const choosePayer = (chosen: Payer | null) => {
    flushSync(() => form.set({ payer: chosen, another_check: false, ...noAllocation }));
    if (chosen) document.getElementById(form.idOf("check_number"))?.focus();
  };
  const fillOldestFirst = () => {
    const amount = centsFromDollars(cleanAmount(typed.amount)) ?? zero;
    flushSync(() => form.set(oldestFirst(debits, amount)));
    keeping.current?.querySelector("button")?.focus(); // exists only if an amount is left
  };
  return (
    <Form form={form} wide enterGoesOn label="Record a check">
      <PayerSelect
        label="Payer"
        hint="A firm or an attorney"
        {...form.field("payer")}
        onChange={choosePayer}
      />
      <div className={css["printed"]}>
        <TextField
          narrow
          label="Number"
          {...form.field("check_number")}
          onChange={(number) => form.set({ check_number: number, another_check: false })}
        />
        <AmountField label="Amount in dollars" {...form.field("amount")} />
        <DayField required label="Received on" {...form.field("received_on")} />
      </div>
      <AnotherCheckField {...form.field("another_check")} />
      {typed.payer && (
        <>
          <PartsFields
            payer={typed.payer}
            open={open}
            parts={typed}
            onParts={form.set}
            onOldestFirst={fillOldestFirst}
            idOf={form.idOf}
            errorAt={form.errorAt}
          />
          <UnallocatedAmount
            id={form.idOf("shares")}
            payer={typed.payer}
            debits={debits}
            parts={typed}
            left={left}
            error={form.errorAt("shares") ?? form.errorAt("credits")}
            keeping={keeping}
            onKept={(attorneyId, amount) => {
              flushSync(() => form.set({ credits: { ...typed.credits, [attorneyId]: amount } }));
              document.getElementById(form.idOf(`credits.${attorneyId}`))?.focus();
            }}
          />
        </>
      )}
      <TextField label="Note" {...form.field("note")} />
      <CheckboxField label="The check is in hand: approve now" {...form.field("approve")} />
      <RecordCheckPreview typed={typed} debits={debits} left={left} />
      <div>
        <SubmitButton pending={form.pending}>Record check</SubmitButton>
      </div>
    </Form>
  );
}
