import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Id, line } from "#kit/contract/fields.ts";

/** What can be found, in the order in which equally good matches stand. */
export const foundKinds = [
  "attorney",
  "client",
  "firm",
  "check",
  "receipt",
  "transaction",
  "deposit",
  "plan",
] as const;
export type FoundKind = (typeof foundKinds)[number];

/** A record that a search found: what it is called, what tells it from others, and the page that shows it. */
export const Found = z.object({
  kind: z.enum(foundKinds),
  id: Id,
  title: z.string(),
  detail: z.string(),
  path: z.string(),
});
export type Found = z.output<typeof Found>;

/** The length of what can be searched for. */
export const maxSearchLength = 200;

export const searchEverything = endpoint({
  method: "GET",
  path: "/search",
  summary:
    "Find anything by name, number or phone: at most 20 records, the best match first; one character finds exact numbers alone",
  query: z.object({ q: line(maxSearchLength).default("") }),
  object: z.array(Found),
});
