import { destination, type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type Log = Logger;

/**
 * Lines are collected for a fifth of a second: a write per line would be one in seven system calls. Problems are
 * written immediately, with everything before them, and so is everything when the process ends.
 */
function openStderr(): DestinationStream {
  stderr ??= destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 200 });
  return stderr;
}

/** One for all logs of a process, so that their lines do not mix. */
let stderr: DestinationStream | null = null;

/** Pino's level numbers. */
const warnLevel = 40;

/**
 * The log of this process: one JSON object per line, by default on stderr. It refers to records by id and never
 * names people. Addresses, card numbers and phone numbers in texts from elsewhere are masked here.
 */
export function openLog(level: string, to: DestinationStream = openStderr()): Log {
  return pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Leave out the address and headers that a framework might add.
      serializers: { err: serializeError, req: () => undefined, res: () => undefined },
      hooks: {
        logMethod(args, method, level) {
          const masked = args.map((arg: unknown) => (typeof arg === "string" ? mask(arg) : arg));
          method.apply(this, masked as typeof args); // each argument keeps its type
          if (level >= warnLevel && "flushSync" in to) this.flush();
        },
      },
    },
    to,
  );
}

const emailAddress = /(?<![^\s"'<>()=:,;])[^\s"'<>()=:,;]+@[^\s"'<>()=:,;]+/g;
/** Ten or more digits in any format: cards, phones. */
const longNumber = /\d(?:[ .()-]{0,2}\d){9,}/g;
const word = /[^\s"']+/g;
/** The start of a link's code or a query. Nothing after it belongs in a log. */
const endOfAddress = /[?#]|%(?:25)*23/;

const maxTextLength = 4_000;

/** A text without anything that could identify a person, pay for something or give access. */
export function mask(text: string): string {
  return text
    .slice(0, maxTextLength)
    .replaceAll(word, withoutQuery)
    .replaceAll(emailAddress, "…@…")
    .replaceAll(longNumber, "••••");
}

function withoutQuery(text: string): string {
  const path = text.indexOf("/");
  const end = path < 0 ? -1 : text.slice(path).search(endOfAddress);
  return end < 0 ? text : text.slice(0, path + end);
}

interface SerializedError {
  type: string;
  message: string;
  /** PostgreSQL's or Node's. */
  code?: string;
  table?: string;
  constraint?: string;
  stack?: string;
  causes?: SerializedError[];
}

/** A problem as the log shows it, with its causes. */
export function serializeError(problem: unknown): SerializedError {
  if (!(problem instanceof Error)) return { type: typeof problem, message: mask(String(problem)) };
  const message = withoutValues(problem);
  const causes = problem instanceof AggregateError ? problem.errors : [problem.cause];
  return {
    type: problem.name,
    message: mask(message),
    ...fieldsOf(problem),
    stack: mask((problem.stack ?? "").replace(problem.message, message)),
    ...(causes[0] !== undefined && { causes: causes.map(serializeError) }),
  };
}

/**
 * PostgreSQL quotes the value that it could not read (class 22 of its codes), and a JSON parser the text around its
 * error. Either may be a person's input.
 */
function withoutValues(problem: Error): string {
  const { code } = fieldsOf(problem);
  const quotes = code?.startsWith("22") || problem instanceof SyntaxError;
  return quotes ? problem.message.replaceAll(/"(?:[^"]|"")*"|'[^']*'/g, "“…”") : problem.message;
}

function fieldsOf(problem: Error): Pick<SerializedError, "code" | "table" | "constraint"> {
  const named: Record<string, string> = {};
  for (const name of ["code", "table", "constraint"] as const) {
    const value: unknown = Reflect.get(problem, name);
    if (typeof value === "string") named[name] = value;
  }
  return named;
}
