import type { Json } from "../json.ts";

/**
 * Read a form with bracketed names: `metadata[debit]=7`, `expand[0]=latest_charge`. Numbered names become
 * lists; every value is text.
 */
export function parseForm(text: string): { [name: string]: Json } {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    put(root, name.split(/[[\]]+/).filter(Boolean), value);
  }
  return Object.fromEntries([...root].map(([name, value]) => [name, jsonOf(value)]));
}

type Branch = Map<string, Branch | string>;

function put(branch: Branch, [name = "", ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    branch.set(name, value);
    return;
  }
  const found = branch.get(name);
  const inner: Branch = found instanceof Map ? found : new Map();
  branch.set(name, inner);
  put(inner, rest, value);
}

function jsonOf(value: Branch | string): Json {
  if (typeof value === "string") return value;
  const entries = [...value].map(([name, inner]): [string, Json] => [name, jsonOf(inner)]);
  const isList = entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
