import { Refusal } from "#server/refusal.ts";

const sentences: Record<string, string> = {
  ENOSPC: "There is no space left on the server's disk. Make room, then try again.",
  EFBIG: "Its file is larger than the server may write. Correct that, then try again.",
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

function codeOf(problem: unknown): string {
  const code = problem instanceof Error && "code" in problem ? problem.code : "";
  return typeof code === "string" ? code : "";
}
