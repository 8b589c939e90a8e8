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
  /** Called with a sentence that says what was done. */
  onDone: (done: string) => void;
}

/** A firm's lawyers, each of whom can be taken out; another can be added below. */
export function FirmLawyers({ firm, onDone }: FirmLawyersProps) {
  const columns: Column<Lawyer>[] = [
    {
      heading: "Name",
      cell: ({ id, name, leftOn }) => (
        <>
          <Link to={`/admin/attorneys/${id}`}>{name}</Link>
          {leftOn !== null && <Muted small> (left {formatDay(leftOn)})</Muted>}
        </>
      ),
      total: totalWords(firm.attorneys.length, "lawyer"),
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
      cell: (lawyer) => <TakeOutButton firm={firm} lawyer={lawyer} onDone={onDone} />,
      total: "",
    },
  ];
  return (
    <Stack gap={24}>
      <DataTable
        caption="Lawyers"
        captionHidden
        columns={columns}
        rows={firm.attorneys}
        keyOf={(lawyer) => lawyer.id}
        empty={
          <EmptyState title="No lawyers yet">
            Add the first one below: a check of the firm can pay for each of them.
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

function TakeOutButton({ firm, lawyer, onDone }: FirmLawyersProps & { lawyer: Lawyer }) {
  const leaving = useMutation({
    mutationFn: () => saveLawyers(firm, (ids) => ids.filter((id) => id !== lawyer.id)),
    onSuccess: () => onDone(`${lawyer.name} no longer belongs to ${firm.name}.`),
  });
  return (
    <Button
      small
      pending={leaving.isPending}
      label={`Take ${lawyer.name} out of the firm`}
      onClick={() => leaving.mutate()}
    >
      Take out
    </Button>
  );
}

const nobodyChosen = new CallFailure("not sent", "Choose a lawyer.", [
  { path: "attorney_ids", message: "Choose a lawyer." },
]);

function AddLawyerForm({ firm, onDone }: FirmLawyersProps) {
  const form = useForm({
    start: { attorney_ids: null as string | null },
    labels: { attorney_ids: "Lawyer" },
    send: async ({ attorney_ids: chosen }) => {
      if (chosen === null) throw nobodyChosen;
      return await saveLawyers(firm, (ids) => [...ids, Number(chosen)]);
    },
    onDone: ({ attorneys }) => {
      const added = attorneys.find(({ id }) => !firm.attorneys.some((one) => one.id === id));
      form.reset();
      onDone(`${added?.name ?? "The lawyer"} belongs to ${firm.name} now.`);
    },
  });
  return (
    <Form form={form} label="Add a lawyer">
      <Row align="end">
        <RecordSelect
          of="attorneys"
          label="Add a lawyer"
          placeholder="Name, email or bar number"
          {...form.field("attorney_ids")}
        />
        <SubmitButton kind="secondary" pending={form.pending}>
          Add lawyer
        </SubmitButton>
      </Row>
    </Form>
  );
}

/** Save who is of the firm: of those who are by now, not of those who were when they were shown. */
async function saveLawyers(firm: Firm, change: (ids: number[]) => number[]): Promise<Firm> {
  const params = { id: firm.id };
  const { attorneys } = await call(showFirm, { params });
  const attorney_ids = change(attorneys.map(({ id }) => id));
  const saved = await call(changeFirm, { params, body: { attorney_ids } });
  return saved;
}
