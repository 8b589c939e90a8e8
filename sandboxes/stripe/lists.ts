import { at, textAt } from "../tree.ts";
import type { Asked } from "./asked.ts";
import { badParameter } from "./refusals.ts";

interface Listed {
  id: string;
  created: number;
}

/** A page of a list, newest first; `all` are oldest first. */
export function listOf(all: Listed[], { params }: Asked, url: string): object {
  const limit = Number(textAt(params, "limit") ?? "10");
  if (!(limit >= 1 && limit <= 100)) {
    throw badParameter("limit", "parameter_invalid_integer", "The limit must be from 1 to 100.");
  }
  const within = all.filter((each) => isWithin(each.created, params)).toReversed();
  const after = textAt(params, "starting_after");
  const start = after === undefined ? 0 : within.findIndex(({ id }) => id === after) + 1;
  const data = within.slice(start, start + limit);
  return { object: "list", data, has_more: within.length > start + limit, url };
}

function isWithin(created: number, params: Asked["params"]): boolean {
  const bound = (name: string) => {
    const text = textAt(at(params, "created"), name);
    return text === undefined ? null : Number(text);
  };
  const [gte, gt, lte, lt] = [bound("gte"), bound("gt"), bound("lte"), bound("lt")];
  return (
    (gte === null || created >= gte) &&
    (gt === null || created > gt) &&
    (lte === null || created <= lte) &&
    (lt === null || created < lt)
  );
}
