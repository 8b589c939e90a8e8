import { Link, useNavigate } from "react-router";
import type { z } from "zod";
import { NothingListed } from "#list/NothingListed.tsx";
import { useAddDialog } from "#web/add-dialog.tsx";
import { useAddressFilters } from "#web/address-filters.tsx";
import { call, requestBody } from "#web/api.tsx";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Filters } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { addFirm, type Firm, firmColumns, listFirms } from "./contract.ts";
import { FirmForm } from "./FirmForm.tsx";

type ListedFirms = z.output<typeof listFirms.object>;

const columnsFor = (list: ListedFirms | undefined): Column<Firm>[] => [
  {
    heading: "Name",
    sort: "name",
    cell: ({ id, name }) => <Link to={`/admin/firms/${id}`}>{name}</Link>,
    total: list && totalWords(list.total, "firm"),
  },
  {
    heading: "Attorneys",
    sort: "lawyers",
    amount: true,
    cell: ({ attorneys }) => attorneys.length.toLocaleString("en-US"),
  },
  {
    heading: "Owed",
    sort: "owed",
    amount: true,
    cell: ({ balance }) => <Money amount={balance} />,
    total: list && <Money amount={list.totals.balance} />,
  },
  {
    heading: "Credit",
    sort: "credit",
    amount: true,
    cell: ({ credit }) => <Money amount={credit} />,
    total: list && <Money amount={list.totals.credit} />,
  },
];

/** The law firms whose lawyers are on the panel. */
export function FirmsScreen() {
  const { read, choose } = useAddressFilters<"search">();
  const [isAdding, setAdding] = useAddDialog();
  const search = read("search");
  const sort = useSort(firmColumns);
  const list = useListPages((page) =>
    endpointQuery(listFirms, { query: { ...page, search, sort: sort.by } }),
  );
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
      {!isEmpty && (
        <ListTools list={listed("firms")} filters={{ search }} printing={list.printing} />
      )}
      <DataTable
        caption="Firms"
        captionHidden
        sort={sort}
        columns={columnsFor(list.data)}
        rows={list.data?.items}
        keyOf={(firm) => firm.id}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={false}
            path="/admin/firms"
            things="firms"
          >
            {isEmpty ? (
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
            )}
          </NothingListed>
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
          return added;
        }}
        onDone={({ id }) => void navigate(`/admin/firms/${id}`)}
      />
    </Dialog>
  );
}
