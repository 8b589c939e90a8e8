import { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { Envelope } from "#kit/contract/envelope.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { askForConfirmation, isOtherOwners, needsConfirmation } from "#kit/web/confirmation.tsx";
import { sendIdempotently } from "#kit/web/idempotency-key.tsx";
import { takePreloadedAnswer } from "#kit/web/preloaded-answers.tsx";
import { renewCsrfToken } from "#kit/web/page-meta.tsx";
import { pageOwner } from "#kit/web/page-owner.tsx";
import { fetchFile, type ServerAnswer, send, sendFile } from "#kit/web/send.tsx";
import { recheckSession } from "#kit/web/sign-in-redirect.tsx";

type InputPart<Name extends string, Shape extends z.ZodType> =
  Record<never, never> extends z.output<Shape>
    ? { [name in Name]?: z.output<Shape> }
    : { [name in Name]: z.output<Shape> };

/** What a call needs, as the contract names and types it: amounts in cents, ids as numbers. `signal` cancels it. */
export type Input<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
> = InputPart<"params", Params> &
  InputPart<"query", Query> &
  InputPart<"body", Body> & { signal?: AbortSignal };

/** An input that may be left out if the call needs none. */
export type EndpointInput<Wanted> =
  Record<never, never> extends Wanted ? [input?: Wanted] : [input: Wanted];

export interface Answer<Thing> {
  object: Thing;
  message: string | null;
}

/**
 * Call an endpoint of the contract and return the envelope's `object`, decoded. Throws a CallFailure for anything
 * but success. If the session has ended, it also leads to sign-in.
 */
export async function call<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Thing extends z.ZodType,
>(
  endpoint: Endpoint<Params, Query, Body, Thing>,
  ...given: EndpointInput<Input<Params, Query, Body>>
): Promise<z.output<Thing>> {
  return (await callForAnswer(endpoint, ...given)).object;
}

/** As `call`, with the envelope's message, for the few screens that show it. */
export async function callForAnswer<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Thing extends z.ZodType,
>(
  endpoint: Endpoint<Params, Query, Body, Thing>,
  ...[input]: EndpointInput<Input<Params, Query, Body>>
): Promise<Answer<z.output<Thing>>> {
  const wanted: { params?: unknown; query?: unknown; body?: unknown; signal?: AbortSignal } =
    input ?? {};
  const body = endpoint.method === "GET" ? undefined : encoded(endpoint.body, wanted.body);
  const address = addressOf(endpoint, wanted);
  const received =
    (endpoint.method === "GET" ? preloadedAnswer(address) : null) ??
    (await sendIdempotently(endpoint, { address, body }, (key) =>
      sendPermitted(endpoint, () =>
        send(endpoint.method, address, body, { signal: wanted.signal, key, owner: pageOwner() }),
      ),
    ));
  return readEnvelope(endpoint.object, received);
}

/** As `call`, for an endpoint that takes a file. */
export async function callWithFile<Query extends z.ZodType, Thing extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, Query, z.ZodType, Thing>,
  { query, file }: { query: z.output<Query>; file: Blob },
): Promise<z.output<Thing>> {
  const payload = { type: endpoint.fileMediaType ?? file.type, file, owner: pageOwner() };
  const address = addressOf(endpoint, { query });
  const received = await sendPermitted(endpoint, () => sendFile(endpoint.method, address, payload));
  return readEnvelope(endpoint.object, received).object;
}

/** As `call`, for an endpoint that answers with a file. */
export async function callForFile<Params extends z.ZodType, Query extends z.ZodType>(
  endpoint: Endpoint<Params, Query>,
  given: { params: z.output<Params>; query: z.output<Query> },
): Promise<File> {
  const received = await fetchFile(addressOf(endpoint, given), pageOwner());
  if (received instanceof File) return received;
  throw failureOf(received, Frame.safeParse(received.json).data);
}

/** The answer that came with the page, if its first screen needs this address. */
function preloadedAnswer(address: string): ServerAnswer | null {
  const json = takePreloadedAnswer(address);
  return json === undefined ? null : { ok: true, status: 200, headers: new Headers(), json };
}

function addressOf(
  { path, params, query }: Endpoint,
  given: { params?: unknown; query?: unknown },
): string {
  return withParams(path, encoded(params, given.params)) + queryString(encoded(query, given.query));
}

/**
 * Send a request. A refused change is sent once more if its CSRF token was an ended session's (the same person has
 * signed in again in another tab), or after the user confirmed who they are. In someone else's session the server
 * refuses it each time.
 */
async function sendPermitted(
  { method }: Endpoint,
  sendOnce: () => Promise<ServerAnswer>,
): Promise<ServerAnswer> {
  const first = await sendOnce();
  const isRefused = first.status === 403 && method !== "GET";
  const isAskedForToken = isRefused && !needsConfirmation(first) && !isOtherOwners(first);
  const received = isAskedForToken && (await renewCsrfToken()) ? await sendOnce() : first;
  return needsConfirmation(received) && (await askForConfirmation()) ? await sendOnce() : received;
}

/**
 * Turn a form's values into a call's body: trims text, reads amounts. Throws a CallFailure with a sentence for each
 * name that the contract refuses; nothing has been sent then.
 */
export function requestBody<Body extends z.ZodType>(
  endpoint: { body: Body },
  typed: z.input<Body>,
): z.output<Body> {
  const read = z.safeDecode(endpoint.body, typed, { reportInput: true });
  if (read.success) return read.data;
  throw refusedInput(read.error);
}

function encoded(shape: z.ZodType, value: unknown): Record<string, unknown> {
  const written = z.safeEncode(shape, value ?? {}, { reportInput: true });
  if (!written.success) throw refusedInput(written.error);
  return z.record(z.string(), z.unknown()).parse(written.data);
}

function refusedInput(error: z.core.$ZodError): CallFailure {
  const errors = fieldErrors(error);
  return new CallFailure("not sent", errors[0]?.message ?? "The request is not valid.", errors);
}

function withParams(path: string, params: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function queryString(query: Record<string, unknown>): string {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

// Two endpoints of spec §7 answer the object without an envelope.
const Frame = Envelope.partial({ object: true, message: true });

function readEnvelope<Thing extends z.ZodType>(
  shape: Thing,
  received: ServerAnswer,
): Answer<z.output<Thing>> {
  const frame = Frame.safeParse(received.json);
  const message = frame.data?.message ?? null;
  if (!received.ok || !frame.data?.success) throw failureOf(received, frame.data);
  const object = z.safeDecode(
    shape,
    (frame.data.object === undefined ? received.json : frame.data.object) as z.input<Thing>,
  );
  if (object.success) return { object: object.data, message };
  throw new CallFailure(
    received.status,
    "The server's answer could not be read. Reload the page and try again.",
  );
}

/**
 * Why the call failed, in a sentence. If the session has ended or belongs to someone else, the page asks who is
 * signed in.
 */
function failureOf(received: ServerAnswer, frame: z.output<typeof Frame> | undefined): CallFailure {
  const { status } = received;
  const hasEnded = status === 401 || isOtherOwners(received);
  if (hasEnded) recheckSession();
  return new CallFailure(
    hasEnded ? "session ended" : status,
    hasEnded
      ? "Your session ended before this was done. Try again."
      : (frame?.message ?? `The server did not answer as expected (${status}). Please try again.`),
    frame?.errors,
  );
}
