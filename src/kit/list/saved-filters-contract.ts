import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { exactLine, Id, IdText, Name } from "#kit/contract/fields.ts";

/** The list's name, such as "checks". */
const ListName = exactLine(40);

/** A list's filters and sort order, as in its address: "status=pending&sort=-amount". */
const AddressQuery = exactLine(2000).refine(
  (query) => !query.startsWith("?"),
  "must be the query of an address, without its question mark",
);

export const SavedFilter = z.object({
  id: Id,
  list: z.string(),
  name: z.string(),
  query: z.string(),
});
export type SavedFilter = z.output<typeof SavedFilter>;

export const listSavedFilters = endpoint({
  method: "GET",
  path: "/saved_filters",
  summary: "Your saved filters for one list or for all lists, by name",
  query: z.object({ list: ListName.optional() }),
  object: z.array(SavedFilter),
});

export const saveFilter = endpoint({
  method: "POST",
  path: "/saved_filters",
  summary: "Save a list’s filters under a name, for yourself only",
  body: z.strictObject({ list: ListName, name: Name, query: AddressQuery }),
  object: SavedFilter,
});

const ById = z.object({ id: IdText });

export const renameFilter = endpoint({
  method: "POST",
  path: "/saved_filters/:id",
  summary: "Rename your saved filters",
  params: ById,
  body: z.strictObject({ name: Name }),
  object: SavedFilter,
});

export const removeFilter = endpoint({
  method: "POST",
  path: "/saved_filters/:id/remove",
  summary: "Remove your saved filters",
  params: ById,
  object: SavedFilter,
});
