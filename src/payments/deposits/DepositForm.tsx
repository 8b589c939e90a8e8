import { useState } from "react";
import { type Cents, formatMoney, sum } from "#kit/domain/money.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Check } from "#payments/checks/contract.ts";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import { Button, ButtonLink, SubmitButton } from "#kit/web/ui/Button.tsx";
import { FormBar } from "#kit/web/ui/ChosenBar.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useTicks } from "#kit/web/ui/ticks.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type Deposit, listUndepositedChecks } from "./contract.ts";
import { checkCount } from "./deposit-words.tsx";

interface TypedDeposit {
  deposited_on: Day | null;
  account_name: string;
}

interface WrittenDeposit {
  deposited_on: Day;
  account_name: string;
  check_ids: number[];
}

/** Only the changes to a deposit, so that other people's changes are kept. */
interface ChangedDeposit {
  deposited_on: Day;
  account_name: string;
  add_check_ids: number[];
  remove_check_ids: number[];
}

interface DepositFormProps {
  start: TypedDeposit;
  /** The checks already in the deposit. */
  held: readonly Check[];
  /** The button's label, such as "Make deposit". */
  verb: string;
  cancelTo: string;
  /** Called with all values of the form, and with only the changes. */
  send: (typed: WrittenDeposit, changed: Partial<ChangedDeposit>) => Promise<Deposit>;
  onDone: (deposit: Deposit) => void;
}

const columns: Column<Check>[] = [
  { heading: "Number", cell: ({ checkNumber }) => checkNumber },
  { heading: "Payer", cell: ({ payer }) => payer.name },
  { heading: "Received", nowrap: true, cell: ({ receivedOn }) => <DayText on={receivedOn} /> },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
];

/** A deposit's date, account and checks, with the total of the checked ones. */
export function DepositForm({ start, held, verb, cancelTo, send, onDone }: DepositFormProps) {
  const [removed, setRemoved] = useState<ReadonlySet<number>>(new Set());
  const waiting = useList(endpointQuery(listUndepositedChecks, { query: usePage() }));
  const ticks = useTicks({
    rows: waiting.data?.items,
    keyOf: ({ id }) => id,
    nameOf: ({ checkNumber, payer }) => `check ${checkNumber} of ${payer.name}`,
    // Somebody else may have added a ticked check to the deposit in the meantime.
    canTick: ({ id }) => held.every((check) => check.id !== id),
  });
  const added = ticks.chosen;
  const kept = held.filter(({ id, status }) => status === "returned" || !removed.has(id));
  const checks = [...kept, ...added];
  const dropped = held.filter((check) => !kept.includes(check));
  const isChanged = added.length > 0 || dropped.length > 0;
  const total = sum(checks.map(({ amount }) => amount));
  const form = useForm({
    start,
    labels: { deposited_on: "Deposited on", account_name: "Bank account" },
    send: async (typed, saved) => {
      const words = wordsOf(typed);
      return await send(
        { ...words, check_ids: idsOf(checks) },
        {
          ...changedFields(wordsOf(saved), words),
          ...(added.length > 0 && { add_check_ids: idsOf(added) }),
          ...(dropped.length > 0 && { remove_check_ids: idsOf(dropped) }),
        },
      );
    },
    onDone,
  });
  const toggle = (id: number) =>
    setRemoved(
      (before) =>
        new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
    );
  return (
    <Form form={{ ...form, isUnsaved: form.isUnsaved || isChanged }} wide enterGoesOn label={verb}>
      <DayField label="Deposited on" required {...form.field("deposited_on")} />
      <TextField label="Bank account" {...form.field("account_name")} />
      {held.length > 0 && <Held checks={held} removed={removed} onToggle={toggle} />}
      <Section title="Not deposited">
        <PagedTable
          list={waiting}
          caption="Approved checks not deposited"
          columns={columns}
          keyOf={({ id }) => id}
          ticks={ticks}
          empty={
            <EmptyState title="No checks to deposit">
              Approved checks appear here until you deposit them.
            </EmptyState>
          }
        />
      </Section>
      <FormBar ticks={ticks} about={totalWords(checks.length, total)}>
        <ButtonLink to={cancelTo}>Cancel</ButtonLink>
        <SubmitButton pending={form.pending}>{`${verb} (${formatMoney(total)})`}</SubmitButton>
      </FormBar>
    </Form>
  );
}

const wordsOf = ({ deposited_on, account_name }: TypedDeposit) => ({
  deposited_on: deposited_on ?? "",
  account_name,
});

const idsOf = (checks: readonly Check[]) => checks.map(({ id }) => id);

const totalWords = (count: number, total: Cents): string =>
  count === 0 ? "No checks chosen." : `${checkCount(count)}, ${formatMoney(total)} in all.`;

interface HeldProps {
  checks: readonly Check[];
  removed: ReadonlySet<number>;
  onToggle: (id: number) => void;
}

/** The checks in the deposit. Returned checks cannot be removed. */
function Held({ checks, removed, onToggle }: HeldProps) {
  const actions: Column<Check> = {
    heading: "Actions",
    actions: true,
    cell: ({ id, checkNumber, status }) =>
      status === "returned" ? (
        "Returned, cannot be removed"
      ) : (
        <Button
          small
          pending={false}
          label={`${removed.has(id) ? "Keep" : "Remove"} check ${checkNumber}`}
          onClick={() => onToggle(id)}
        >
          {removed.has(id) ? "Keep" : "Remove"}
        </Button>
      ),
  };
  return (
    <Section title="In this deposit">
      <DataTable
        caption="Checks in this deposit"
        captionHidden
        columns={[...columns, actions]}
        rows={checks}
        keyOf={({ id }) => id}
        empty={null}
        pending={false}
        error={null}
        onRetry={() => undefined}
      />
    </Section>
  );
}
