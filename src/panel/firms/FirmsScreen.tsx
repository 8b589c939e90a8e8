import { Link, useNavigate } from "react-router";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { useAddDialog } from "#kit/web/add-dialog.tsx";
import { call, requestBody } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { addFirm, type Firm, listFirms } from "./contract.ts";
import { FirmForm } from "./FirmForm.tsx";
import { firms } from "./firms.list.ts";

/** The law firms whose lawyers are on the panel. */
export function FirmsScreen() {
  const [isAdding, setAdding] = useAddDialog();
  const listed = useListed(firms, listFirms);
  const adding = (
    <Button kind="primary" pending={false} onClick={() => setAdding(true)}>
      Add a firm
    </Button>
  );
  return (
    <>
      <ListScreen
        listed={listed}
        cells={cells}
        actions={!listed.isEmpty && adding}
        hint="Search by firm name, billing email or attorney."
        empty={
          <EmptyState title="No firms yet" action={adding}>
            A firm can pay for several attorneys with one check. Importing attorneys also adds the
            firms named in the file.
          </EmptyState>
        }
      />
      {isAdding && <AddFirmDialog onClose={() => setAdding(false)} />}
    </>
  );
}

const cells: CellsOf<typeof firms, Firm> = {
  name: ({ id, name }) => <Link to={`/admin/firms/${id}`}>{name}</Link>,
  lawyers: ({ attorneys }) => attorneys.length.toLocaleString("en-US"),
};

/** Adds a firm and opens its page. */
function AddFirmDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Dialog title="Add a firm" onClose={onClose}>
      <FirmForm
        start={{ name: "", billing_email: "" }}
        action="Add firm"
        send={async (typed) => {
          const added = await call(addFirm, {
            body: requestBody(addFirm, { ...typed, attorney_ids: [] }),
          });
          return added;
        }}
        onDone={({ id }) => void navigate(`/admin/firms/${id}`)}
      />
    </Dialog>
  );
}
