import { requestBody, call } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { CandidateSelect } from "./CandidateSelect.tsx";
import { type Matter, referMatter } from "./contract.ts";

/** Refers a new referral to an attorney who may receive one. */
export function ReferForm({ matter }: { matter: Matter }) {
  const form = useForm({
    start: { attorney_id: null as string | null },
    labels: { attorney_id: "Attorney" },
    send: async ({ attorney_id }) => {
      if (attorney_id === null) throw noAttorneyChosen();
      const body = requestBody(referMatter, {
        attorney_id: Number(attorney_id),
        from_attorney_id: null,
      });
      await call(referMatter, { params: { id: matter.id }, body });
    },
  });
  return (
    <Form form={form} label="Refer to an attorney">
      <CandidateSelect
        label="Attorney"
        hint="Longest wait first. Attorneys on vacation or suspended are not listed."
        {...form.field("attorney_id")}
      />
      <div>
        <SubmitButton pending={form.pending}>Refer</SubmitButton>
      </div>
    </Form>
  );
}

export function noAttorneyChosen(): CallFailure {
  const message = "Choose an attorney.";
  return new CallFailure("not sent", message, [{ path: "attorney_id", message }]);
}
