/** JSON, or a form with bracketed names, as it came in. */
export type Tree = string | number | boolean | null | Tree[] | { [name: string]: Tree };

/** What stands at `path`; undefined where there is nothing. */
export function at(tree: Tree | undefined, ...path: string[]): Tree | undefined {
  let here = tree;
  for (const name of path) {
    if (typeof here !== "object" || here === null || Array.isArray(here)) return undefined;
    here = Object.hasOwn(here, name) ? here[name] : undefined;
  }
  return here;
}

/** Text, a number or a truth at `path`, as text. */
export function textAt(tree: Tree | undefined, ...path: string[]): string | undefined {
  const found = at(tree, ...path);
  if (typeof found === "object" || found === undefined) return undefined;
  return String(found);
}

export function listAt(tree: Tree | undefined, ...path: string[]): Tree[] {
  const found = at(tree, ...path);
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

export function namesIn(tree: Tree | undefined): string[] {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree) ? Object.keys(tree) : [];
}

export function parseJson(body: string): Tree | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The body of a request as it came: the sandboxes parse none of them beforehand. */
export function bodyText(body: unknown): string {
  return typeof body === "string" ? body.replace(/^\uFEFF/, "") : "";
}
