import { useNavigate } from "react-router";
import { requestBody, call } from "#kit/web/api.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { AttorneyForm, noDetails, withFirmId } from "./AttorneyForm.tsx";
import { addAttorney } from "./contract.ts";

/** Adds an attorney to the panel and opens their page. */
export function AddAttorneyDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Dialog title="Add an attorney" onClose={onClose}>
      <AttorneyForm
        start={noDetails}
        action="Add attorney"
        send={(typed) => call(addAttorney, { body: requestBody(addAttorney, withFirmId(typed)) })}
        onDone={({ id }) => void navigate(`/admin/attorneys/${id}`)}
      />
    </Dialog>
  );
}
