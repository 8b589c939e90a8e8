import { type Options, readOptions, type Usage, type Values } from "#kit/cli/command-arguments.ts";
import type { Pool } from "pg";
import type { Db } from "#kit/db/database.ts";
import type { Clock } from "#kit/domain/clock.ts";

/** What a command can use. The database is open and up to date. */
export interface CommandContext {
  db: Db;
  pool: Pool;
  now: Clock;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** The key for sessions and stored secrets, and how to replace it (app-secret.ts). */
  secret: { read: () => string; replaceWith: (secret: string) => () => boolean };
  /** The migrations that were applied when the database was opened. */
  migrated: string[];
  /** Show progress: what is being done, and the `share` done, 0 to 1. */
  progress: (doing: string, share?: number) => void;
  /** Everything on standard input. */
  readInput: () => Promise<string>;
  /** Close something at the end, or when the command is interrupted; last first. */
  closeAfter: (close: () => Promise<void>) => void;
}

/** What a command can use that opens its databases itself. */
export interface StandaloneContext {
  environment: Record<string, string | undefined>;
  now: Clock;
  progress: CommandContext["progress"];
  /** Print a line to stderr. */
  log: (line: string) => void;
  closeAfter: CommandContext["closeAfter"];
}

/** What a command reports when it is done. */
export interface Outcome {
  /** For people; empty if the command has written to standard output itself. */
  text: string;
  /** For programs, instead of the text: with --json. */
  json: object;
  /** The text names a problem: the exit code becomes 1. */
  hasFailed?: boolean;
}

/** The work to do, with or without the database that the environment names. */
export type Work =
  | { onDatabase: (context: CommandContext) => Promise<Outcome> }
  | { standalone: (context: StandaloneContext) => Promise<Outcome> };

export interface Command extends Usage {
  /** The work for these option values. Throws a UsageProblem for a bad one. */
  read: (values: Record<string, unknown>, operands: string[]) => Work;
}

/** One command of `npm run cli -- …`. src/main/command-line.ts lists them all. */
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
