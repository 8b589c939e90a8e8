import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFolder } from "#tests/support/launched.ts";

const described: { imports: Record<string, string> } = JSON.parse(
  readFileSync(join(projectFolder, "package.json"), "utf8"),
);

/** What a module imports at run time, without types. */
const importPattern =
  /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** The packages, except Node's own, that a module of ours and all its imports need. */
export function packagesReachedFrom(entry: string): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const follow = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, first, second] of readFileSync(path, "utf8").matchAll(importPattern)) {
      const name = first ?? second ?? "";
      if (name.startsWith("node:")) continue;
      const file = fileOf(name, path);
      if (file) follow(file);
      else packages.add(packageOf(name));
    }
  };
  follow(join(projectFolder, entry));
  return [...packages].toSorted();
}

/** Our file for an import; null for a package. */
function fileOf(name: string, from: string): string | null {
  if (name.startsWith(".")) return join(dirname(from), name);
  if (!name.startsWith("#")) return null;
  for (const [alias, target] of Object.entries(described.imports)) {
    const [start, end] = [alias.slice(0, -1), target.slice(0, -1)];
    if (name.startsWith(start)) return join(projectFolder, end, name.slice(start.length));
  }
  throw new Error(`No import of package.json is called ${name}`);
}

const packageOf = (name: string) =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
