import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "#http/envelope.ts";
import { isLostConnection, OutcomeUnknown } from "#db/lost-connection.ts";
import { Refusal } from "#contract/refusal.ts";

const busyMessage = "The service is busy. Nothing was changed; try again in a few seconds.";

/** What the sender is told whose request was refused before it began, or was undone as a whole. */
export const busy = () => new Refusal(503, busyMessage, { retryAfterSeconds: 2 });

export const requestTimedOutMessage = "The request took too long to arrive. Send it again.";

/** What the sender is told whose request has not arrived as a whole, and is not waited for any more. */
export const requestTimedOut = () => new Refusal(408, requestTimedOutMessage);

/** As `busyMessage`, of a request of several transactions, or whose commit nobody saw: what was done stands. */
const unfinishedMessage =
  "The service is busy, and what you asked for may have begun. Reload the page to see how it stands before trying again.";

const brokenMessage =
  "Something went wrong on our side and nothing was changed. Try again; if it happens again, tell us";
const brokenOffMessage =
  "Something went wrong on our side, and what you asked for may have begun. Reload the page to see how it stands; if it happens again, tell us";

/** What Fastify itself refuses, in words for a person. */
const fastifyRefusals: Record<string, [number, string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: [400, "The request is not valid JSON."],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, "The request is empty; it must be JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, "The request's length is not what it says."],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, "The request is too large: at most 256 kB are accepted."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "The request must be JSON (application/json)."],
  FST_ERR_BAD_URL: [400, "The address is not well formed."],
  FST_ERR_MAX_PARAM_LENGTH: [404, "There is no such address."],
};

/** The same of a call that takes a file. */
const fileRefusals: Record<string, [number, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    413,
    "The file is too large: at most 20 MB are accepted. Split it into several files.",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "The request must be a CSV file (text/csv)."],
};

/** Codes of PostgreSQL and of the pool that mean: not now. */
const busyCodes = new Set(["55P03", "57014", "53300", "40001", "40P01"]);

type Problem = Error & Partial<Pick<FastifyError, "code" | "statusCode">>;

/** The one error handler: turns every failure into the envelope. */
export function answerError(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const mayHaveBegun =
    problem instanceof OutcomeUnknown || request.routeOptions.config.ownTransactions === true;
  const cause = problem instanceof OutcomeUnknown ? problem.cause : problem;
  const takesFile = request.routeOptions.config.takes !== undefined;
  const refusal = refusalFor(cause, { mayHaveBegun, takesFile, requestId: request.id });
  if (refusal.status >= 500) request.log.error({ err: problem }, "request failed");
  if (refusal.retryAfterSeconds) void reply.header("Retry-After", refusal.retryAfterSeconds);
  return reply
    .status(refusal.status)
    .type("application/json; charset=utf-8")
    .send(failure(refusal.message, refusal.errors));
}

function refusalFor(
  problem: Problem,
  about: { mayHaveBegun: boolean; takesFile: boolean; requestId: string },
): Refusal {
  if (problem instanceof Refusal) return problem;
  const { code = "" } = problem;
  const { mayHaveBegun, requestId } = about;
  const [status, message] =
    (about.takesFile ? fileRefusals[code] : null) ?? fastifyRefusals[code] ?? [];
  if (status && message) return new Refusal(status, message);
  if (problem instanceof SyntaxError && problem.statusCode === 400)
    return new Refusal(400, "The request is not valid JSON.");
  if (
    busyCodes.has(code) ||
    isLostConnection(problem) ||
    /timeout exceeded when trying to connect/.test(problem.message)
  )
    return mayHaveBegun ? new Refusal(503, unfinishedMessage, { retryAfterSeconds: 2 }) : busy();
  if (problem.statusCode && problem.statusCode < 500)
    return new Refusal(problem.statusCode, "The request could not be understood.");
  const broken = mayHaveBegun ? brokenOffMessage : brokenMessage;
  return new Refusal(500, `${broken} the request id ${requestId}.`);
}
