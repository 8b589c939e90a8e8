import { z } from "zod";

export type Method = "GET" | "POST" | "PATCH";

/**
 * One call of the HTTP interface: the only definition of its request and its answer. The server
 * decodes requests and encodes answers with it, the browser the other way round, and the OpenAPI
 * description is made from it.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** As in the published interface, parameters written `:id`. */
  path: string;
  /** One line for the readable description. */
  summary: string;
  params: Params;
  /** Unknown names in a query string are ignored. */
  query: Query;
  /** A strict object: unknown names are refused. */
  body: Body;
  /** What the payload is when it is no JSON: a file's bytes. */
  takes?: "text/csv" | undefined;
  /** What stands in the envelope's `object`. */
  object: Answer;
}

const nothing = z.object({});
type Nothing = typeof nothing;

/** What a call without a payload takes: unknown names are refused there, too. */
const noNames = z.strictObject({});

export function endpoint<
  Answer extends z.ZodType,
  Params extends z.ZodType = Nothing,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
>(
  described: Pick<Endpoint, "method" | "path" | "summary" | "takes"> & {
    params?: Params;
    query?: Query;
    body?: Body;
    object: Answer;
  },
): Endpoint<Params, Query, Body, Answer> {
  return {
    params: nothing as unknown as Params,
    query: nothing as unknown as Query,
    body: noNames as unknown as Body,
    ...described,
  };
}
