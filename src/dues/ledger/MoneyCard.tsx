import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Cents, cleanAmount, dollarsText, formatMoney } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { Disclosure } from "#kit/web/ui/Disclosure.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changeMoneySettings, type MoneySettings, showMoneySettings } from "./contract.ts";

/** Settings for credit, fees and account names. Source: domain rules §10. */
export function MoneyCard() {
  const settings = useQuery(endpointQuery(showMoneySettings));
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => (
        <Stack gap={24}>
          <CreditAndFeesForm settings={loaded} />
          <Disclosure summary="Account names">
            <AccountNamesForm settings={loaded} />
          </Disclosure>
        </Stack>
      )}
    </WhenLoaded>
  );
}

type Change = Parameters<typeof requestBody<typeof changeMoneySettings.body>>[1];

/** Save the changes. If there are none, load the stored settings: others may have changed them. */
async function save(change: Change): Promise<MoneySettings> {
  const body = requestBody(changeMoneySettings, change);
  const isChanged = Object.keys(body).length > 0;
  const saved = await (isChanged ? call(changeMoneySettings, { body }) : call(showMoneySettings));
  showSaved(endpointQuery(showMoneySettings).queryKey, saved);
  return saved;
}

interface SettingsProps {
  settings: MoneySettings;
}

function CreditAndFeesForm({ settings }: SettingsProps) {
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: creditAndFeesOf(settings),
    labels: {
      returned_check_fee: "Usual fee for a returned check, in dollars",
      chargeback_fee: "Fee for a chargeback, in dollars",
    },
    send: async (typed, saved) => {
      const entered = {
        ...typed,
        returned_check_fee: cleanAmount(typed.returned_check_fee),
        chargeback_fee: cleanAmount(typed.chargeback_fee),
      };
      return await save(changedFields(saved, entered));
    },
    valuesOf: creditAndFeesOf,
    onDone: ({ appliesCreditAutomatically, returnedCheckFee, chargebackFee }) => {
      const applied = appliesCreditAutomatically ? "" : "not ";
      const feeText = (fee: Cents) => (fee > 0 ? formatMoney(fee) : "none");
      setDone(
        `Saved. New debits are ${applied}paid from credit automatically. Fee for a returned check: ${feeText(returnedCheckFee)}, for a chargeback: ${feeText(chargebackFee)}.`,
      );
    },
  });
  return (
    <Form form={form} label="Credit and fees">
      <CheckboxField
        label="Apply credit to new debits automatically"
        hint="New dues and charges are paid from an attorney’s credit, oldest first. When off, you apply credit yourself."
        {...form.field("applies_credit_automatically")}
      />
      <AmountField
        label="Usual fee for a returned check, in dollars"
        hint="Suggested when you mark a check as returned. Enter 0 for no fee."
        {...form.field("returned_check_fee")}
      />
      <AmountField
        label="Fee for a chargeback, in dollars"
        hint="Charged to the attorney when Stripe reports a chargeback, and suggested when you record one. Enter 0 for no fee."
        {...form.field("chargeback_fee")}
      />
      <div>
        <SubmitButton kind="secondary" pending={form.pending}>
          Update credit and fees
        </SubmitButton>
      </div>
      <Notice>{done}</Notice>
    </Form>
  );
}

function creditAndFeesOf({
  appliesCreditAutomatically,
  returnedCheckFee,
  chargebackFee,
}: MoneySettings) {
  return {
    applies_credit_automatically: appliesCreditAutomatically,
    returned_check_fee: dollarsText(returnedCheckFee),
    chargeback_fee: dollarsText(chargebackFee),
  };
}

const accounts = [
  { key: "accounts_receivable", label: "What attorneys owe" },
  { key: "dues_income", label: "Income from dues", hint: "Followed by the plan’s name" },
  { key: "other_income", label: "Income from charges" },
  { key: "undeposited_checks", label: "Checks not deposited yet" },
  { key: "bank", label: "Bank", hint: "Followed by the deposit’s account" },
  { key: "card_clearing", label: "Card payments", hint: "Followed by the card processor’s name" },
  { key: "attorneys_credit", label: "Attorneys’ credit" },
  { key: "held", label: "Money held for payers" },
  { key: "adjustments", label: "Adjusted balances" },
] as const;

function AccountNamesForm({ settings }: SettingsProps) {
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: accountNamesOf(settings),
    labels: Object.fromEntries(accounts.map(({ key, label }) => [key, `Name for “${label}”`])),
    within: "account_names",
    send: async (typed, saved) => {
      const changes = changedFields(saved, typed);
      return await save(Object.keys(changes).length > 0 ? { account_names: changes } : {});
    },
    valuesOf: accountNamesOf,
    onDone: () => setDone("Saved. The journal uses these names from now on."),
  });
  return (
    <Form form={form} label="Account names">
      <p>Use the names in your accounting program.</p>
      {accounts.map(({ key, label, ...more }) => (
        <TextField key={key} label={label} {...more} {...form.field(key)} />
      ))}
      <div>
        <SubmitButton kind="secondary" pending={form.pending}>
          Update account names
        </SubmitButton>
      </div>
      <Notice>{done}</Notice>
    </Form>
  );
}

function accountNamesOf({ accountNames: names }: MoneySettings) {
  return {
    accounts_receivable: names.accountsReceivable,
    dues_income: names.duesIncome,
    other_income: names.otherIncome,
    undeposited_checks: names.undepositedChecks,
    bank: names.bank,
    card_clearing: names.cardClearing,
    attorneys_credit: names.attorneysCredit,
    held: names.held,
    adjustments: names.adjustments,
  };
}
