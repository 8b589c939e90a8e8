import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { parseSync } from "@swc/core";
import { expect, test } from "vitest";

/*
 * Regular expressions that take ages over some texts: each one of ours is run over long texts made
 * to lead it astray. One that tries everything again at every place would take minutes.
 */

const folder = fileURLToPath(new URL("../../src", import.meta.url));

/** Of the order of what a request can hold; at this length, trying all places of all lengths takes seconds. */
const length = 100_000;
const timeoutMs = 2_000;
/** A machine that has others to see to takes longer for the same work: only what goes on and on is ended. */
const endMs = 30_000;

interface Pattern {
  file: string;
  source: string;
  flags: string;
}

function ourPatterns(): Pattern[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
    .flatMap((file) => patternsIn(file));
}

function patternsIn(file: string): Pattern[] {
  const text = readFileSync(join(folder, file), "utf8");
  const isTsx = file.endsWith(".tsx");
  const found: Pattern[] = [];
  const look = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "RegExpLiteral" && "pattern" in node && "flags" in node)
      found.push({ file, source: String(node.pattern), flags: String(node.flags) });
    for (const part of Object.values(node)) look(part);
  };
  look(parseSync(text, { syntax: "typescript", tsx: isTsx }));
  return found;
}

/** Texts of what a pattern is written with and of what people write, over and over, with a wrong end. */
function textsFor({ source }: Pattern): string[] {
  const written = Array.from(source.replaceAll(/[\\^$()[\]{}|?*+]/g, ""));
  const letters = [...new Set(["a", "1", " ", "/", "-", "\t", ...written])];
  const units = [...letters.slice(0, 24), "a1", "a ", "a.", "a-", "1,", "é"];
  return [...new Set(units)].map(
    (unit) => `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}\u0001!`,
  );
}

test("no pattern of ours takes long over any text", () => {
  const patterns = ourPatterns();
  expect(patterns.length).toBeGreaterThan(100);
  const context = createContext({ pattern: /x/, text: "" });
  const known = new Set<string>();
  const slow: string[] = [];
  for (const pattern of patterns) {
    const { file, source, flags } = pattern;
    if (known.has(`${source} ${flags}`)) continue;
    known.add(`${source} ${flags}`);
    for (const text of textsFor(pattern)) {
      Object.assign(context, { pattern: new RegExp(source, flags), text });
      const before = process.cpuUsage();
      try {
        runInContext("pattern.lastIndex = 0; text.search(pattern)", context, { timeout: endMs });
      } catch {
        // It was ended, having worked for longer than anything may.
      }
      if (process.cpuUsage(before).user > timeoutMs * 1000) {
        slow.push(`${file}: /${source}/${flags} over ${JSON.stringify(text.slice(0, 8))}…`);
        break;
      }
    }
  }
  expect(slow).toEqual([]);
});
