import { expect, test } from "vitest";
import { z } from "zod";
import { Day } from "#contract/fields.ts";
import {
  flag,
  readArguments,
  type Usage,
  UsageProblem,
  wholeNumber,
} from "#cli/command-arguments.ts";
import { explain } from "#cli/command-help.ts";

const usage = {
  name: "count-sheep",
  summary: "Count sheep",
  operands: ["FIELD"],
  options: {
    "as-of": { value: "DATE", says: "The night", schema: Day },
    most: { value: "N", says: "How many at most", schema: wholeNumber(1, 5000).optional() },
    aloud: flag("Say the numbers"),
    breed: { value: "NAME", says: "Which", schema: z.enum(["merino", "shetland"]).optional() },
  },
} satisfies Usage;

const read = (...args: string[]) => readArguments(usage, args);

test("options and operands may come in any order", () => {
  const expected = {
    given: { "as-of": "2026-01-31", most: 12, aloud: true },
    operands: ["meadow"],
  };
  expect(read("meadow", "--as-of", "2026-01-31", "--most=12", "--aloud")).toEqual(expected);
  expect(read("--aloud", "--most", "12", "--json", "meadow", "--as-of=2026-01-31")).toEqual(
    expected,
  );
});

test("what is left out is absent, and a switch is off", () => {
  const { given } = read("meadow", "--as-of", "2026-01-31");
  expect(given).toEqual({ "as-of": "2026-01-31", aloud: false });
});

const sayHelp = "See npm run cli -- count-sheep --help";

test.each([
  [["--as-of", "2026-01-31"], `count-sheep needs FIELD. ${sayHelp}`],
  [["a", "b", "--as-of", "2026-01-31"], `count-sheep cannot use "b". ${sayHelp}`],
  [["a", "--as-off", "2026-01-31"], `count-sheep has no option --as-off. ${sayHelp}`],
  [["a", "-x"], `count-sheep has no option -x. ${sayHelp}`],
  [["a", "--as-of"], `--as-of needs a value. ${sayHelp}`],
  [["a", "--as-of", "--aloud"], `--as-of needs a value. ${sayHelp}`],
  [["a", "--aloud=yes"], `--aloud takes no value. ${sayHelp}`],
  [["a"], "--as-of must be given."],
  [
    ["a", "--as-of", "2026-02-30"],
    "--as-of must be a date written YYYY-MM-DD, from 1900-01-01 to 2199-12-31.",
  ],
  [["a", "--as-of", "2026-01-31", "--most", "0"], "--most must be a whole number from 1 to 5,000."],
  [
    ["a", "--as-of", "2026-01-31", "--most", "1.5"],
    "--most must be a whole number from 1 to 5,000.",
  ],
  [
    ["a", "--as-of", "2026-01-31", "--breed", "poodle"],
    '--breed must be one of "merino", "shetland".',
  ],
])("a command line that cannot be understood is refused in a sentence: %j", (args, sentence) => {
  expect(() => read(...args)).toThrow(new UsageProblem(sentence));
});

test("the help names what must be given and what may be", () => {
  expect(explain(usage))
    .toBe(`npm run cli -- count-sheep FIELD --as-of DATE [--most N] [--aloud] [--breed NAME] [--json]

Count sheep.

  --as-of DATE  The night
  --most N      How many at most
  --aloud       Say the numbers
  --breed NAME  Which
  --json        Print one JSON document instead of text
  --help        Explain this command`);
});
