import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "#kit/http/envelope.ts";
import { refusedWithoutIds } from "#kit/db/id-range.ts";
import { isLostConnection, OutcomeUnknown } from "#kit/db/lost-connection.ts";
import type { FileMediaType } from "#kit/contract/endpoint.ts";
import { Refusal, violatedConstraint } from "#kit/contract/refusal.ts";
import { ThreadEnded } from "#kit/ops/threads.ts";

const busyMessage = "The service is busy. Nothing was changed; try again in a few seconds.";

/** The answer to a request that was refused before it began, or was rolled back completely. */
export const serviceBusy = () => new Refusal(503, busyMessage, { retryAfterSeconds: 2 });

export const requestTimedOutMessage = "The request took too long to arrive. Send it again.";

/** The answer to a request that did not arrive completely in time. */
export const requestTimedOut = () => new Refusal(408, requestTimedOutMessage);

/** As `busyMessage`, for a request with several transactions or an unknown commit: part of it may be committed. */
const busyMayHaveBegunMessage =
  "The service is busy, and part of your request may have been done. Reload the page and check before you try again.";

const internalErrorMessage =
  "Something went wrong on our side and nothing was changed. Try again. If it happens again, tell us";
const internalErrorMayHaveBegunMessage =
  "Something went wrong on our side, and part of your request may have been done. Reload the page and check. If it happens again, tell us";

/** Fastify's own refusals, as sentences for people. */
const fastifyRefusals: Record<string, [number, string]> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    "The request's length does not match its Content-Length.",
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, "The request is too large. The limit is 256 kB."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "The request must be JSON (application/json)."],
  FST_ERR_BAD_URL: [400, "The address is not valid."],
  FST_ERR_MAX_PARAM_LENGTH: [404, "This address does not exist."],
};

/** The same for a call whose body is a file. */
const fileRefusals: Record<FileMediaType, Record<string, [number, string]>> = {
  "text/csv": {
    FST_ERR_CTP_BODY_TOO_LARGE: [
      413,
      "The file is too large. The limit is 20 MB. Split it into several files.",
    ],
    FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "The request must be a CSV file (text/csv)."],
  },
  "application/octet-stream": {
    FST_ERR_CTP_BODY_TOO_LARGE: [413, "The file is too large. Save a smaller one and try again."],
    FST_ERR_CTP_INVALID_MEDIA_TYPE: [
      415,
      "The request must be the bytes of a file (application/octet-stream).",
    ],
  },
};

/** PostgreSQL's codes for lock and statement timeouts, too many connections, serialization failures and deadlocks. */
const busyCodes = new Set(["55P03", "57014", "53300", "40001", "40P01"]);

/**
 * The keys that refer to an account, which another administrator may be removing at this moment. Nothing else that
 * a request refers to is ever deleted, or it is locked first.
 */
const keysOfAccount = [
  "accounts",
  "email_changes",
  "mails",
  "passkeys",
  "saved_filters",
  "sessions",
  "sign_in_links",
  "two_factors",
].map((table) => `${table}_network_id_user_id_fkey`);
const keysOfRemoved = [...keysOfAccount, "api_tokens_network_id_made_by_fkey"];

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
  const { fileMediaType } = request.routeOptions.config;
  const refusal = refusalFor(cause, { mayHaveBegun, fileMediaType, requestId: request.id });
  const isPutOff = problem instanceof Refusal && refusal.retryAfterSeconds !== undefined;
  if (isPutOff) request.log.warn({ why: refusal.message }, "request put off");
  else if (refusal.status >= 500) request.log.error({ err: problem }, "request failed");
  if (refusal.retryAfterSeconds) void reply.header("Retry-After", refusal.retryAfterSeconds);
  return reply
    .status(refusal.status)
    .type("application/json; charset=utf-8")
    .send(failure(refusal.message, refusal.errors));
}

function refusalFor(
  problem: Problem,
  about: {
    mayHaveBegun: boolean;
    fileMediaType: FileMediaType | undefined;
    requestId: string;
  },
): Refusal {
  if (problem instanceof Refusal) return problem;
  const withoutIds = refusedWithoutIds(problem);
  if (withoutIds) return withoutIds;
  const { code = "" } = problem;
  const { mayHaveBegun, requestId } = about;
  const ofFiles = about.fileMediaType ? fileRefusals[about.fileMediaType][code] : undefined;
  const [status, message] = ofFiles ?? fastifyRefusals[code] ?? [];
  if (status && message) return new Refusal(status, message);
  if (problem instanceof ThreadEnded) return serviceBusy();
  if (violatedConstraint(problem, keysOfRemoved) !== undefined)
    return new Refusal(409, "The account has just been removed. Reload the page.");
  // The transaction began on a day that has since ended. A repeat belongs to the next day.
  if (violatedConstraint(problem, ["entries_closed_day"]) !== undefined)
    return new Refusal(409, `${problem.message} Nothing was changed; try again.`);
  if (
    busyCodes.has(code) ||
    isLostConnection(problem) ||
    /timeout exceeded when trying to connect/.test(problem.message)
  )
    return mayHaveBegun
      ? new Refusal(503, busyMayHaveBegunMessage, { retryAfterSeconds: 2 })
      : serviceBusy();
  if (problem.statusCode && problem.statusCode < 500)
    return new Refusal(problem.statusCode, "The request could not be understood.");
  const broken = mayHaveBegun ? internalErrorMayHaveBegunMessage : internalErrorMessage;
  return new Refusal(500, `${broken} the request id ${requestId}.`);
}
