import { badParameter } from "./refusals.ts";

interface Searched {
  metadata: Record<string, string>;
  [name: string]: unknown;
}

/** Clauses of `field:'value'` or `metadata['key']:'value'`, joined by AND. */
export function matches(object: Searched, query: string): boolean {
  return query.split(/ AND /i).every((clause) => {
    const [, key, field, value] =
      /^\s*(?:metadata\[["'](.+?)["']\]|(\w+))\s*[:=]\s*["']?(.*?)["']?\s*$/.exec(clause) ?? [];
    if (value === undefined) {
      throw badParameter("query", "parameter_invalid", `This cannot be read as a query: ${clause}`);
    }
    return key === undefined
      ? String(object[field ?? ""]) === value
      : object.metadata[key] === value;
  });
}
