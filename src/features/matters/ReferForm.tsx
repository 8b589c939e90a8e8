import { listActivity } from "#features/activity/contract.ts";
import { AttorneySelect } from "#features/attorneys/AttorneySelect.tsx";
import { requestBody, call } from "#web/api.tsx";
import { CallFailure } from "#web/call-failure.tsx";
import { refetch } from "#web/queries.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Form } from "#web/ui/Form.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { listMatters, type Matter, referMatter, showMatter } from "./contract.ts";

/** Gives a new referral to an attorney who may receive one. */
export function ReferForm({ matter }: { matter: Matter }) {
  const form = useForm({
    start: { attorney_id: null as string | null },
    labels: { attorney_id: "Attorney" },
    send: async ({ attorney_id }) => {
      if (attorney_id === null) throw nobodyChosen();
      const body = requestBody(referMatter, { attorney_id: Number(attorney_id) });
      await call(referMatter, { params: { id: matter.id }, body });
      await refetch(showMatter, listMatters, listActivity);
    },
  });
  return (
    <Form form={form} label="Refer to an attorney">
      <AttorneySelect
        activeOnly
        label="Attorney"
        hint="Attorneys on vacation or suspended are not offered."
        placeholder="Choose an attorney"
        {...form.field("attorney_id")}
      />
      <div>
        <SubmitButton pending={form.pending}>Refer</SubmitButton>
      </div>
    </Form>
  );
}

function nobodyChosen(): CallFailure {
  const message = "Choose an attorney.";
  return new CallFailure("not sent", message, [{ path: "attorney_id", message }]);
}
