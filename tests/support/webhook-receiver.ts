import { lookup } from "node:dns";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import type { Db } from "#kit/db/database.ts";
import { isLoopback } from "#kit/ops/loopback.ts";
import { type EventType, eventTypes } from "#outgoing/webhooks/contract.ts";
import type { AddressPolicy } from "#outgoing/webhooks/public-address.ts";
import { encryptedSecret, newWebhookSecret } from "#outgoing/webhooks/webhook-secrets.ts";

export interface ReceivedPost {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Receivers in tests listen only on this machine, without TLS; the product's own rules would reach none of
 * them.
 */
export const loopbackOnly: AddressPolicy = {
  isAllowed: isLoopback,
  resolve: lookup,
  allowsHttp: true,
  refusesAfterMs: 0,
};

/** A receiver's answer: a status with its headers, or none, or it hangs up after reading everything. */
export type Mood =
  | { status: number; headers?: Record<string, string>; body?: string }
  | "hangs"
  | "hangs up";

/** A real HTTP server on loopback that can misbehave. `received` has all requests. */
export class WebhookReceiver {
  readonly received: ReceivedPost[] = [];
  mood: Mood = { status: 204 };
  readonly #hanging: ServerResponse[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, answer) => void this.#take(request, answer));
  }

  async #take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await text(request);
    this.received.push({ path: request.url ?? "", headers: request.headers, body });
    if (this.mood === "hangs") this.#hanging.push(answer);
    else if (this.mood === "hangs up") request.socket.destroy();
    else answer.writeHead(this.mood.status, this.mood.headers).end(this.mood.body);
  }

  /** Answer the oldest of the unanswered posts. */
  answerOneThatHangs({ status, headers }: Exclude<Mood, string>): void {
    this.#hanging.shift()?.writeHead(status, headers).end();
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** The messages, verified by the library that receivers use. Throws for a post with a wrong signature. */
  verified(secret: string): { type: string; timestamp: string; data: Record<string, unknown> }[] {
    return this.received.map(({ body, headers }) => {
      const signed = z.record(z.string(), z.string()).parse(headers);
      return Payload.parse(new Webhook(secret).verify(body, signed));
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const Payload = z.strictObject({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

/** A network's endpoint at any address: the API would refuse this machine's. */
export async function anEndpoint(
  { db, secret: appSecret }: { db: Db; secret: string },
  { id: networkId }: { id: number },
  { url, types = eventTypes }: { url: string; types?: readonly EventType[] },
): Promise<{ id: number; secret: string }> {
  const secret = newWebhookSecret();
  const { id } = await db
    .insertInto("webhookEndpoints")
    .values({
      networkId,
      url,
      eventTypes: [...types],
      ...encryptedSecret(secret, networkId, appSecret),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, secret };
}

/** The messages of a network, in order. */
export async function messagesOf(db: Db, { id: networkId }: { id: number }) {
  return await db
    .selectFrom("webhookMessages")
    .select(["type", "data"])
    .where("networkId", "=", networkId)
    .orderBy("id")
    .execute();
}
