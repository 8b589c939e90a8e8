import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Id, line } from "#kit/contract/fields.ts";

/** What can be found; equally good matches are in this order. */
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

/** A found record: its name, details that distinguish it, and its page. */
export const Found = z.object({
  kind: z.enum(foundKinds),
  id: Id,
  title: z.string(),
  detail: z.string(),
  path: z.string(),
});
export type Found = z.output<typeof Found>;

/** The longest text that can be searched for. */
export const maxSearchLength = 200;

export const searchEverything = endpoint({
  method: "GET",
  path: "/search",
  summary:
    "Find anything by name, number or phone: at most 20 records, best match first; one character finds exact numbers only",
  query: z.object({ q: line(maxSearchLength).default("") }),
  object: z.array(Found),
});
