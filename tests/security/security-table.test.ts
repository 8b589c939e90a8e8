import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/* docs/security.md, compared with the numbers of ASVS 5.0.0 and with the code. */

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/**
 * The requirements of levels 1 and 2 of ASVS 5.0.0 by section; a star marks level 1. Missing numbers are
 * level 3.
 */
const standard = `
  1.1: 1 2
  1.2: 1* 2* 3* 4* 5* 6 7 8 9
  1.3: 1* 2* 3 4 5 6 7 8 9 10 11
  1.4: 1 2 3
  1.5: 1* 2
  2.1: 1* 2 3
  2.2: 1* 2* 3
  2.3: 1* 2 3 4
  2.4: 1
  3.2: 1* 2*
  3.3: 1* 2 3 4
  3.4: 1* 2* 3 4 5 6
  3.5: 1* 2* 3* 4 5
  3.7: 1 2
  4.1: 1* 2 3
  4.2: 1
  4.3: 1 2
  4.4: 1* 2 3 4
  5.1: 1
  5.2: 1* 2* 3
  5.3: 1* 2*
  5.4: 1 2 3
  6.1: 1* 2 3
  6.2: 1* 2* 3* 4* 5* 6* 7* 8* 9 10 11 12
  6.3: 1* 2* 3 4
  6.4: 1* 2* 3 4
  6.5: 1 2 3 4 5
  6.6: 1 2 3
  6.8: 1 2 3 4
  7.1: 1 2 3
  7.2: 1* 2* 3* 4*
  7.3: 1 2
  7.4: 1* 2* 3 4 5
  7.5: 1 2
  7.6: 1 2
  8.1: 1* 2
  8.2: 1* 2* 3
  8.3: 1*
  8.4: 1
  9.1: 1* 2* 3*
  9.2: 1* 2 3 4
  10.1: 1 2
  10.2: 1 2
  10.3: 1 2 3 4
  10.4: 1* 2* 3* 4* 5* 6 7 8 9 10 11
  10.5: 1 2 3 4 5
  10.6: 1 2
  10.7: 1 2 3
  11.1: 1 2
  11.2: 1 2 3
  11.3: 1* 2* 3
  11.4: 1* 2 3 4
  11.5: 1
  11.6: 1
  12.1: 1* 2 3
  12.2: 1* 2*
  12.3: 1 2 3 4
  13.1: 1
  13.2: 1 2 3 4 5
  13.3: 1 2
  13.4: 1* 2 3 4 5
  14.1: 1 2
  14.2: 1* 2 3 4
  14.3: 1* 2 3
  15.1: 1* 2 3
  15.2: 1* 2 3
  15.3: 1* 2 3 4 5 6 7
  16.1: 1
  16.2: 1 2 3 4 5
  16.3: 1 2 3 4
  16.4: 1 2 3
  16.5: 1 2 3
  17.1: 1
  17.2: 1 2 3 4
  17.3: 1 2`;

const levels = new Map<string, string>(
  [...standard.matchAll(/([\d.]+): (.*)/g)].flatMap(([, section, numbers = ""]) =>
    numbers
      .split(" ")
      .map((number): [string, string] => [
        `${section}.${number.replace("*", "")}`,
        number.endsWith("*") ? "1" : "2",
      ]),
  ),
);

interface Row {
  ids: string[];
  levels: string[];
  state: string;
  how: string;
  tests: string;
}

const rows: Row[] = read("docs/security.md")
  .split("\n")
  .flatMap((line) => {
    const [, ids = "", of = ""] = /^\| ([\d., ]+) \(([12, ]+)\) \|/.exec(line) ?? [];
    if (ids === "") return [];
    const [, , , state = "", how = "", tests = ""] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    return [{ ids: ids.split(", "), levels: of.split(", "), state, how, tests }];
  });

describe("the table of ASVS requirements", () => {
  test("is complete: 70 of level 1, 183 of level 2", () => {
    const all = [...levels.values()];
    expect([all.filter((level) => level === "1").length, all.length]).toEqual([70, 253]);
  });

  test("has each requirement once, with its level", () => {
    expect(rows.flatMap(({ ids }) => ids).toSorted()).toEqual([...levels.keys()].toSorted());
    for (const { ids, levels: said } of rows)
      expect([ids, said]).toEqual([
        ids,
        [...new Set(ids.map((id) => levels.get(id) ?? ""))].toSorted(),
      ]);
  });

  test("says met, not met or does not apply, and how or why", () => {
    const states = new Set(["met", "not met", "does not apply"]);
    expect(rows.filter(({ state, how }) => !states.has(state) || how === "")).toEqual([]);
  });

  test("names a test for each requirement met, or says why there is none", () => {
    const untested = rows.filter(
      ({ state, tests }) =>
        state === "met" && !/`[\w./-]+\.test\.ts`/.test(tests) && !/^No test: \S/.test(tests),
    );
    expect(untested).toEqual([]);
  });
});

test("docs/security.md names tests and files that exist", () => {
  const named = [
    ...read("docs/security.md").matchAll(/`((?:src|tests|deploy)\/[\w./@-]*\w)`/g),
  ].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(100);
  expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/* Requirements that are met by the absence of something. */
describe("the sources have", () => {
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => !file.includes(".test."))
    .map((file) => ({ file: file.replaceAll("\\", "/"), text: read(file) }));
  const filesWith = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

  test("no code or markup built from text", () => {
    expect(filesWith(/\beval\(|new Function\(/)).toEqual([]);
    expect(
      filesWith(
        /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/,
      ),
    ).toEqual([]);
  });

  test("no program that the server starts", () => {
    const starting = filesWith(/from "node:child_process"/);
    expect(starting.filter((file) => !file.startsWith("src/kit/db/embedded-postgres/"))).toEqual([
      "src/main/dev.ts",
    ]);
    expect(filesWith(/\bshell: true|\bexec(?:Sync)?\("/)).toEqual([]);
  });

  test("no hash functions except SHA-2", () => {
    const used = sources.flatMap(({ text }) =>
      [...text.matchAll(/create(?:Hash|Hmac)\(\s*("\w+"|\w+)/g)].map(([, name]) => name),
    );
    expect(new Set(used)).toEqual(new Set(['"sha256"', '"sha512"']));
    const inSql = filesWith(/\bmd5\(/).filter((file) => !file.startsWith("src/main/demo/"));
    expect(inSql).toEqual([]);
  });
});
