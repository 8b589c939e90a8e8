import { z } from "zod";

export type Method = "GET" | "POST" | "PATCH";
export type FileMediaType = "text/csv" | "application/octet-stream";

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
  /** The body's media type when it is a file instead of JSON. */
  fileMediaType?: FileMediaType | undefined;
  /** It moves money: with an Idempotency-Key it does so once, however often it is sent. */
  movesMoney?: boolean | undefined;
  /** The envelope's `object`. */
  object: Answer;
}

const noParameters = z.object({});
type NoParameters = typeof noParameters;

/** For a call without a body: unknown names are refused there, too. */
const emptyBody = z.strictObject({});

export function endpoint<
  Answer extends z.ZodType,
  Params extends z.ZodType = NoParameters,
  Query extends z.ZodType = NoParameters,
  Body extends z.ZodType = NoParameters,
>(
  described: Pick<Endpoint, "method" | "path" | "summary" | "fileMediaType" | "movesMoney"> & {
    params?: Params;
    query?: Query;
    body?: Body;
    object: Answer;
  },
): Endpoint<Params, Query, Body, Answer> {
  return {
    params: noParameters as unknown as Params,
    query: noParameters as unknown as Query,
    body: emptyBody as unknown as Body,
    ...described,
  };
}
