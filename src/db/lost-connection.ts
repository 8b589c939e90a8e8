/** PostgreSQL's for a connection that ended or never began, and the network's. */
const lostCodes = new Set([
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

/** What pg says of a connection that has died under it, or was not made in time, without a code. */
const lostWords = /^Connection terminated|not queryable|connection error|^timeout expired/i;

/** Whether the database went away while it was asked, or was not there. */
export function isLostConnection(problem: unknown): boolean {
  if (problem instanceof OutcomeUnknown) return isLostConnection(problem.cause);
  if (!(problem instanceof Error)) return false;
  const code = "code" in problem ? problem.code : "";
  return (
    isFatal(problem) ||
    (typeof code === "string" && lostCodes.has(code)) ||
    lostWords.test(problem.message)
  );
}

/**
 * Whether the other side hung up with these words. A pooler gives its own reasons so, and PostgreSQL's
 * for not letting it in: pgbouncer with the code 08P01 whatever happened, which by itself is also that
 * of a statement that is wrong.
 */
function isFatal(problem: Error): boolean {
  return "severity" in problem && (problem.severity === "FATAL" || problem.severity === "PANIC");
}

/** The database went away over a commit: nobody can tell whether the change was made. */
export class OutcomeUnknown extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super("It is not known whether the change was made.");
    this.cause = cause;
  }
}
