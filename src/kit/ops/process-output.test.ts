import { expect, test } from "vitest";
import { processOutput } from "#kit/ops/process-output.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

function printedBy(
  environment: Record<string, string>,
  isTerminal: { out: boolean; err: boolean },
) {
  const printed = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    isTTY: isTerminal[name],
    write: (text: string | Uint8Array) => (printed[name] += String(text)) !== "",
  });
  const output = processOutput(environment, { stdout: stream("out"), stderr: stream("err") });
  output.print("Sign in as admin@demo.test.");
  output.warn("ada@example.org is odd.");
  output.fatal(new StartupProblem("PORT must be a port."));
  return printed;
}

const nowhere = { out: false, err: false };
const words = {
  out: "Sign in as admin@demo.test.\n",
  err: "ada@example.org is odd.\nPORT must be a port.\n",
};

test("with the embedded database, and at a terminal, the output is sentences for a person", () => {
  expect(printedBy({}, nowhere)).toEqual(words);
  expect(printedBy({ DATABASE_URL: "" }, nowhere)).toEqual(words);
  expect(printedBy({ DATABASE_URL: "postgres://db" }, { out: true, err: true })).toEqual(words);
});

test.each<Record<string, string>>([{ DATABASE_URL: "postgres://db" }, { NODE_ENV: "production" }])(
  "a program reads JSON with %j, stream by stream",
  (environment) => {
    const { out, err } = printedBy(environment, nowhere);
    const lines = `${out}${err}`.trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: "info", msg: "Sign in as admin@demo.test." }, // lines for the operator are not masked
      { level: "warn", msg: "…@… is odd." },
      { level: "fatal", msg: "PORT must be a port." },
    ]);
    expect(printedBy(environment, { out: true, err: false }).out).toBe(words.out);
  },
);
