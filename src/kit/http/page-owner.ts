import type { FastifyRequest } from "fastify";
import { pageOwnerPath } from "#kit/contract/envelope.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/**
 * Refuse what a page asks for that was made for another account than the one that is signed in by now: two tabs of
 * a browser share its cookie, and the older page would show the other account's records as its own, and change
 * them. A page says whose it is by `X-Page-Owner`, the user's id; a link or a picture says so by `page_owner` in its
 * query. Programs say nothing, and are refused nothing. Throws a 403 whose error has the path `page_owner`.
 */
export function refuseOtherOwners({ headers, query, actor }: FastifyRequest): void {
  const owner = headers["x-page-owner"] ?? inQuery(query);
  if (owner === undefined || !actor?.userId || owner === String(actor.userId)) return;
  const message = "Somebody else has signed in since this page was opened. Reload it to go on.";
  throw new Refusal(403, message, { errors: [{ path: pageOwnerPath, message }] });
}

const inQuery = (query: unknown): unknown =>
  typeof query === "object" && query !== null ? Reflect.get(query, "page_owner") : undefined;
