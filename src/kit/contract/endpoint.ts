import { z } from "zod";

export type Method = "GET" | "POST" | "PATCH";
export type FileMediaType = "text/csv" | "application/octet-stream";

/**
 * One call of the HTTP interface: the only definition of its request and answer. The server, the browser and the
 * OpenAPI description all use it.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** As published, with parameters written `:id`. */
  path: string;
  /** One line for the API page. */
  summary: string;
  params: Params;
  /** Unknown names in a query string are ignored. */
  query: Query;
  /** A strict object: unknown names are refused. */
  body: Body;
  /** The body's media type if it is a file instead of JSON. */
  fileMediaType?: FileMediaType | undefined;
  /** It moves money: a request with the same Idempotency-Key is carried out once, however often it is sent. */
  movesMoney?: boolean | undefined;
  /** The envelope's `object`. */
  object: Answer;
}

const noParameters = z.object({});
type NoParameters = typeof noParameters;

/** For a call without a body. Unknown names are refused here, too. */
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
