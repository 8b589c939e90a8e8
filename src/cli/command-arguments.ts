import { parseArgs } from "node:util";
import { z } from "zod";
import { fieldErrors } from "#contract/sentences.ts";

export interface Option {
  /** The placeholder of its value in the help text; none for a switch. */
  value?: string;
  says: string;
  /** How the text after the option is read; a value that it does not accept is refused in its words. */
  schema: z.ZodType;
}

export type Options = Record<string, Option>;

/** What the options come to, under their names. */
export type Given<Wanted extends Options> = {
  [Name in keyof Wanted]: z.output<Wanted[Name]["schema"]>;
};

/** How a command is called: enough to read its arguments and to explain it. */
export interface Usage<Wanted extends Options = Options> {
  name: string;
  /** One line. */
  summary: string;
  /** What else must be known before using it, as paragraphs. */
  details?: string;
  /** What must follow the name, such as FILE.csv. */
  operands?: readonly string[];
  options: Wanted;
}

/** Options that every command takes; src/main/cli.ts answers to them. */
export const commonOptions: Record<string, Pick<Option, "says" | "value">> = {
  json: { says: "Print one JSON document instead of text" },
  help: { says: "Explain this command" },
};

/** How every command is called from the project's folder. */
export const invocation = "npm run cli --";

/** A command line that cannot be understood; the message is one sentence, the exit code 2. */
export class UsageProblem extends Error {}

/** An option that is there or not. */
export function flag(says: string) {
  return { says, schema: z.boolean().default(false) };
}

/** A whole number within bounds, as text. */
export function wholeNumber(least: number, greatest: number) {
  const bounds = `must be a whole number from ${least} to ${greatest.toLocaleString("en-US")}`;
  return z.codec(
    z.string().regex(/^\d{1,15}$/, bounds),
    z.number().min(least, bounds).max(greatest, bounds),
    { decode: Number, encode: String },
  );
}

/** Read what follows a command's name. Throws a UsageProblem that says what is wrong with it. */
export function readArguments<Wanted extends Options>(
  usage: Usage<Wanted>,
  args: string[],
): { given: Given<Wanted>; operands: string[] } {
  const { values, positionals } = parse(usage, args);
  const operands = usage.operands ?? [];
  const missing = operands[positionals.length];
  if (missing) throw new UsageProblem(`${usage.name} needs ${missing}. ${seeHelp(usage)}`);
  if (positionals.length > operands.length) {
    const extra = JSON.stringify(positionals[operands.length]);
    throw new UsageProblem(`${usage.name} cannot use ${extra}. ${seeHelp(usage)}`);
  }
  const shape = Object.fromEntries(
    Object.entries(usage.options).map(([name, option]) => [name, option.schema]),
  );
  const decoded = z.safeDecode(z.object(shape), values, { reportInput: true });
  if (!decoded.success) throw new UsageProblem(sentenceOf(decoded.error));
  return { given: decoded.data as Given<Wanted>, operands: positionals }; // the shape is Wanted's own
}

function parse(usage: Usage, args: string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...usage.options, ...commonOptions }).map(([name, { value }]) => [
      name,
      { type: value ? ("string" as const) : ("boolean" as const) },
    ]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (problem) {
    const sentence = parsingSentence(usage.name, problem);
    throw new UsageProblem(`${sentence} ${seeHelp(usage)}`, { cause: problem });
  }
}

function parsingSentence(name: string, problem: unknown): string {
  const message = problem instanceof Error ? problem.message : String(problem);
  const [option = "An option"] = /--?[\w-]+/.exec(message) ?? [];
  if (/unknown option/i.test(message)) return `${name} has no option ${option}.`;
  if (/does not take an argument/.test(message)) return `${option} takes no value.`;
  return `${option} needs a value.`;
}

/** "As-of must be a date …" becomes "--as-of must be a date …". */
function sentenceOf(error: z.core.$ZodError): string {
  const [first] = fieldErrors(error);
  const name = first?.path ?? "";
  return `--${name}${first?.message.slice(name.length) ?? " is not valid."}`;
}

function seeHelp({ name }: Usage): string {
  return `See ${invocation} ${name} --help`;
}
