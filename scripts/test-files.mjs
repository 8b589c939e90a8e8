import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { root } from "./child.mjs";

/**
 * Whether one of the test files for vitest starts the built product or opens its screens, directly or through its
 * imports from tests/. `args` are vitest's. Arguments without a file mean all of them.
 */
export function needBuild(args) {
  const patterns = args.map((arg) =>
    isAbsolute(arg) ? relative(root, arg) : arg.replace("./", ""),
  );
  const chosen = testFiles().filter((file) => patterns.some((pattern) => file.includes(pattern)));
  return chosen.length === 0 || usesBuild(chosen);
}

const testFiles = () =>
  ["src", "tests", "sandboxes"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => `${folder}/${file}`),
  );

function usesBuild(files) {
  const seen = new Set(files);
  for (const file of seen) {
    const path = join(root, file);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (/\bdist\/|\bbuiltWebFolder\b/.test(text)) return true;
    for (const [, imported] of text.matchAll(/from "#(tests\/[^"]+)"/g)) seen.add(imported);
  }
  return false;
}
