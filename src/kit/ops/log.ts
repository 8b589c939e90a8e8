import { destination, type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type Log = Logger;

/**
 * Lines of calls are gathered for a fifth of a second: a write for each is a system call in seven.
 * What is wrong is written at once, with all before it; so is everything when the process ends.
 */
function openStderr(): DestinationStream {
  stderr ??= destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 200 });
  return stderr;
}

/** One for all logs of a process, so that no line of one stands in the middle of another's. */
let stderr: DestinationStream | null = null;

/** As pino numbers its levels. */
const warnLevel = 40;

/**
 * The log of this process: one JSON object a line, on stderr unless told otherwise. It names records
 * by their ids and people not at all: addresses, card and telephone numbers in what others say are
 * masked here, whoever writes the line.
 */
export function openLog(level: string, to: DestinationStream = openStderr()): Log {
  return pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // What a framework might add of a request: neither its address nor its headers.
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
/** Ten digits and more, however written: of cards, of telephones. */
const longNumber = /\d(?:[ .()-]{0,2}\d){9,}/g;
const word = /[^\s"']+/g;
/** Before a link's code or a page's query: nothing that follows either is for a log. */
const endOfAddress = /[?#]|%(?:25)*23/;

const maxTextLength = 4_000;

/** A text with nothing in it that could name a person, pay for something or open a door. */
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
  /** PostgreSQL's, or Node's. */
  code?: string;
  table?: string;
  constraint?: string;
  stack?: string;
  causes?: SerializedError[];
}

/** A problem as the log shows it, with those that it was made of. */
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
 * PostgreSQL quotes the value that it could not read (class 22 of its codes), and a JSON parser the
 * text around its fault: either may be what a person has entered.
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
