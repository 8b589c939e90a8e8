import { call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Disclosure } from "#kit/web/ui/Disclosure.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import type { AskedColumn, ImportPreview } from "./contract.ts";
import type { ImportKind } from "./import-kind.tsx";
import { counted } from "./import-words.tsx";

interface AskedColumnsProps {
  kind: ImportKind;
  plan: ImportPreview;
  /** Called once the answers are saved, so that the file is checked again. */
  onSaid: () => void;
}

/** Asks what columns with unknown headings contain. The answers are saved for the network. */
export function UnknownColumns({ kind, plan, onSaid }: AskedColumnsProps) {
  const { askedColumns, missingFields } = plan;
  const isOpen = askedColumns.some(({ holds }) => holds === null);
  const form = <ColumnsForm kind={kind} plan={plan} onSaid={onSaid} />;
  if (!isOpen && missingFields.length === 0)
    return (
      <Disclosure summary={`Your answers for ${counted(askedColumns.length, columns)}`}>
        {form}
      </Disclosure>
    );
  return (
    <Section title="What is in these columns?">
      <p>
        These headings are unknown. Choose what each column contains. Your answers are saved for
        later files.
      </p>
      {form}
    </Section>
  );
}

const columns = { one: "column", many: "columns" };

function ColumnsForm({ kind, plan, onSaid }: AskedColumnsProps) {
  const { askedColumns, missingFields } = plan;
  const form = useForm<Record<string, string>, unknown>({
    start: Object.fromEntries(askedColumns.map(({ heading, holds }) => [heading, holds ?? ""])),
    send: async (typed) => {
      const said = askedColumns.flatMap(({ heading }) =>
        typed[heading] ? [{ heading, holds: typed[heading] }] : [],
      );
      if (said.length > 0) await call(kind.endpoints.columns, { body: { columns: said } });
    },
    onDone: onSaid,
  });
  return (
    <Form form={form} label="What columns contain">
      {askedColumns.map((column) => (
        <SelectField
          key={column.heading}
          label={column.heading}
          hint={samplesOf(column)}
          options={[...(column.holds === null ? [undecided] : []), ...optionsOf(kind)]}
          {...form.field(column.heading)}
        />
      ))}
      <div>
        <SubmitButton
          kind={missingFields.length > 0 ? "primary" : "secondary"}
          pending={form.pending}
        >
          Check the file again
        </SubmitButton>
      </div>
    </Form>
  );
}

function samplesOf({ samples }: AskedColumn): string {
  return samples.length > 0 ? `Such as ${samples.join(" and ")}` : "All cells are empty";
}

const undecided = { value: "", label: "Not chosen: leave out this time" };

const optionsOf = (kind: ImportKind) => [
  { value: "none", label: "Something else: always leave out" },
  ...kind.columns.map(({ field, heading }) => ({ value: field, label: heading })),
  { value: "name_first_last", label: "Whole name, as in Maya Okafor" },
  { value: "name_last_first", label: "Whole name, as in Okafor, Maya" },
  { value: "middle_name", label: "Middle name" },
  { value: "suffix", label: "Suffix, as in Jr." },
  { value: "zip_plus_four", label: "Last four digits of the ZIP code" },
];
