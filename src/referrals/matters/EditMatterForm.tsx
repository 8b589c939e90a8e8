import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { ContactFields, contactLabels, type TypedContact } from "./ContactFields.tsx";
import { editMatter, type Matter } from "./contract.ts";

interface EditMatterFormProps {
  matter: Matter;
  onCancel: () => void;
  onDone: () => void;
}

export function EditMatterForm({ matter, onCancel, onDone }: EditMatterFormProps) {
  const [before] = useState(() => typedFrom(matter));
  const form = useForm({
    start: before,
    labels: contactLabels,
    send: async (typed) => {
      const changes = changedFields(before, typed);
      if (Object.keys(changes).length === 0) return;
      const body = requestBody(editMatter, { matter_id: matter.id, ...changes });
      await call(editMatter, { body });
    },
    onDone,
  });
  return (
    <Form form={form} label="Contact details">
      <ContactFields field={form.field} />
      <Row>
        <SubmitButton pending={form.pending}>Save</SubmitButton>
        <Button pending={false} onClick={() => form.leave(onCancel)}>
          Cancel
        </Button>
      </Row>
    </Form>
  );
}

function typedFrom(matter: Matter): TypedContact {
  return {
    first_name: matter.firstName,
    last_name: matter.lastName,
    phone: matter.phone,
    email: matter.email,
    address_line_1: matter.addressLine1,
    address_line_2: matter.addressLine2,
    address_city: matter.addressCity,
    address_region: matter.addressRegion,
    address_zip: matter.addressZip,
  };
}
