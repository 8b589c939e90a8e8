import { Refusal } from "#server/refusal.ts";

const sentences: Record<string, string> = {
  ENOSPC: "There is no space left on the server's disk. Make room, then try again.",
  EDQUOT: "The server's disk quota is used up. Make room, then try again.",
  EROFS: "Its folder cannot be written to. Correct that, then try again.",
  EACCES: "Its folder cannot be written to. Correct that, then try again.",
  ENOTDIR: "A part of its path is no folder. Correct it, then try again.",
  EISDIR: "It is a folder. Name a file, then try again.",
  "53100": "There is no space left on the database's disk. Make room, then try again.",
  "55P03": "The database was busy with these records for too long. Try again in a while.",
  "57014": "The database stopped the query. Try again.",
};

/** Why a report could not be prepared, for whoever ordered it: the log has the rest. */
export function failureSentence(problem: unknown): string {
  if (problem instanceof Refusal) return problem.message;
  return (
    sentences[codeOf(problem)] ??
    "Something went wrong on our side. Try again; if it happens again, tell us when it was."
  );
}

const lostCodes = new Set(["57P01", "57P02", "57P03", "08003", "08006", "ECONNRESET", "EPIPE"]);

/** Whether the database went away: the report is then taken up again by itself. */
export function isLostConnection(problem: unknown): boolean {
  const message = problem instanceof Error ? problem.message : "";
  return lostCodes.has(codeOf(problem)) || /^Connection terminated|not queryable/.test(message);
}

function codeOf(problem: unknown): string {
  const code = problem instanceof Error && "code" in problem ? problem.code : "";
  return typeof code === "string" ? code : "";
}
