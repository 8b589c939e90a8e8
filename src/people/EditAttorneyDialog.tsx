import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { AttorneyForm, type TypedDetails, withFirmId } from "./AttorneyForm.tsx";
import { type Attorney, editAttorney } from "./contract.ts";

interface EditAttorneyDialogProps {
  attorney: Attorney;
  onClose: () => void;
  /** Called with the record from when the dialog opened and the saved one. */
  onDone: (before: Attorney, saved: Attorney) => void;
}

export function EditAttorneyDialog({ attorney, onClose, onDone }: EditAttorneyDialogProps) {
  const [opened] = useState(attorney);
  const before = typedFrom(opened);
  return (
    <Dialog title="Edit contact details" onClose={onClose}>
      <AttorneyForm
        start={before}
        firm={opened.firm}
        action="Save contact details"
        send={async (typed) => {
          const body = requestBody(editAttorney, withFirmId(changedFields(before, typed)));
          if (Object.keys(body).length === 0) return opened;
          const saved = await call(editAttorney, { params: { id: attorney.id }, body });
          return saved;
        }}
        onDone={(saved) => onDone(opened, saved)}
      />
    </Dialog>
  );
}

function typedFrom(attorney: Attorney): TypedDetails {
  return {
    first_name: attorney.firstName,
    last_name: attorney.lastName,
    email: attorney.email,
    phone: attorney.phone,
    bar_number: attorney.barNumber,
    address_line_1: attorney.addressLine1,
    address_line_2: attorney.addressLine2,
    address_city: attorney.addressCity,
    address_region: attorney.addressRegion,
    address_zip: attorney.addressZip,
    firm_id: attorney.firm ? String(attorney.firm.id) : null,
  };
}
