import { useMutation } from "@tanstack/react-query";
import { Link } from "react-router";
import { formatDay } from "#kit/domain/day.ts";
import { RecordSelect } from "#kit/list/RecordSelect.tsx";
import { call } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#kit/web/ui/DataTable.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changeFirm, type Firm, showFirm } from "./contract.ts";

type Lawyer = Firm["attorneys"][number];

interface FirmLawyersProps {
  firm: Firm;
  /** Called with a sentence about the result. */
  onDone: (done: string) => void;
}

/** A firm's lawyers, with a form to add one and a button to remove each. */
export function FirmAttorneys({ firm, onDone }: FirmLawyersProps) {
  const columns: Column<Lawyer>[] = [
    {
      heading: "Name",
      cell: ({ id, name, leftOn }) => (
        <>
          <Link to={`/admin/attorneys/${id}`}>{name}</Link>
          {leftOn !== null && <Muted small> (left {formatDay(leftOn)})</Muted>}
        </>
      ),
      total: totalWords(firm.attorneys.length, "attorney"),
    },
    {
      heading: "Owed",
      amount: true,
      cell: ({ balance }) => <Money amount={balance} />,
      total: <Money amount={firm.balance} />,
    },
    {
      heading: "Credit",
      amount: true,
      cell: ({ credit }) => <Money amount={credit} />,
      total: <Money amount={firm.credit} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (lawyer) => <RemoveButton firm={firm} lawyer={lawyer} onDone={onDone} />,
      total: "",
    },
  ];
  return (
    <Stack gap={24}>
      <DataTable
        caption="Attorneys"
        captionHidden
        columns={columns}
        rows={firm.attorneys}
        keyOf={(lawyer) => lawyer.id}
        empty={
          <EmptyState title="No attorneys yet">
            Add one below. The firm can then pay for its attorneys with one check.
          </EmptyState>
        }
        pending={false}
        error={null}
        onRetry={() => undefined}
      />
      <AddLawyerForm firm={firm} onDone={onDone} />
    </Stack>
  );
}

function RemoveButton({ firm, lawyer, onDone }: FirmLawyersProps & { lawyer: Lawyer }) {
  const removing = useMutation({
    mutationFn: () => saveLawyers(firm, (ids) => ids.filter((id) => id !== lawyer.id)),
    onSuccess: () => onDone(`${lawyer.name} was removed from ${firm.name}.`),
  });
  return (
    <Button
      small
      pending={removing.isPending}
      label={`Remove ${lawyer.name} from the firm`}
      onClick={() => removing.mutate()}
    >
      Remove
    </Button>
  );
}

const noLawyerChosen = new CallFailure("not sent", "Choose an attorney.", [
  { path: "attorney_ids", message: "Choose an attorney." },
]);

function AddLawyerForm({ firm, onDone }: FirmLawyersProps) {
  const form = useForm({
    start: { attorney_ids: null as string | null },
    labels: { attorney_ids: "Attorney" },
    send: async ({ attorney_ids: chosen }) => {
      if (chosen === null) throw noLawyerChosen;
      return await saveLawyers(firm, (ids) => [...ids, Number(chosen)]);
    },
    onDone: ({ attorneys }) => {
      const added = attorneys.find(({ id }) => !firm.attorneys.some((one) => one.id === id));
      form.reset();
      onDone(`${added?.name ?? "The attorney"} was added to ${firm.name}.`);
    },
  });
  return (
    <Form form={form} label="Add an attorney">
      <Row align="end">
        <RecordSelect
          of="attorneys"
          label="Add an attorney"
          placeholder="Name, email or bar number"
          {...form.field("attorney_ids")}
        />
        <SubmitButton kind="secondary" pending={form.pending}>
          Add attorney
        </SubmitButton>
      </Row>
    </Form>
  );
}

/** Reload the firm's lawyers before changing them, so that other people's changes are kept. */
async function saveLawyers(firm: Firm, change: (ids: number[]) => number[]): Promise<Firm> {
  const params = { id: firm.id };
  const { attorneys } = await call(showFirm, { params });
  const attorney_ids = change(attorneys.map(({ id }) => id));
  const saved = await call(changeFirm, { params, body: { attorney_ids } });
  return saved;
}
