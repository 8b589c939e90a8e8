import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { call, requestBody } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import {
  listSavedFilters,
  removeFilter,
  renameFilter,
  type SavedFilter,
  saveFilter,
} from "./saved-filters-contract.ts";
import css from "./lists.module.css";

/** The user's saved filters for a list, by name. Choosing one applies it; saving stores what the address holds. */
export function SavedFilters({ list }: { list: string }) {
  const [isOpen, setOpen] = useState(false);
  const saved = useQuery(endpointQuery(listSavedFilters, { query: { list } }));
  const now = useSavedQuery();
  const filters = saved.data ?? [];
  if (filters.length === 0 && now === "" && !isOpen) return null; // nothing to save
  return (
    <nav className={css["saved"]} aria-label="Saved filters">
      {filters.map(({ id, name, query }) => (
        <Link
          key={id}
          to={{ search: query }}
          className={css["filter"]}
          aria-current={query === now ? "true" : undefined}
        >
          {name}
        </Link>
      ))}
      <Button small kind="quiet" pending={false} onClick={() => setOpen(true)}>
        {filters.length === 0 ? "Save these filters" : "Saved filters"}
      </Button>
      {isOpen && (
        <Dialog title="Saved filters" onClose={() => setOpen(false)}>
          <Stack gap={24}>
            {!filters.some(({ query }) => query === now) && (
              <SaveForm list={list} query={now} onDone={() => setOpen(false)} />
            )}
            {filters.length > 0 && (
              <ul className={css["managed"]} aria-label="Saved filters">
                {filters.map((filter) => (
                  <li key={filter.id}>
                    <ManagedFilter filter={filter} />
                  </li>
                ))}
              </ul>
            )}
          </Stack>
        </Dialog>
      )}
    </nav>
  );
}

/** The filters and sort order in the address, without the page. */
function useSavedQuery(): string {
  const [address] = useSearchParams();
  const query = new URLSearchParams(address);
  query.delete("page");
  query.sort();
  return query.toString();
}

function SaveForm(props: { list: string; query: string; onDone: () => void }) {
  const { list, query, onDone } = props;
  const form = useForm({
    start: { name: "" },
    send: async ({ name }) => {
      const answer = await call(saveFilter, {
        body: requestBody(saveFilter, { list, name, query }),
      });
      return answer;
    },
    onDone,
  });
  return (
    <Form form={form}>
      <TextField
        label="Name"
        hint="Saves the filters and sort order you see now. Only you can see it."
        {...form.field("name")}
      />
      <div>
        <SubmitButton pending={form.pending}>Save filters</SubmitButton>
      </div>
    </Form>
  );
}

function ManagedFilter({ filter }: { filter: SavedFilter }) {
  const { id, name } = filter;
  const [isRenaming, setRenaming] = useState(false);
  const removing = useMutation({
    mutationFn: () => call(removeFilter, { params: { id } }),
  });
  if (isRenaming) return <RenameForm filter={filter} onDone={() => setRenaming(false)} />;
  return (
    <Row>
      <span className={css["managedName"]}>{name}</span>
      <Button
        small
        kind="quiet"
        pending={false}
        label={`Rename ${name}`}
        onClick={() => setRenaming(true)}
      >
        Rename
      </Button>
      <Button
        small
        kind="quiet"
        pending={removing.isPending}
        label={`Remove ${name}`}
        onClick={() => removing.mutate()}
      >
        Remove
      </Button>
    </Row>
  );
}

function RenameForm({ filter, onDone }: { filter: SavedFilter; onDone: () => void }) {
  const form = useForm({
    start: { name: filter.name },
    labels: { name: "New name" },
    send: async ({ name }) => {
      const answer = await call(renameFilter, {
        params: { id: filter.id },
        body: requestBody(renameFilter, { name }),
      });
      return answer;
    },
    onDone,
  });
  return (
    <Form form={form} label={`Rename ${filter.name}`}>
      <TextField label="New name" {...form.field("name")} />
      <Row>
        <SubmitButton kind="secondary" pending={form.pending}>
          Rename
        </SubmitButton>
        <Button kind="quiet" pending={false} onClick={() => form.leave(onDone)}>
          Cancel
        </Button>
      </Row>
    </Form>
  );
}
