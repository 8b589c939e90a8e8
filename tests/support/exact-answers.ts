import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ServedEndpoint } from "#kit/http/serve.ts";

/**
 * Throws where a good answer is not exactly what the contract says of its call: a field is missing, is there
 * without being declared, or is written otherwise. An answer in JSON that the database builds is checked by nothing
 * else. What is no call of the contract, such as a file, is left out.
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
  const differences = differing(object, declared);
  if (differences.length > 0)
    throw new Error(
      `${method} ${url} does not answer what its contract says: ${differences.slice(0, 5).join("; ")}.`,
    );
}

/** An address as programs write it: no segments of dots, no empty or encoded ones. */
const isPlain = (url: string): boolean => /^(\/(?!\.)[\w.~-]+)+\/?(\?|$)/.test(url);

/** Its answers have more than the contract promises. */
const ofSignInLibrary = "/api/auth/";

const isAt = ({ endpoint }: ServedEndpoint, url: string): boolean => {
  const pattern = endpoint.path
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("/");
  return new RegExp(`^${pattern}$`).test(url.split("?")[0] ?? "");
};

/** Where two values in JSON differ: "items.0.note: declared "x", answered nothing". */
function differing(answered: unknown, declared: unknown, at = ""): string[] {
  if (isDeepStrictEqual(answered, declared)) return [];
  if (!isRecord(answered) || !isRecord(declared))
    return [`${at || "object"}: declared ${text(declared)}, answered ${text(answered)}`];
  const names = new Set([...Object.keys(answered), ...Object.keys(declared)]);
  return [...names].flatMap((name) =>
    differing(answered[name], declared[name], at === "" ? name : `${at}.${name}`),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
