import { expect, test } from "vitest";
import { z } from "zod";
import { Day } from "#kit/contract/fields.ts";
import { flag, UsageProblem, wholeNumber } from "#kit/cli/command-arguments.ts";
import { command, type CommandContext } from "#kit/cli/command.ts";
import { commandLine } from "#kit/cli/program.ts";

const countSheep = command({
  name: "count-sheep",
  summary: "Count sheep",
  details: "One after\nthe other.",
  operands: ["FIELD"],
  options: {
    "as-of": { value: "DATE", help: "The night", schema: Day },
    most: { value: "N", help: "How many at most", schema: wholeNumber(1, 5000).optional() },
    aloud: flag("Say the numbers"),
    breed: { value: "NAME", help: "Which", schema: z.enum(["merino", "shetland"]).optional() },
  },
  run: async (_context, given, operands) => ({ text: "", json: { given, operands } }),
});

/** Answers what the command was run with. */
async function parse(...args: string[]): Promise<object | undefined> {
  let json: object | undefined;
  const program = commandLine([countSheep], async (work) => {
    if (!("onDatabase" in work)) throw new Error("it works on the database");
    ({ json } = await work.onDatabase({} as CommandContext)); // its run does not look at it
  });
  await program.parseAsync(args, { from: "user" });
  return json;
}

test("options keep their values, operands their order, and omitted ones are absent", async () => {
  expect(await parse("count-sheep", "--most=12", "meadow", "--as-of", "2026-01-31")).toEqual({
    given: { "as-of": "2026-01-31", most: 12, aloud: false },
    operands: ["meadow"],
  });
  const args = ["--json", "count-sheep", "--as-of=2026-01-31", "--aloud", "--", "-field"];
  expect(await parse(...args)).toEqual({
    given: { "as-of": "2026-01-31", aloud: true },
    operands: ["-field"],
  });
});

const seeHelp = "See npm run cli -- count-sheep --help";

test.each([
  [["--as-of", "2026-01-31"], `count-sheep needs FIELD. ${seeHelp}`],
  [["a", "b", "--as-of", "2026-01-31"], `count-sheep cannot use "b". ${seeHelp}`],
  [["a", "--as-off", "2026-01-31"], `count-sheep has no option --as-off. ${seeHelp}`],
  [["a", "-x"], `count-sheep has no option -x. ${seeHelp}`],
  [["a", "--as-of"], `--as-of needs a value. ${seeHelp}`],
  [["a", "--as-of", "--aloud"], `--as-of needs a value. ${seeHelp}`],
  [["a", "--as-of", "--json"], `--as-of needs a value. ${seeHelp}`],
  [["a", "--aloud=yes"], `count-sheep has no option --aloud=yes. ${seeHelp}`],
  [["a"], "--as-of must be given."],
  [
    ["a", "--as-of", "2026-02-30"],
    "--as-of must be a date written YYYY-MM-DD, from 1900-01-01 to 2199-12-31.",
  ],
  [["a", "--as-of=2026-01-31", "--most", "0"], "--most must be a whole number from 1 to 5,000."],
  [["a", "--as-of=2026-01-31", "--most", "1.5"], "--most must be a whole number from 1 to 5,000."],
  [["a", "--as-of=2026-01-31", "--breed", "?"], '--breed must be one of "merino", "shetland".'],
])("arguments that cannot be understood are refused in a sentence: %j", async (args, sentence) => {
  await expect(parse("count-sheep", ...args)).rejects.toEqual(new UsageProblem(sentence));
});

test("an option without a command is refused in a sentence", async () => {
  const sentence = "There is no option --nope. See npm run cli -- --help";
  for (const args of [["--nope"], ["--nope", "count-sheep"]])
    await expect(parse(...args)).rejects.toEqual(new UsageProblem(sentence));
});

test("the help lists operands and required and optional options", () => {
  const [help] = commandLine([countSheep], async () => undefined).commands;
  expect(help?.helpInformation()).toBe(`Usage: npm run cli -- count-sheep [options] <FIELD>

Count sheep.

One after the other.

Options:
  --as-of <DATE>  The night (required)
  --most <N>      How many at most
  --aloud         Say the numbers
  --breed <NAME>  Which
  -h, --help      Explain the command

Global Options:
  --json          Print one JSON document instead of text
`);
});
