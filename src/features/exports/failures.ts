import { isLostConnection } from "#db/lost-connection.ts";
import { Refusal } from "#contract/refusal.ts";

/** Why an export failed: the label of the metric. */
export const failureCauses = ["disk full", "folder", "database", "stopped", "other"] as const;
export type FailureCause = (typeof failureCauses)[number];

interface KnownProblem {
  cause: FailureCause;
  /** What is wrong, as a clause. */
  what: string;
  /** What to do about it, as a clause. */
  remedy: string;
}

const folder = (what: string, remedy: string): KnownProblem => ({ cause: "folder", what, remedy });

/** The operating system's errors when a file is written, by code. */
const fileProblems: Record<string, KnownProblem> = {
  ENOSPC: {
    cause: "disk full",
    what: "there is no space left on the server's disk",
    remedy: "make room",
  },
  EDQUOT: { cause: "disk full", what: "the server's disk quota is used up", remedy: "make room" },
  EFBIG: {
    cause: "disk full",
    what: "its file is larger than the server may write",
    remedy: "raise that limit",
  },
  EACCES: folder("the server may not write to its folder", "allow it"),
  EPERM: folder("the server may not write to its folder", "allow it"),
  EROFS: folder("its folder is on a disk that can only be read", "make it writable"),
  ENOENT: folder("its folder is missing", "put it back"),
  ENOTDIR: folder("there is a file in the place of its folder", "correct that"),
  EEXIST: folder("there is a file in the place of its folder", "correct that"),
  EISDIR: folder("there is a folder in the place of its file", "correct that"),
  ESTALE: folder(
    "the server has lost the network folder that it is written to",
    "connect it again",
  ),
  EIO: folder("the server's disk does not work as it should", "see to it"),
  EMFILE: folder("the server has too many files open", "raise that limit"),
  ENFILE: folder("the server has too many files open", "raise that limit"),
};

/** PostgreSQL's errors, by code: some pass, others the database's operator must fix. */
const databaseProblems: Record<string, string> = {
  "53100": "There is no space left on the database's disk. Make room, then try again.",
  "55P03": "The database was busy with these records for too long. Try again in a while.",
  "57014": "The database stopped the query. Try again.",
};

const unexpected =
  "Something went wrong on our side. Try again; if it happens again, tell us when it was.";

/** Why a file could not be written, for an operator who runs a command. */
export function failureSentence(problem: unknown): string {
  if (problem instanceof Refusal) return problem.message;
  const known = fileProblem(problem);
  if (!known) return databaseProblems[codeOf(problem)] ?? unexpected;
  return `${capitalized(known.what)}. ${capitalized(known.remedy)}, then try again.`;
}

/** Why an export could not be prepared: the sentence for its requester, and the cause for the metric. */
export function failureOf(problem: unknown): {
  failureReason: string;
  failureCause: FailureCause;
} {
  const known = fileProblem(problem);
  if (!known) {
    const failureCause = codeOf(problem) in databaseProblems ? "database" : "other";
    return { failureReason: failureSentence(problem), failureCause };
  }
  const failureReason = `The report could not be written: ${known.what}. Whoever runs the server has to ${known.remedy}; then try again.`;
  return { failureReason, failureCause: known.cause };
}

/** Whether it is the operating system's error about a file or folder. */
export function isFileProblem(problem: unknown): boolean {
  return fileProblem(problem) !== null;
}

function fileProblem(problem: unknown): KnownProblem | null {
  const code = codeOf(problem);
  const known = fileProblems[code];
  if (known) return known;
  const isOfSystem = problem instanceof Error && "errno" in problem && "syscall" in problem;
  if (!isOfSystem || isLostConnection(problem)) return null;
  return folder(`the server could not write its file (${code})`, "see to it");
}

const capitalized = (clause: string) => clause.charAt(0).toUpperCase() + clause.slice(1);

function codeOf(problem: unknown): string {
  const code = problem instanceof Error && "code" in problem ? problem.code : "";
  return typeof code === "string" ? code : "";
}
