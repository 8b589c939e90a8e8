import { z } from "zod";
import { fieldErrors } from "#kit/contract/validation-messages.ts";

export interface Option {
  /** The placeholder of its value in the help text; none for a switch. */
  value?: string;
  help: string;
  /** How its value is read. A refused value is reported in the schema's words. */
  schema: z.ZodType;
}

export type Options = Record<string, Option>;

/** The values of a command's options, by name. */
export type Values<Declared extends Options> = {
  [Name in keyof Declared]: z.output<Declared[Name]["schema"]>;
};

/** How a command is called: what is needed to read its arguments and to explain it. */
export interface Usage<Declared extends Options = Options> {
  name: string;
  /** One line. */
  summary: string;
  /** What else to know before using it: one paragraph, wrapped to the terminal's width. */
  details?: string | (() => string);
  /** What must follow the name, such as FILE.csv. */
  operands?: readonly string[];
  options: Declared;
}

/** How every command is called from the project's folder. */
export const invocation = "npm run cli --";

/** A command line that cannot be understood. The message is one sentence, the exit code 2. */
export class UsageProblem extends Error {}

/** An option without a value. */
export function flag(help: string) {
  return { help, schema: z.boolean().default(false) };
}

/** A whole number within bounds, as text. */
export function wholeNumber(min: number, max: number) {
  const bounds = `must be a whole number from ${min} to ${max.toLocaleString("en-US")}`;
  return z.codec(
    z.string().regex(/^\d{1,15}$/, bounds),
    z.number().min(min, bounds).max(max, bounds),
    { decode: Number, encode: String },
  );
}

/**
 * Read the values of a command's options by their schemas. Throws a UsageProblem that names the option and what it
 * must be: "--as-of must be a date …".
 */
export function readOptions<Declared extends Options>(
  options: Declared,
  values: Record<string, unknown>,
): Values<Declared> {
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { schema }]) => [name, schema]),
  );
  const read = z.safeDecode(z.object(shape), values, { reportInput: true });
  if (read.success) return read.data as Values<Declared>; // the shape is Declared's own
  const [first] = fieldErrors(read.error); // it begins with the option's name, capitalised
  const name = first?.path ?? "";
  throw new UsageProblem(`--${name}${first?.message.slice(name.length) ?? " is not valid."}`);
}
