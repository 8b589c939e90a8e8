import type { FastifyRequest } from "fastify";
import { pageOwnerPath } from "#kit/contract/envelope.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/**
 * Refuse requests from a page made for another account than the one now signed in. Two tabs share a browser's
 * cookie, so the older page would show and change the other account's records as its own. A page sends its user's
 * id in `X-Page-Owner`; a link or a picture sends it as `page_owner` in the query. Programs send neither, and are
 * not refused. Throws a 403 whose error has the path `page_owner`.
 */
export function refuseOtherOwners({ headers, query, actor }: FastifyRequest): void {
  const owner = headers["x-page-owner"] ?? inQuery(query);
  if (owner === undefined || !actor?.userId || owner === String(actor.userId)) return;
  const message = "Someone else has signed in since this page was opened. Reload it to continue.";
  throw new Refusal(403, message, { errors: [{ path: pageOwnerPath, message }] });
}

const inQuery = (query: unknown): unknown =>
  typeof query === "object" && query !== null ? Reflect.get(query, "page_owner") : undefined;
