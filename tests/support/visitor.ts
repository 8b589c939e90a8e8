import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { Envelope, type FieldError } from "#kit/contract/envelope.ts";
import { csrfToken, newVisitorSecret, visitorCookieName } from "#kit/http/csrf.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { checkExactAnswer } from "#tests/support/exact-answers.ts";
import type { RunningApp } from "#tests/support/running-app.ts";

export interface Reply<Thing = unknown> {
  status: number;
  /** As on the wire: amounts are text. */
  object: Thing;
  message: string | null;
  errors: FieldError[];
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  bytes: Buffer;
}

export interface Asked {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface RawRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  /** Sent as it is. */
  payload?: string | Buffer;
}

/** A program with a cookie jar and the CSRF token of its page: a browser, to the server. */
export class Visitor {
  readonly app: RunningApp;
  readonly cookies = new Map<string, string>();
  csrf: string;
  address = "127.0.0.1";

  constructor(app: RunningApp) {
    this.app = app;
    const visitorSecret = newVisitorSecret();
    this.cookies.set(visitorCookieName(app.isSecure), visitorSecret);
    this.csrf = csrfToken({ sessionToken: null, visitorSecret }, app.secret);
  }

  /** Send anything and return the answer; remembers cookies. An answer of 5xx fails the test. */
  async sendRaw({ method, url, headers, payload }: RawRequest): Promise<Reply> {
    const answer = await this.app.server.inject({
      method: method as "GET",
      url,
      remoteAddress: this.address,
      headers: {
        ...(this.cookies.size > 0 && {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        }),
        ...headers,
      },
      payload,
    });
    for (const cookie of answer.cookies) {
      if (cookie.maxAge === 0 || cookie.value === "") this.cookies.delete(cookie.name);
      else this.cookies.set(cookie.name, encodeURIComponent(cookie.value));
    }
    const status = answer.statusCode;
    if (status >= 500) throw new Error(`${method} ${url} answered ${status}: ${answer.body}`);
    const isJson =
      answer.body !== "" && String(answer.headers["content-type"]).startsWith("application/json");
    if (isJson && status < 300)
      checkExactAnswer(this.app.server.endpoints, { method, url, json: parsed(answer.body) });
    const frame = isJson ? Envelope.safeParse(parsed(answer.body)) : null;
    return {
      status,
      object: frame?.data?.object ?? null,
      message: frame?.data?.message ?? null,
      errors: frame?.data?.errors ?? [],
      headers: answer.headers,
      text: answer.body,
      bytes: answer.rawPayload,
    };
  }

  /** Send JSON with the CSRF token. */
  async send(method: string, url: string, body?: unknown): Promise<Reply> {
    return await this.sendRaw({
      method,
      url,
      headers: {
        "x-csrf-token": this.csrf,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      payload: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  /** Make a call of the contract with any input, good or bad; a good answer must match the contract. */
  async ask<Thing extends z.ZodType>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Thing>,
    asked: Asked = {},
  ): Promise<Reply<z.input<Thing>>> {
    const reply = await this.sendRaw(this.requestOf(endpoint, asked));
    const { success, object } = Envelope.parse(JSON.parse(reply.text));
    if (success !== reply.status < 300) throw new Error(`${reply.status} with ${reply.text}`);
    if (success) z.decode(endpoint.object, object as z.input<Thing>);
    return { ...reply, object: object as z.input<Thing> }; // just decoded, or null
  }

  /** A call of the contract as it is sent: JSON, or the file that the call takes. */
  requestOf(
    { method, path, fileMediaType }: Pick<Endpoint, "method" | "path" | "fileMediaType">,
    asked: Asked,
  ): RawRequest {
    const url = addressOf(path, asked);
    if (method === "GET") return { method, url };
    const headers = {
      "x-csrf-token": this.csrf,
      "content-type": fileMediaType ?? "application/json",
    };
    const payload =
      fileMediaType && (typeof asked.body === "string" || Buffer.isBuffer(asked.body))
        ? asked.body
        : JSON.stringify(asked.body ?? {});
    return { method, url, headers, payload };
  }

  /** Make a call that must succeed. Returns the decoded object, amounts in cents. */
  async call<Thing extends z.ZodType>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Thing>,
    asked: Asked = {},
  ): Promise<z.output<Thing>> {
    const reply = await this.ask(endpoint, asked);
    if (reply.status >= 300)
      throw new Error(`${endpoint.method} ${endpoint.path}: ${reply.status} ${reply.text}`);
    return z.decode(endpoint.object, reply.object);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`An answer marked as JSON is not JSON: ${text}`);
  }
}

/** The address of a call with its parameters and query filled in. */
export function addressOf(path: string, { params = {}, query = {} }: Asked): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  return text ? `${filled}?${text}` : filled;
}

/** Someone who has not signed in. */
export function aVisitor(app: RunningApp): Visitor {
  return new Visitor(app);
}

/** The network's administrator, or one of its attorneys, signed in until an instant (`aSession`). */
export async function signedIn(
  app: RunningApp,
  role: "admin" | MadeAttorney,
  network: MadeNetwork,
  until?: string,
): Promise<Visitor> {
  const { userId } = role === "admin" ? network.admin : await makeAccount(app.db, network, role);
  const { cookie, csrf } = await aSession(app, userId, until);
  const visitor = new Visitor(app);
  visitor.cookies.set(sessionCookieName(app.isSecure), cookie);
  visitor.csrf = csrf;
  return visitor;
}

/**
 * A session of an account, for an hour by default: the value of its cookie, and the CSRF token of its pages.
 */
export async function aSession(
  { db, secret }: Pick<RunningApp, "db" | "secret">,
  userId: number,
  expiresAt = new Date(Date.now() + 3_600_000).toISOString(),
): Promise<{ cookie: string; csrf: string }> {
  const token = randomBytes(24).toString("base64url");
  await db.insertInto("sessions").values({ userId, token, expiresAt }).execute();
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return {
    cookie: encodeURIComponent(`${token}.${signature}`),
    csrf: csrfToken({ sessionToken: token, visitorSecret: undefined }, secret),
  };
}
