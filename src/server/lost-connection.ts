const lostCodes = new Set([
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08003",
  "08006",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
]);

/** What pg says of a connection that has died under it, without a code. */
const lostWords = /^Connection terminated|not queryable|connection error/i;

/** Whether the database went away while it was asked, or was not there. */
export function isLostConnection(problem: unknown): boolean {
  if (problem instanceof OutcomeUnknown) return isLostConnection(problem.cause);
  if (!(problem instanceof Error)) return false;
  const code = "code" in problem ? problem.code : "";
  return (typeof code === "string" && lostCodes.has(code)) || lostWords.test(problem.message);
}

/** The database went away over a commit: nobody can tell whether the change was made. */
export class OutcomeUnknown extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super("It is not known whether the change was made.");
    this.cause = cause;
  }
}
