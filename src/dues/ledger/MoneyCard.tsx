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

/** How the network keeps its money. Source: domain rules §10. */
export function MoneyCard() {
  const settings = useQuery(endpointQuery(showMoneySettings));
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => (
        <Stack gap={24}>
          <CreditAndFeesForm settings={loaded} />
          <Disclosure summary="Names of the journal’s accounts">
            <AccountNamesForm settings={loaded} />
          </Disclosure>
        </Stack>
      )}
    </WhenLoaded>
  );
}

type Change = Parameters<typeof requestBody<typeof changeMoneySettings.body>>[1];

/** Save what was changed. Where nothing was, the answer is what is stored: others may have changed it. */
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
      const inWords = (fee: Cents) => (fee > 0 ? formatMoney(fee) : "none");
      setDone(
        `Saved. New debits are ${applied}paid from credit automatically. Fee for a returned check: ${inWords(returnedCheckFee)}, for a chargeback: ${inWords(chargebackFee)}.`,
      );
    },
  });
  return (
    <Form form={form} label="Credit and fees">
      <CheckboxField
        label="Apply credit to new debits automatically"
        hint="What a lawyer has in credit pays new dues and charges as they are made, oldest due first. Otherwise an administrator applies it."
        {...form.field("applies_credit_automatically")}
      />
      <AmountField
        label="Usual fee for a returned check, in dollars"
        hint="Offered when a check is marked as returned; 0 for none"
        {...form.field("returned_check_fee")}
      />
      <AmountField
        label="Fee for a chargeback, in dollars"
        hint="Charged to the lawyer when Stripe reports a chargeback, and offered when you record one; 0 for none"
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
  { key: "dues_income", label: "Income from dues", hint: "The plan’s name follows it" },
  { key: "other_income", label: "Income from charges" },
  { key: "undeposited_checks", label: "Checks not deposited yet" },
  { key: "bank", label: "Bank", hint: "The deposit’s account follows it" },
  { key: "card_clearing", label: "Card payments", hint: "The card processor’s name follows it" },
  { key: "attorneys_credit", label: "Credit of attorneys" },
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
    onDone: () => setDone("Saved. The next journal uses these names."),
  });
  return (
    <Form form={form} label="Names of the journal’s accounts">
      <p>As your accounting program calls them.</p>
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
