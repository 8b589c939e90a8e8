import { Link, useNavigate } from "react-router";
import { useAddDialog } from "#web/add-dialog.tsx";
import { useAddressFilters } from "#web/address-filters.tsx";
import { call, requestBody } from "#web/api.tsx";
import { endpointQuery, refetch, useList } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Filters } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { addFirm, type Firm, listFirms } from "./contract.ts";
import { FirmForm } from "./FirmForm.tsx";

const columns: Column<Firm>[] = [
  { heading: "Name", cell: ({ id, name }) => <Link to={`/admin/firms/${id}`}>{name}</Link> },
  {
    heading: "Lawyers",
    amount: true,
    cell: ({ attorneys }) => attorneys.length.toLocaleString("en-US"),
  },
  { heading: "Owed", amount: true, cell: ({ balance }) => <Money amount={balance} /> },
  { heading: "Credit", amount: true, cell: ({ credit }) => <Money amount={credit} /> },
];

/** The law firms whose lawyers are on the panel. */
export function FirmsScreen() {
  const { read, choose } = useAddressFilters<"search">();
  const [isAdding, setAdding] = useAddDialog();
  const search = read("search");
  const list = useList(endpointQuery(listFirms, { query: { ...usePage(), search } }));
  const isEmpty = list.data?.total === 0 && search === "";
  const adding = (
    <Button kind="primary" pending={false} onClick={() => setAdding(true)}>
      Add a firm
    </Button>
  );
  return (
    <>
      <PageHeading title="Firms" actions={!isEmpty && adding} />
      {!isEmpty && (
        <Filters>
          <SearchField
            label="Search"
            value={search}
            onSearch={(text) => choose("search", text, { replace: true })}
          />
        </Filters>
      )}
      <DataTable
        caption="Firms"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={(firm) => firm.id}
        empty={
          isEmpty ? (
            <EmptyState title="No firms yet" action={adding}>
              A firm can pay for several of its lawyers with one check. Firms also come with an
              import of attorneys that names them.
            </EmptyState>
          ) : (
            <EmptyState
              title="No firms match this search"
              action={<ButtonLink to="/admin/firms">Clear search</ButtonLink>}
            >
              The search looks for names, billing emails and lawyers.
            </EmptyState>
          )
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
      {isAdding && <AddFirmDialog onClose={() => setAdding(false)} />}
    </>
  );
}

/** Adds a firm and leads to its page. */
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
          await refetch(listFirms);
          return added;
        }}
        onDone={({ id }) => void navigate(`/admin/firms/${id}`)}
      />
    </Dialog>
  );
}
