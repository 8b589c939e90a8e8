import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ServedEndpoint } from "#kit/http/serve.ts";

/**
 * Throws if a good answer differs from the contract of its call: a field is missing, undeclared or written
 * otherwise. Nothing else checks JSON that the database builds. Answers outside the contract, such as files,
 * are skipped.
 */
export function checkExactAnswer(
  endpoints: readonly ServedEndpoint[],
  { method, url, json }: { method: string; url: string; json: unknown },
): void {
  const served = endpoints.find((one) => one.endpoint.method === method && isAt(one, url));
  if (!served || served.mediaType !== undefined || url.startsWith(ofSignInLibrary)) return;
  if (!isPlain(url)) return; // another call may have answered it
  const object = served.isBare ? json : (json as { object: unknown }).object;
  const shape = served.endpoint.object;
  const declared: unknown = JSON.parse(JSON.stringify(z.encode(shape, z.decode(shape, object))));
  const differences = differencesIn(object, declared);
  if (differences.length > 0)
    throw new Error(
      `${method} ${url} does not answer what its contract says: ${differences.slice(0, 5).join("; ")}.`,
    );
}

/** An address as programs write it: no dot segments, no empty or encoded segments. */
const isPlain = (url: string): boolean => /^(\/(?!\.)[\w.~-]+)+\/?(\?|$)/.test(url);

/** Calls whose answers have more than the contract promises. */
const ofSignInLibrary = "/api/auth/";

const isAt = ({ endpoint }: ServedEndpoint, url: string): boolean => {
  const pattern = endpoint.path
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("/");
  return new RegExp(`^${pattern}$`).test(url.split("?")[0] ?? "");
};

/** Where two JSON values differ: "items.0.note: declared "x", answered nothing". */
function differencesIn(answered: unknown, declared: unknown, at = ""): string[] {
  if (isDeepStrictEqual(answered, declared)) return [];
  if (!isRecord(answered) || !isRecord(declared))
    return [`${at || "object"}: declared ${text(declared)}, answered ${text(answered)}`];
  const names = new Set([...Object.keys(answered), ...Object.keys(declared)]);
  return [...names].flatMap((name) =>
    differencesIn(answered[name], declared[name], at === "" ? name : `${at}.${name}`),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
