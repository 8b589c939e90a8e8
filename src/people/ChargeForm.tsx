import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import {
  centsFromDollars,
  cleanAmount,
  formatMoney,
  maxAmount,
  minAmount,
  zero,
} from "#kit/domain/money.ts";
import { createCharge, previewCharges } from "#dues/ledger/contract.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DialogActions } from "#kit/web/ui/Dialog.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { attorneysWords } from "./attorney-words.tsx";
import type { AttorneyFilters } from "#panel/shapes.ts";

type Preview = z.output<typeof previewCharges.object>;

export interface ChargeFormProps {
  /** The chosen attorneys; if empty, everyone on the panel. */
  chosen: readonly { id: number; name: string }[];
  /** Instead of `chosen`: all that the list shows with these filters. */
  matching?: Matching;
  /** Does not offer to charge everyone on the panel. */
  chosenOnly?: boolean;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

interface Matching {
  filters: AttorneyFilters;
  count: number;
}

/** Shows how many attorneys are charged and how much, then charges them. Source: domain rules §10. */
export function ChargeForm({ chosen, matching, chosenOnly = false, onDone }: ChargeFormProps) {
  const count = matching?.count ?? chosen.length;
  const attorneysOf = (whom: Typed["whom"]) =>
    whom === "all"
      ? { all: true as const }
      : matching
        ? { filters: matching.filters }
        : { attorney_ids: chosen.map(({ id }) => id) };
  const today = useToday();
  const start: Typed = {
    whom: count > 0 ? "chosen" : "all",
    name: "",
    amount: "",
    due_on: today,
    note: "",
  };
  const form = useForm({
    start,
    labels: { name: "Name of the charge", due_on: "Due date" },
    send: async ({ whom, ...typed }) => {
      const body = requestBody(createCharge, {
        all: true,
        ...typed,
        amount: cleanAmount(typed.amount),
        due_on: typed.due_on ?? "",
      });
      const made = await call(createCharge, {
        body: { ...body, all: undefined, ...attorneysOf(whom) },
      });
      return { ...made, name: body.name };
    },
    onDone: ({ name, created, amount }) =>
      onDone(
        `${name}: ${attorneysWords(created)} ${created === 1 ? "is" : "are"} charged, ${formatMoney(amount)} in all.`,
      ),
  });
  const amount = centsFromDollars(cleanAmount(form.typed.amount)) ?? zero;
  const isAmount = amount > 0 && amount <= maxAmount;
  const preview = useQuery({
    ...endpointQuery(previewCharges, {
      body: {
        ...attorneysOf(form.typed.whom),
        amount: isAmount ? amount : minAmount, // counts attorneys before an amount is typed
      },
    }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const known = preview.isPlaceholderData ? undefined : preview.data;
  return (
    <Form form={form} label="Charge">
      {!chosenOnly && count > 0 && (
        <RadioField
          label="Attorneys"
          options={[
            { value: "chosen", label: `The ${attorneysWords(count)} chosen` },
            { value: "all", label: "All on the panel" },
          ]}
          {...form.field("whom")}
        />
      )}
      {!chosenOnly && count === 0 && (
        <p>
          Everyone on the panel is charged. To charge only some attorneys, select them in the list.
        </p>
      )}
      <TextField
        label="Name of the charge"
        hint="Shown to attorneys on the debit, such as “Late fee”"
        {...form.field("name")}
      />
      <AmountField label="Amount in dollars" {...form.field("amount")} />
      <DayField required label="Due date" {...form.field("due_on")} />
      <TextArea label="Note" {...form.field("note")} />
      <ActionPreview>
        {preview.error ? preview.error.message : known && consequence(known, isAmount)}
      </ActionPreview>
      <DialogActions>
        <SubmitButton pending={form.pending}>{buttonWords(known, isAmount)}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

interface Typed {
  whom: "chosen" | "all";
  name: string;
  amount: string;
  due_on: string | null;
  note: string;
}

function consequence({ attorneys, amount, total, fromCredit }: Preview, isAmount: boolean): string {
  if (!isAmount) return `Enter the amount to charge ${attorneysWords(attorneys)}.`;
  const charged =
    attorneys === 1
      ? `Charge 1 attorney ${formatMoney(amount)}`
      : `Charge ${attorneysWords(attorneys)} ${formatMoney(amount)} each, ${formatMoney(total)} in all`;
  const paid = fromCredit > 0 ? ` Credit pays ${formatMoney(fromCredit)} of this immediately.` : "";
  return `${charged}.${paid}`;
}

function buttonWords(preview: Preview | undefined, isAmount: boolean): string {
  return preview && isAmount
    ? `Charge ${attorneysWords(preview.attorneys)} (${formatMoney(preview.total)})`
    : "Charge attorneys";
}
