import { badParameter } from "./errors.ts";
import { param, type StripeRequest } from "./request.ts";

interface Listed {
  id: string;
  created: number;
}

/** A page of a list, newest first; `all` is oldest first. */
export function listOf(all: Listed[], request: StripeRequest, url: string): object {
  const limit = Number(param(request, "limit") ?? "10");
  if (!(limit >= 1 && limit <= 100)) {
    throw badParameter("limit", "parameter_invalid_integer", "The limit must be from 1 to 100.");
  }
  const since = Number(param(request, "created", "gte") ?? "0");
  const found = all.filter(({ created }) => created >= since).toReversed();
  const after = param(request, "starting_after");
  const start = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  const data = found.slice(start, start + limit);
  return { object: "list", data, has_more: found.length > start + limit, url };
}
