import { Fragment, useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField, RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changeCardSettings, showCardSettings } from "#cards/contract.ts";
import type { Brandmark, CardSettings } from "#cards/shapes.ts";
import { BrandmarksField } from "./BrandmarksField.tsx";
import { KeyInstructions } from "./KeyInstructions.tsx";

type Processor = CardSettings["processors"][number];
type Mode = "sandbox" | "test" | "live";

/** The form's own name for a key, so that each key shows its own error. */
type KeyName = `key_${string}`;
const keyName = (name: string): KeyName => `key_${name}`;

/** Whether to remove a saved optional secret. */
type RemovalName = `remove_${string}`;
const removalName = (name: string): RemovalName => `remove_${name}`;

interface Typed extends Record<KeyName, string>, Record<RemovalName, boolean> {
  mode: Mode;
  brandmarks: Brandmark[];
}

interface CardAccountFormProps {
  settings: CardSettings;
  processor: Processor;
  /** Called with a sentence saying what the processor answered. */
  onDone: (result: string) => void;
}

/** A processor's keys, checked with the processor before they are saved. Secrets are never shown again. */
export function CardAccountForm({ settings, processor, onDone }: CardAccountFormProps) {
  const { label, fields } = processor;
  const [version] = useState(settings.version); // the version the form started from
  const form = useForm<Typed, CardSettings>({
    start: initialValues(settings, processor),
    send: async (typed) =>
      showSaved(endpointQuery(showCardSettings).queryKey, await save(processor, typed, version)),
    onDone: () => onDone(`${label} accepted the keys. ${whatHappens[form.typed.mode]}`),
  });
  return (
    <Form form={form} label={`Account with ${label}`}>
      <RadioField label="Payments" options={modesFor(settings)} {...form.field("mode")} />
      <KeyInstructions name={processor.name} label={label} />
      {fields.map((field) => (
        <Fragment key={field.name}>
          <TextField
            label={field.isRequired ? field.label : `${field.label} (optional)`}
            hint={hintFor(processor, field)}
            type={field.isSecret ? "password" : "text"}
            {...form.field(keyName(field.name))}
          />
          {isRemovable(processor, field) && (
            <CheckboxField
              label={`Remove the saved ${field.label.toLowerCase()}`}
              {...form.field(removalName(field.name))}
            />
          )}
        </Fragment>
      ))}
      {processor.advice && <p>{processor.advice}</p>}
      <BrandmarksField label="Brands shown on the card form" {...form.field("brandmarks")} />
      {settings.webhookUrl && processor.name === settings.paymentProcessor && (
        <p>
          Have {label} send its webhooks to <code>{settings.webhookUrl}</code>
        </p>
      )}
      <ActionPreview>
        {`${label} checks the keys; then they are saved. ${whatHappens[form.typed.mode]} Payments already under way finish with the processor they started with.`}
      </ActionPreview>
      <div>
        <SubmitButton pending={form.pending}>Save card processor</SubmitButton>
      </div>
    </Form>
  );
}

const whatHappens: Record<Mode, string> = {
  sandbox: "Attorneys can try paying by card. No money moves.",
  test: "Attorneys can try paying by card. No money moves.",
  live: "Attorneys' cards are charged.",
};

function modesFor({ sandboxAvailable }: CardSettings) {
  const sandbox = {
    value: "sandbox" as const,
    label: "Sandbox",
    hint: "try it with test cards; nothing is charged",
  };
  return [
    ...(sandboxAvailable ? [sandbox] : []),
    { value: "test" as const, label: "Test", hint: "in the processor's own test system" },
    { value: "live" as const, label: "Live", hint: "cards are charged" },
  ];
}

function initialValues(settings: CardSettings, { fields, values }: Processor): Typed {
  const keys = fields.map(({ name }) => [keyName(name), values[name] ?? ""] as const);
  const removals = fields.map(({ name }) => [removalName(name), false] as const);
  return {
    mode: settings.sandbox ? "sandbox" : settings.livePayments ? "live" : "test",
    brandmarks: settings.brandmarks,
    ...Object.fromEntries(keys),
    ...Object.fromEntries(removals),
  };
}

function hintFor({ secrets }: Processor, field: Processor["fields"][number]): string {
  const saved = secrets[field.name];
  if (saved === undefined) return field.hint;
  return `Saved${saved && `, ends in ${saved}`}. Leave blank to keep it.`;
}

function isRemovable({ secrets }: Processor, field: Processor["fields"][number]): boolean {
  return field.isSecret && !field.isRequired && secrets[field.name] !== undefined;
}

/** An empty secret keeps its saved value, unless it is to be removed. */
async function save(
  { name, fields }: Processor,
  typed: Typed,
  version: CardSettings["version"],
): Promise<CardSettings> {
  const keys = fields.flatMap((field) => {
    const value = typed[keyName(field.name)]?.trim() ?? "";
    const isKept = field.isSecret && value === "" && !typed[removalName(field.name)];
    return isKept ? [] : [[field.name, value] as const];
  });
  const wanted = {
    version,
    payment_processor: name,
    live_payments: typed.mode === "live",
    sandbox: typed.mode === "sandbox",
    brandmarks: typed.brandmarks,
    keys: Object.fromEntries(keys),
  };
  try {
    return await call(changeCardSettings, { body: requestBody(changeCardSettings, wanted) });
  } catch (problem) {
    if (!(problem instanceof CallFailure)) throw problem;
    const errors = problem.errors.map(({ path, message }) => ({
      path: path.replace(/^keys\./, "key_"),
      message,
    }));
    throw new CallFailure(problem.status, problem.message, errors);
  }
}
