import { type Options, readOptions, type Usage, type Values } from "#kit/cli/command-arguments.ts";
import type { Pool } from "pg";
import type { Db } from "#kit/db/database.ts";
import type { Clock } from "#kit/http/serve.ts";

/** What a command is run with: the database is open and up to date. */
export interface CommandContext {
  db: Db;
  pool: Pool;
  now: Clock;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** The key for sessions and secrets at rest, and how to put another into its place (app-secret.ts). */
  secret: { read: () => string; replaceWith: (secret: string) => () => boolean };
  /** The migrations that opening the database has applied. */
  migrated: string[];
  /** Show whoever waits what is being done, and the `share` of it that is done, 0 to 1. */
  progress: (doing: string, share?: number) => void;
  /** Everything on standard input. */
  readInput: () => Promise<string>;
  /** Have something closed in the end, or when the command is interrupted; last first. */
  closeAfter: (close: () => Promise<void>) => void;
}

/** What a command is run with that opens its databases by itself. */
export interface StandaloneContext {
  environment: Record<string, string | undefined>;
  now: Clock;
  progress: CommandContext["progress"];
  /** Print a line for whoever waits, on stderr. */
  log: (line: string) => void;
  closeAfter: CommandContext["closeAfter"];
}

/** What a command reports when it is done. */
export interface Outcome {
  /** For people; empty when the command has written to standard output itself. */
  text: string;
  /** For programs, instead of the text: with --json. */
  json: object;
  /** Something is wrong that the text names: the exit code becomes 1. */
  hasFailed?: boolean;
}

/** The work to be done: with the database that the environment names, or without. */
export type Work =
  | { onDatabase: (context: CommandContext) => Promise<Outcome> }
  | { standalone: (context: StandaloneContext) => Promise<Outcome> };

export interface Command extends Usage {
  /** The work to be done with these values of its options. Throws a UsageProblem for a bad one. */
  read: (values: Record<string, unknown>, operands: string[]) => Work;
}

/** One command of `npm run cli -- …`; src/main/command-line.ts lists them all. */
export function command<Declared extends Options>(
  described: Usage<Declared> & {
    run(context: CommandContext, given: Values<Declared>, operands: string[]): Promise<Outcome>;
  },
): Command {
  return {
    ...described,
    read(values, operands) {
      const given = readOptions(described.options, values);
      return { onDatabase: (context) => described.run(context, given, operands) };
    },
  };
}

/** A command for which no database is opened. */
export function standaloneCommand<Declared extends Options>(
  described: Usage<Declared> & {
    run(context: StandaloneContext, given: Values<Declared>, operands: string[]): Promise<Outcome>;
  },
): Command {
  return {
    ...described,
    read(values, operands) {
      const given = readOptions(described.options, values);
      return { standalone: (context) => described.run(context, given, operands) };
    },
  };
}
