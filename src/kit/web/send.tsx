import type { Method } from "#kit/contract/endpoint.ts";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { isUserActive } from "#kit/web/last-input.tsx";
import { discardPreloadedAnswers } from "#kit/web/preloaded-answers.tsx";
import { pageMeta } from "#kit/web/page-meta.tsx";

export interface ServerAnswer {
  ok: boolean;
  status: number;
  headers: Headers;
  /** The answer's JSON; undefined if it had none. */
  json: unknown;
}

/**
 * Send JSON to this site, with the page's CSRF token. Refusals are answers, too: throws a CallFailure only if no
 * answer came. A request with a `key` is carried out once, however often it is sent. With an `owner`, the server
 * refuses it if someone else is signed in. Used by `call` and by the auth library's calls, whose answers have no
 * envelope.
 */
export async function send(
  method: Method,
  address: string,
  body?: unknown,
  { signal, key, owner }: Sending = {},
): Promise<ServerAnswer> {
  const payload = { type: "application/json", content: JSON.stringify(body) };
  const sent = body === undefined ? null : payload;
  return await sendPayload(method, address, sent, {
    signal,
    headers: { ...(key !== undefined && { "idempotency-key": key }), ...ownerHeader(owner) },
  });
}

interface Sending {
  signal?: AbortSignal | undefined;
  key?: string | undefined;
  /** The owner of the page that sends it; "" or nothing: nobody. */
  owner?: string | undefined;
}

/** As `send`, with a file instead of JSON. */
export async function sendFile(
  method: Method,
  address: string,
  { type, file, owner }: { type: string; file: Blob; owner: string },
): Promise<ServerAnswer> {
  const headers = ownerHeader(owner);
  return await sendPayload(method, address, { type, content: file }, { headers });
}

/** The file at an address, with the name that the server gives it, or why there is none. */
export async function fetchFile(address: string, owner: string): Promise<File | ServerAnswer> {
  return await answered(async () => {
    const response = await fetch(address, { headers: ownerHeader(owner) });
    if (!response.ok) return await answerOf(response);
    const named = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "");
    return new File([await response.blob()], named?.[1] ?? "file");
  });
}

const ownerHeader = (owner: string | undefined): Record<string, string> =>
  owner ? { "x-page-owner": owner } : {};

async function sendPayload(
  method: Method,
  address: string,
  payload: { type: string; content: BodyInit } | null,
  {
    signal,
    headers: more,
  }: { signal?: AbortSignal | undefined; headers?: Record<string, string> } = {},
): Promise<ServerAnswer> {
  const headers: Record<string, string> = { accept: "application/json", ...more };
  if (!isUserActive()) headers["x-automatic"] = "1";
  if (method !== "GET") {
    headers["x-csrf-token"] = pageMeta("csrf-token");
    discardPreloadedAnswers();
  }
  if (payload) headers["content-type"] = payload.type;
  return await answered(async () =>
    answerOf(await fetch(address, { method, headers, body: payload?.content, signal })),
  );
}

async function answerOf(response: Response): Promise<ServerAnswer> {
  const { ok, status, headers } = response;
  return { ok, status, headers, json: parsed(await response.text()) };
}

async function answered<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request();
  } catch {
    throw new CallFailure(
      "no answer",
      "The server could not be reached. Check your connection and try again.",
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON, such as a proxy's error page: the status tells
  }
}
