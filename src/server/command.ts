import { type Given, type Options, readArguments, type Usage } from "#server/command-arguments.ts";
import type { Pool } from "pg";
import type { Db } from "#server/database.ts";
import type { Clock } from "#server/serve.ts";

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
  /** Say what is being done, for who waits; `share` of it that is done, 0 to 1. */
  progress: (doing: string, share?: number) => void;
  /** Everything on standard input. */
  readInput: () => Promise<string>;
}

/** What a command has to say when it is done. */
export interface Outcome {
  /** For people; empty when the command has written to standard output itself. */
  text: string;
  /** For programs, instead of the text: with --json. */
  json: object;
  /** Something is wrong that the text names: the exit code becomes 1. */
  hasFailed?: boolean;
}

export interface Command extends Usage {
  /** Read the arguments; throws a UsageProblem, or answers the work to be done with them. */
  read(args: string[]): (context: CommandContext) => Promise<Outcome>;
}

/** One command of `npm run cli -- …`; src/server/cli.ts lists them all. */
export function command<Wanted extends Options>(
  described: Usage<Wanted> & {
    run(context: CommandContext, given: Given<Wanted>, operands: string[]): Promise<Outcome>;
  },
): Command {
  return {
    ...described,
    read(args) {
      const { given, operands } = readArguments(described, args);
      return (context) => described.run(context, given, operands);
    },
  };
}
