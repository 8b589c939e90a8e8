import type { FieldError } from "#kit/contract/envelope.ts";

/** An expected refusal, for a reason that the sender can understand and act on. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    more: { errors?: FieldError[]; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** For an id that this person may not see. Unknown ids and another network's get the same answer. Domain rules §8. */
export function notFound(thing: string): Refusal {
  return new Refusal(404, `There is no such ${thing}.`);
}

/** Invalid input in one field, found where Zod cannot check it. */
export function invalid(path: string, message: string): Refusal {
  return new Refusal(422, message, { errors: [{ path, message }] });
}

/**
 * Run a statement and turn a violation of a constraint named in `refusals` into that refusal, which may read the
 * database's error. Other errors pass through.
 */
export async function refuseViolations<Answer>(
  refusals: Record<string, (violation: unknown) => Refusal>,
  statement: Promise<Answer>,
): Promise<Answer> {
  try {
    return await statement;
  } catch (problem) {
    const name = violatedConstraint(problem, Object.keys(refusals));
    throw (name !== undefined && refusals[name]?.(problem)) || problem;
  }
}

/**
 * The constraint that a statement violated, if it is one of these. PostgreSQL names it in a field of the error. A
 * shard appends its number (`users_email_key_102008`), and some poolers drop the field: then the message is
 * searched.
 */
export function violatedConstraint<Name extends string>(
  problem: unknown,
  names: readonly Name[],
): Name | undefined {
  if (!(problem instanceof Error)) return undefined;
  const field = textIn(problem, "constraint");
  const isViolation = textIn(problem, "code").startsWith("23") || violation.test(problem.message);
  const said = field || (isViolation ? problem.message : "");
  const isSaid = (name: string, suffix: string) =>
    new RegExp(`(?<!\\w)${name}${suffix}(?!\\w)`).test(said);
  return (
    names.find((name) => isSaid(name, "")) ?? names.find((name) => isSaid(name, shardNumber.source))
  );
}

/** Says "violates" in English, or has an error code of class 23 (integrity constraint violation). */
const violation = /\bviolates\b|\b23[0-9A-Z]{3}\b/;
const shardNumber = /_\d{6,}/;

function textIn(problem: Error, field: "constraint" | "code"): string {
  const value: unknown = Reflect.get(problem, field);
  return typeof value === "string" ? value : "";
}
