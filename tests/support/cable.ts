import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { vi } from "vitest";
import { WebSocket } from "ws";
import { inTransaction } from "#kit/db/transaction.ts";
import { notifyOnCommit, type Topic } from "#kit/db/changes.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

export const cableOrigin = "http://localhost:3000";
export const cableProtocols = ["actioncable-v1-json", "actioncable-unsupported"];

export interface Frame {
  type?: string;
  identifier?: string;
  message?: unknown;
  reason?: string;
  reconnect?: boolean;
}

/** Let a server listen on a port of its own, and receive changes. Returns the address of its cable. */
export async function cableOf(app: RunningApp): Promise<string> {
  if (!app.server.server.listening) {
    await app.server.listen({ port: 0, host: "127.0.0.1" });
    const isReady = async () => (await app.server.inject("/readyz")).statusCode === 200;
    await vi.waitUntil(isReady, 120_000);
  }
  const address = app.server.server.address();
  if (typeof address !== "object" || !address) throw new Error("The server does not listen.");
  return `ws://127.0.0.1:${address.port}/cable`;
}

/** A visitor's session token. */
export function sessionTokenOf(visitor: Visitor): string {
  const cookie = decodeURIComponent(visitor.cookies.get(sessionCookieName(false)) ?? "");
  return cookie.slice(0, cookie.lastIndexOf("."));
}

export function cookiesOf(visitor: Visitor): string {
  return [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** The identifier of an administrator's channel, as the official client writes it. */
export function adminIdentifier(network: MadeNetwork, channel = "LrsSubscriptionsChannel"): string {
  return JSON.stringify({ channel, user_id: network.admin.userId });
}

/** A socket that speaks Action Cable by hand and records every frame, in order. */
export class CableSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly texts: string[] = [];
  readonly times: number[] = [];
  readonly closed: Promise<number>;
  #waiting: (() => void)[] = [];

  constructor(url: string, headers: Record<string, string>, protocols = cableProtocols) {
    this.socket = new WebSocket(url, protocols, { headers });
    this.closed = new Promise((resolve) =>
      this.socket.on("close", (code) => {
        resolve(code);
        this.#wake();
      }),
    );
    this.socket.on("error", () => this.#wake());
    this.socket.on("message", (data) => {
      const text = data instanceof Buffer ? data.toString() : "";
      this.texts.push(text);
      this.frames.push(JSON.parse(text));
      this.times.push(Date.now());
      this.#wake();
    });
  }

  /** The first matching frame, from index `from` on; rejects if the socket closes first. */
  async frame(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    for (;;) {
      const found = this.frames.slice(from).find(fits);
      if (found) return found;
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`The socket closed with ${JSON.stringify(this.frames)}.`);
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
  }

  send(command: object): void {
    this.socket.send(JSON.stringify(command));
  }

  /** Subscribe. Resolves with whether it was confirmed. */
  async subscribe(identifier: string): Promise<boolean> {
    const from = this.frames.length;
    this.send({ command: "subscribe", identifier });
    const answer = await this.frame(
      (frame) => frame.identifier === identifier && frame.type !== undefined,
      from,
    );
    return answer.type === "confirm_subscription";
  }

  /** Commands are handled in order: once this one is answered, all earlier ones are done. */
  async settled(): Promise<void> {
    await this.subscribe(`fence ${this.frames.length} ${Math.random()}`);
  }

  /** All frames except pings, which are timed. */
  said(from = 0): Frame[] {
    return this.frames.slice(from).filter((frame) => frame.type !== "ping");
  }

  /** Messages delivered under an identifier, in order. */
  deliveries(identifier: string): unknown[] {
    return this.frames
      .filter((frame) => frame.identifier === identifier && frame.type === undefined)
      .map((frame) => frame.message);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

/** A signed-in person's socket, welcomed. */
export async function aSocket(app: RunningApp, visitor: Visitor): Promise<CableSocket> {
  const socket = new CableSocket(await cableOf(app), {
    origin: cableOrigin,
    cookie: cookiesOf(visitor),
  });
  await socket.frame((frame) => frame.type === "welcome");
  return socket;
}

/** The network's administrator, connected. */
export async function anAdminSocket(app: RunningApp, network: MadeNetwork): Promise<CableSocket> {
  return await aSocket(app, await signedIn(app, "admin", network));
}

/** The server's answer to a refused upgrade. */
export async function refusedUpgrade(
  url: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const socket = new WebSocket(url, cableProtocols, { headers });
  socket.on("error", () => undefined);
  const [, answer] = await Promise.race([
    once(socket, "unexpected-response"),
    once(socket, "open").then(() => [null, { statusCode: 101 }]),
  ]);
  socket.terminate();
  return answer.statusCode;
}

/** The whole answer to a refused upgrade. */
export async function refusalOfUpgrade(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; retryAfter: string | undefined; body: unknown }> {
  const socket = new WebSocket(url, cableProtocols, { headers });
  socket.on("error", () => undefined);
  const answer = await new Promise<IncomingMessage>((resolve) =>
    socket.on("unexpected-response", (_, received) => resolve(received)),
  );
  return {
    status: answer.statusCode,
    retryAfter: answer.headers["retry-after"],
    body: await json(answer),
  };
}

/**
 * The smallest of up to twenty measurements; stops once one is below the limit, since other work may slow the
 * machine. `measure` gets the index.
 */
export async function quickest(
  measure: (number: number) => Promise<number>,
  shortMs = 200,
): Promise<number> {
  let least = Infinity;
  for (let number = 1; number <= 20 && least >= shortMs; number += 1)
    least = Math.min(least, await measure(700_000 + number));
  return least;
}

/** Commit a change that concerns an attorney, or many (null). */
export async function commitChange(
  db: Db,
  networkId: number,
  attorneyId: number | null,
  topic: Topic = "subscriptions",
): Promise<void> {
  await inTransaction(db, async (tx) => notifyOnCommit(tx, networkId, attorneyId, topic));
}
