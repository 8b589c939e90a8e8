import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/* Staff are never told to run a command or set a variable: that is for operators, in the documents. */

const root = join(import.meta.dirname, "../..");

const operatorsWords =
  /npm (run|start)|\bcli\b|command line|environment variable|\.env\b|SMTP_URL|MAIL_FROM|PUBLIC_URL|APP_SECRET|DATA_DIR|DATABASE_URL|--skip-bad/;

/** Comments are for engineers. */
const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/ .*$/gm, "");

function filesWithOperatorWords(pattern: string, exempt: RegExp): string[] {
  const files = globSync(pattern, { cwd: root }).filter((file) => !exempt.test(file));
  expect(files.length).toBeGreaterThan(50);
  return files.filter((file) =>
    operatorsWords.test(withoutComments(readFileSync(join(root, file), "utf8"))),
  );
}

test("no screen mentions operators' tasks", () => {
  expect(filesWithOperatorWords("src/**/*.tsx", /^$/)).toEqual([]);
});

test("no message of a feature does, except in commands", () => {
  const ofCommands =
    /\.test\.ts$|commands?\.ts$|secret-(check|rotation)\.ts$|database-copy\/|networks\/networks\.ts$|demo-passwords\.ts$|file-text\.ts$/;
  expect(
    filesWithOperatorWords(
      "src/{outgoing,access,panel,dues,referrals,people,payments,cards,dashboard,office}/**/*.ts",
      ofCommands,
    ),
  ).toEqual([]);
});
