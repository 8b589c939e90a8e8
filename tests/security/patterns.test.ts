import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { parseSync } from "@swc/core";
import { expect, test } from "vitest";

/*
 * Regular expressions that take very long on some texts: each of ours is run on long texts made to provoke
 * that. One that retries everything at every position would take minutes.
 */

const folder = fileURLToPath(new URL("../../src", import.meta.url));

/** About as long as a request can be; at this length, trying all lengths at all positions takes seconds. */
const length = 100_000;
const timeoutMs = 2_000;
/** Generous, for busy machines: only patterns that go on and on are stopped. */
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

/**
 * Texts that repeat the pattern's own characters and those that people write, with an ending that does not
 * match.
 */
function provokingTexts({ source }: Pattern): string[] {
  const written = Array.from(source.replaceAll(/[\\^$()[\]{}|?*+]/g, ""));
  const letters = [...new Set(["a", "1", " ", "/", "-", "\t", ...written])];
  const units = [...letters.slice(0, 24), "a1", "a ", "a.", "a-", "1,", "é"];
  return [...new Set(units)].map(
    (unit) => `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}\u0001!`,
  );
}

test("no pattern of ours takes long on any text", () => {
  const patterns = ourPatterns();
  expect(patterns.length).toBeGreaterThan(100);
  const context = createContext({ pattern: /x/, text: "" });
  const known = new Set<string>();
  const slow: string[] = [];
  for (const pattern of patterns) {
    const { file, source, flags } = pattern;
    if (known.has(`${source} ${flags}`)) continue;
    known.add(`${source} ${flags}`);
    for (const text of provokingTexts(pattern)) {
      Object.assign(context, { pattern: new RegExp(source, flags), text });
      const before = process.cpuUsage();
      try {
        runInContext("pattern.lastIndex = 0; text.search(pattern)", context, { timeout: endMs });
      } catch {
        // Stopped after working longer than allowed.
      }
      if (process.cpuUsage(before).user > timeoutMs * 1000) {
        slow.push(`${file}: /${source}/${flags} over ${JSON.stringify(text.slice(0, 8))}…`);
        break;
      }
    }
  }
  expect(slow).toEqual([]);
});
