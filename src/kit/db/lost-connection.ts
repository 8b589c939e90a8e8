/**
 * PostgreSQL's and the network's codes for a connection that ended or was never made. 25006 means that a server no
 * longer accepts writes, since another has become the primary.
 */
const lostCodes = new Set([
  "25006",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  "08007",
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** pg's messages, without a code, for a connection that has died or was not made in time. */
const lostMessages = /^Connection terminated|not queryable|connection error|^timeout expired/i;

/** Whether the error means that the database went away or was not there. */
export function isLostConnection(problem: unknown): boolean {
  if (problem instanceof OutcomeUnknown) return isLostConnection(problem.cause);
  if (!(problem instanceof Error)) return false;
  const code = "code" in problem ? problem.code : "";
  return (
    isFatal(problem) ||
    (typeof code === "string" && lostCodes.has(code)) ||
    lostMessages.test(problem.message)
  );
}

/**
 * Whether the server ended the connection with this error. A pooler reports its own problems and PostgreSQL's
 * refusals this way: pgbouncer always with the code 08P01, which can also mean a protocol error in a statement.
 */
function isFatal(problem: Error): boolean {
  return "severity" in problem && (problem.severity === "FATAL" || problem.severity === "PANIC");
}

/** The database went away during a commit: it is unknown whether the change was made. */
export class OutcomeUnknown extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super("It is not known whether the change was made.");
    this.cause = cause;
  }
}
