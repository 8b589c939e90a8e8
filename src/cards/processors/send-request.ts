/*
 * One request to a processor: limited in time and size, never redirected, and without the byte order mark
 * that some put before their answers.
 */

const maxAnswer = 4 * 1024 * 1024;

export interface ProcessorRequest {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
}

export interface ProcessorResponse {
  status: number;
  text: string;
}

/** No answer, or only part of one: the request may or may not have been carried out. */
export class NoResponse extends Error {}

/** Send a request to a processor. Throws NoResponse. */
export async function sendRequest(
  url: string,
  asked: ProcessorRequest,
): Promise<ProcessorResponse> {
  try {
    const answer = await fetch(url, {
      method: asked.method ?? "POST",
      headers: asked.headers ?? {},
      ...(asked.body !== undefined && { body: asked.body }),
      redirect: "error",
      signal: AbortSignal.timeout(asked.timeoutMs),
    });
    return { status: answer.status, text: await boundedText(answer) };
  } catch (problem) {
    if (problem instanceof NoResponse) throw problem;
    throw new NoResponse(whyNoAnswer(problem));
  }
}

/** Whether the request was carried out: any 2xx status. */
export const isSuccess = ({ status }: ProcessorResponse): boolean => status >= 200 && status < 300;

/** The answer's JSON object. Throws NoResponse for anything else, since it does not say what was done. */
export function readJson(answer: ProcessorResponse): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(answer.text);
    if (isRecord(json)) return json;
  } catch {
    // falls through to the refusal below
  }
  throw new NoResponse(`The processor's answer (HTTP ${answer.status}) is not JSON.`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value in an answer by its path, or undefined: a processor's answer may have any shape. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found) && typeof step === "number") found = found[step];
    else if (isRecord(found) && typeof step === "string") found = found[step];
    else return undefined;
  }
  return found;
}

/** Text or a number in an answer, as text; "" if it is neither. */
export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

async function boundedText(answer: Response): Promise<string> {
  const decoder = new TextDecoder(); // drops a byte order mark
  let text = "";
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswer) throw new NoResponse("The processor's answer is too large.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function whyNoAnswer(problem: unknown): string {
  if (problem instanceof Error && problem.name === "TimeoutError")
    return "The processor did not answer in time.";
  const cause = problem instanceof Error ? problem.cause : null;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return `The processor could not be reached, or its answer was cut short${code && ` (${code})`}.`;
}
