/** JSON, or a form with bracketed names, as received. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** The value at `path`; undefined if there is none. */
export function at(json: Json | undefined, ...path: string[]): Json | undefined {
  let here = json;
  for (const name of path) {
    if (typeof here !== "object" || here === null || Array.isArray(here)) return undefined;
    here = Object.hasOwn(here, name) ? here[name] : undefined;
  }
  return here;
}

/** Text, a number or a boolean at `path`, as text. */
export function textAt(json: Json | undefined, ...path: string[]): string | undefined {
  const found = at(json, ...path);
  if (typeof found === "object" || found === undefined) return undefined;
  return String(found);
}

export function listAt(json: Json | undefined, ...path: string[]): Json[] {
  const found = at(json, ...path);
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

export function keysOf(json: Json | undefined): string[] {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}

export function parseJson(body: string): Json | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A request's unparsed body: the sandboxes parse bodies themselves. */
export function bodyText(body: unknown): string {
  return typeof body === "string" ? body.replace(/^\uFEFF/, "") : "";
}
