import { getSystemErrorMessage } from "node:util";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** Why an export failed: the metric's label. */
export const failureCauses = ["database", "stopped", "other"] as const;
export type FailureCause = (typeof failureCauses)[number];

/** PostgreSQL's errors by code: some pass, others the database's operator must fix. */
const databaseProblems: Record<string, string> = {
  "53100": "There is no space left on the database's disk. Make room, then try again.",
  "55P03": "The database was busy with these records for too long. Try again in a few minutes.",
  "57014": "The database stopped the query. Try again.",
};

const unexpected =
  "Something went wrong on our side. Try again. If it happens again, tell us when.";

/** Why a file could not be written, for the operator of a command. */
export function failureSentence(problem: unknown): string {
  if (problem instanceof Refusal) return problem.message;
  return systemSentence(problem) ?? failureOf(problem).failureReason;
}

/** Why an export could not be prepared: a message for its requester, and the metric's cause. */
export function failureOf(problem: unknown): {
  failureReason: string;
  failureCause: FailureCause;
} {
  const code = problem instanceof Error && "code" in problem ? String(problem.code) : "";
  const known = databaseProblems[code];
  return { failureReason: known ?? unexpected, failureCause: known ? "database" : "other" };
}

/** The operating system's message, as for a full disk. */
function systemSentence(problem: unknown): string | null {
  if (!(problem instanceof Error) || isLostConnection(problem)) return null;
  if (!("errno" in problem) || typeof problem.errno !== "number") return null;
  const words = getSystemErrorMessage(problem.errno);
  return words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
