import { invalid, refuseViolations } from "#contract/refusal.ts";

/**
 * Run a statement that makes entries of the day at `path`. Throws 422 there, naming the day through which the books
 * are closed, where that is one of theirs. Source: book rule 8.
 */
export async function refuseClosedDay<Answer>(
  path: string,
  statement: Promise<Answer>,
): Promise<Answer> {
  return await refuseViolations(
    {
      entries_closed_day: (closed) => invalid(path, closed instanceof Error ? closed.message : ""),
    },
    statement,
  );
}
