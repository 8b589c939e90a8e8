import { hostname } from "node:os";
import { format } from "node:util";
import { mask, serializeError } from "#kit/ops/log.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** What a server process prints in addition to its log. */
export interface ProcessOutput {
  /** For programs that wait for it, and for the person who started the process: stdout. */
  print: (line: string) => void;
  /** Warnings: stderr. */
  warn: (line: string) => void;
  /** The problem that ends the process: stderr. */
  fatal: (problem: unknown) => void;
}

type Environment = Record<string, string | undefined>;
type Stream = Pick<NodeJS.WriteStream, "write" | "isTTY">;

/**
 * At a terminal or with the embedded database, a person reads sentences. A process run by a supervisor prints only
 * JSON, one object per line, like its log.
 */
function isForPrograms(environment: Environment, stream: Stream): boolean {
  return (
    !stream.isTTY &&
    (Boolean(environment["DATABASE_URL"]) || environment["NODE_ENV"] === "production")
  );
}

export function processOutput(
  environment: Environment,
  { stdout, stderr }: { stdout: Stream; stderr: Stream } = process,
): ProcessOutput {
  const inJson = isForPrograms(environment, stderr);
  return {
    print: (line) =>
      void stdout.write(isForPrograms(environment, stdout) ? jsonLine("info", line) : `${line}\n`),
    warn: (line) => void stderr.write(inJson ? jsonLine("warn", mask(line)) : `${line}\n`),
    fatal: (problem) => {
      if (!inJson) stderr.write(`${plainText(problem)}\n`);
      else if (problem instanceof StartupProblem)
        stderr.write(jsonLine("fatal", mask(problem.message)));
      else stderr.write(jsonLine("fatal", "This process ends.", { err: serializeError(problem) }));
    },
  };
}

/**
 * If a program reads stderr, make everything else on it JSON as well: Node's warnings, what packages print, and
 * uncaught errors, which end the process anyway.
 */
export function printJsonOnly(environment: Environment): void {
  if (!isForPrograms(environment, process.stderr)) return;
  const { fatal } = processOutput(environment);
  const printRecord = (level: Level, text: string, more?: object) =>
    void process.stderr.write(jsonLine(level, mask(text), more));
  process.removeAllListeners("warning"); // Node's own, which prints text
  process.on("warning", (warning) =>
    printRecord("warn", warning.message, { err: serializeError(warning) }),
  );
  process.on("uncaughtException", (problem) => {
    fatal(problem);
    process.exit(1);
  });
  for (const [method, level] of Object.entries(levels))
    Reflect.set(console, method, (...args: unknown[]) => {
      const problem = args.find((arg) => arg instanceof Error);
      printRecord(
        level,
        format(...args.map(withoutRow)),
        problem && { err: serializeError(problem) },
      );
    });
}

/** A PostgreSQL error printed as a whole would show its row. */
function withoutRow(arg: unknown): unknown {
  return arg instanceof Error ? serializeError(arg).message : arg;
}

type Level = "debug" | "info" | "warn" | "error" | "fatal";

/** Console methods that packages use. */
const levels = {
  trace: "warn",
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
} as const satisfies Record<string, Level>;

/** In the format of the log's lines. */
function jsonLine(level: Level, msg: string, more: object = {}): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level, time, pid: process.pid, hostname: hostname(), ...more, msg })}\n`;
}

function plainText(problem: unknown): string {
  if (problem instanceof StartupProblem) return problem.message;
  return problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
}
