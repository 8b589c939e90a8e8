import type { FieldError } from "#contract/envelope.ts";

/** An expected "no": a request that is refused for a reason that its sender can understand and act on. */
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

/** For an id that this person may not see: unknown ones and another network's get the same answer. Domain rules §8. */
export function notFound(thing: string): Refusal {
  return new Refusal(404, `There is no such ${thing}.`);
}

/** Invalid input in one field, found where Zod cannot see it. */
export function invalid(path: string, message: string): Refusal {
  return new Refusal(422, message, { errors: [{ path, message }] });
}

/**
 * Run a statement whose constraints have the last word: a violation of a constraint named in
 * `refusals` becomes that refusal, anything else passes through.
 */
export async function refuseViolations<Answer>(
  refusals: Record<string, () => Refusal>,
  statement: Promise<Answer>,
): Promise<Answer> {
  try {
    return await statement;
  } catch (problem) {
    throw refusals[constraintOf(problem)]?.() ?? problem;
  }
}

/** The constraint that a statement has violated; empty where it failed otherwise. */
export function constraintOf(problem: unknown): string {
  const known = problem instanceof Error && "constraint" in problem ? problem.constraint : "";
  return typeof known === "string" ? known : "";
}
