import { useState } from "react";
import { cleanAmount } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { parseNumber } from "#kit/web/parse-number.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { CountField } from "#kit/web/ui/CountField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { TextArea, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { createPlan } from "./contract.ts";

const title = "Create a Subscription";

/** Creates a plan. The form is named by its section's heading. */
export function PlanForm() {
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: { name: "", payment_amount: "", payment_frequency_in_months: "1", description: "" },
    labels: {
      payment_amount: "Amount owed",
      payment_frequency_in_months: "The payment schedule",
    },
    send: async (typed) => {
      setDone(null);
      const body = requestBody(createPlan, {
        ...typed,
        payment_amount: cleanAmount(typed.payment_amount),
        payment_frequency_in_months: parseNumber(typed.payment_frequency_in_months),
      });
      const plan = await call(createPlan, { body });
      return plan;
    },
    onDone: (plan) => {
      form.reset();
      setDone(`${plan.name} was created: ${plan.paymentSchedule}.`);
    },
  });
  return (
    <>
      <Form form={form} label={title}>
        <TextField label="Name" {...form.field("name")} />
        <Row gap={16} align="end">
          <AmountField label="Amount owed in dollars" {...form.field("payment_amount")} />
          <CountField
            label="every N month(s)"
            min={1}
            max={120}
            {...form.field("payment_frequency_in_months")}
          />
        </Row>
        <TextArea label="Description" {...form.field("description")} />
        <div>
          <SubmitButton pending={form.pending}>Create new subscription</SubmitButton>
        </div>
      </Form>
      <Notice>{done}</Notice>
    </>
  );
}
