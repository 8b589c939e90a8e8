import { z } from "zod";
import type { Endpoint } from "#contract/endpoint.ts";
import { Envelope } from "#contract/envelope.ts";
import { fieldErrors } from "#contract/validation-messages.ts";
import { showSession } from "#features/auth/contract.ts";
import { CallFailure } from "#web/call-failure.tsx";
import { takePageAnswer } from "#web/page-answers.tsx";
import { renewCsrfToken } from "#web/page-meta.tsx";
import { type Received, send, sendFile } from "#web/send.tsx";
import { leaveForSignIn } from "#web/sign-in-redirect.tsx";
import { leaveWithoutAsking } from "#web/unsaved-changes.tsx";

type Part<Name extends string, Shape extends z.ZodType> =
  Record<never, never> extends z.output<Shape>
    ? { [name in Name]?: z.output<Shape> }
    : { [name in Name]: z.output<Shape> };

/** What a call needs, as the contract names and types it: amounts in cents, ids as numbers. */
export type Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Part<
  "params",
  Params
> &
  Part<"query", Query> &
  Part<"body", Body>;

/** An input that may be left out when the call needs none. */
export type Given<Wanted> =
  Record<never, never> extends Wanted ? [input?: Wanted] : [input: Wanted];

export interface Answer<Thing> {
  object: Thing;
  message: string | null;
}

/**
 * Make a call of the contract and give back the envelope's `object`, decoded. Throws a CallFailure
 * for anything but success; when the session has ended, it leads to signing in besides.
 */
export async function call<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Thing extends z.ZodType,
>(
  endpoint: Endpoint<Params, Query, Body, Thing>,
  ...given: Given<Input<Params, Query, Body>>
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
  ...[input]: Given<Input<Params, Query, Body>>
): Promise<Answer<z.output<Thing>>> {
  const wanted: { params?: unknown; query?: unknown; body?: unknown } = input ?? {};
  const body = endpoint.method === "GET" ? undefined : encoded(endpoint.body, wanted.body);
  const address = addressOf(endpoint, wanted);
  const received =
    (endpoint.method === "GET" ? fromPage(address) : null) ??
    (await withToken(endpoint, () => send(endpoint.method, address, body)));
  return open(endpoint.object, received);
}

/** Make a call that takes a file, and give back the envelope's `object`, decoded. As `call` else. */
export async function callWithFile<Query extends z.ZodType, Thing extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, Query, z.ZodType, Thing>,
  { query, file }: { query: z.output<Query>; file: Blob },
): Promise<z.output<Thing>> {
  const payload = { type: endpoint.fileMediaType ?? file.type, file };
  const address = addressOf(endpoint, { query });
  const received = await withToken(endpoint, () => sendFile(endpoint.method, address, payload));
  return open(endpoint.object, received).object;
}

/** The answer that came with the page already, where this is what its first screen asks. */
function fromPage(address: string): Received | null {
  const json = takePageAnswer(address);
  return json === undefined ? null : { ok: true, status: 200, headers: new Headers(), json };
}

function addressOf(
  { path, params, query }: Endpoint,
  given: { params?: unknown; query?: unknown },
): string {
  return withParams(path, encoded(params, given.params)) + queryString(encoded(query, given.query));
}

let owner: number | null = null;

/** Whose page this is: what is typed on it is sent in nobody else's name. */
export function pageBelongsTo(userId: number): void {
  owner = userId;
}

/** Send a request, and a refused change once more where its token was of a session that is over. */
async function withToken({ method }: Endpoint, sent: () => Promise<Received>): Promise<Received> {
  const received = await sent();
  const isRefused = received.status === 403 && method !== "GET";
  return isRefused && (await hasNewToken()) ? await sent() : received;
}

/**
 * A change was refused, maybe because its token is of a session that has been followed by another
 * one, of the same person in another tab: answers whether the page has a token of that one now. When
 * it is somebody else's, the page and what was typed on it are gone.
 */
async function hasNewToken(): Promise<boolean> {
  if (owner === null) return false;
  const { user } = await call(showSession);
  if (!user) return false;
  if (user.id === owner) return await renewCsrfToken();
  leaveWithoutAsking("/");
  throw new CallFailure("session ended", "Somebody else has signed in.");
}

/**
 * Turn what a form holds into the body of a call: trims, reads amounts. Throws a CallFailure with a
 * sentence for each name that the contract refuses; nothing has been sent then.
 */
export function bodyOf<Body extends z.ZodType>(
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

// Two calls of spec §7 answer without an envelope: what they answer is itself the object.
const Frame = Envelope.partial({ object: true, message: true });

function open<Thing extends z.ZodType>(shape: Thing, received: Received): Answer<z.output<Thing>> {
  const frame = Frame.safeParse(received.json);
  const message = frame.data?.message ?? null;
  if (!received.ok || !frame.data?.success) {
    const hasEnded = received.status === 401;
    if (hasEnded) leaveForSignIn();
    throw new CallFailure(
      hasEnded ? "session ended" : received.status,
      hasEnded
        ? "Your session had ended, so this was not done. Try again."
        : (message ??
            `The server did not answer as expected (${received.status}). Please try again.`),
      frame.data?.errors,
    );
  }
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
