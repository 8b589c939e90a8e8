import type { Tree } from "../tree.ts";

/**
 * Read a form with bracketed names: `metadata[debit]=7`, `expand[0]=latest_charge`, `expand[]=…`.
 * Numbered names become lists; every value is text.
 */
export function parseForm(text: string): Tree {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = "", ...rest] = name
      .split(/[[\]]+/)
      .filter((part, index) => part !== "" || index === 0);
    put(root, name.endsWith("[]") ? [first, ...rest, ""] : [first, ...rest], value);
  }
  return treeOf(root);
}

type Branch = Map<string, Branch | string>;

function put(branch: Branch, [name = "", ...rest]: string[], value: string): void {
  const key = name === "" ? String(branch.size) : name;
  if (rest.length === 0) {
    branch.set(key, value);
    return;
  }
  const found = branch.get(key);
  const inner: Branch = found instanceof Map ? found : new Map();
  branch.set(key, inner);
  put(inner, rest, value);
}

function treeOf(branch: Branch): Tree {
  const entries = [...branch].map(([name, value]): [string, Tree] => [
    name,
    typeof value === "string" ? value : treeOf(value),
  ]);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
