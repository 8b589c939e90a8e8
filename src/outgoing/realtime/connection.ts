import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Person } from "#kit/domain/actor.ts";
import { parseObject, type Stream, streamFor } from "#outgoing/realtime/channels.ts";
import type { SendQueues } from "#outgoing/realtime/send-queues.ts";

const maxSubscriptions = 50;
/** Each message repeats its identifier; ours have fewer than a hundred bytes. */
const maxIdentifierBytes = 512;
const maxLongIdentifiers = 10;
const commandsPerSecond = 20;
const commandBurst = 100;
const slowBytes = 1024 * 1024;
const laggingBytes = 64 * 1024;
const laggingPings = 3;
const silentMs = 60_000;

export type DropReason = "too fast" | "slow reader" | "silent" | "long identifiers";

/** A connection's events, for the log and the metrics. */
export interface ConnectionEvents {
  onRejected(): void;
  /** Something other than a command was received and ignored. */
  onIgnored(): void;
  onDropped(reason: DropReason): void;
}

/**
 * One browser's `actioncable-v1-json` socket: its subscriptions by identifier string, its command budget and whether
 * it still reads. Commands are handled strictly in order.
 */
export class Connection {
  readonly socket: WebSocket;
  readonly actor: Person & { sessionExpiresAt: string };
  readonly subscriptions = new Map<string, Stream>();
  /** The stream that ws writes to. Without compression, ws itself buffers nothing. */
  readonly #stream: Duplex;
  readonly #events: ConnectionEvents;
  readonly #queues: SendQueues;
  readonly #queue: ReturnType<SendQueues["join"]>;
  readonly #expiresAt: number;
  #budget = commandBurst;
  #budgetAt = Date.now();
  #longIdentifiers = 0;
  #lagging = 0;
  #pongAt = Date.now();

  constructor(
    { socket, stream }: { socket: WebSocket; stream: Duplex },
    actor: Person & { sessionExpiresAt: string },
    { events, queues }: { events: ConnectionEvents; queues: SendQueues },
  ) {
    this.socket = socket;
    this.#stream = stream;
    this.actor = actor;
    this.#events = events;
    this.#queues = queues;
    this.#queue = queues.join();
    this.#expiresAt = Date.parse(actor.sessionExpiresAt);
    socket.on("close", () => this.#queue.leave());
    socket.on("pong", () => (this.#pongAt = Date.now()));
    socket.on("ping", () => {
      if (!this.#mayCommand()) this.#drop("too fast"); // ws answers the ping
    });
    socket.on("message", (frame, isBinary) =>
      this.#receive(isBinary || !(frame instanceof Buffer) ? "" : frame.toString()),
    );
    this.send('{"type":"welcome"}');
  }

  hasExpired(): boolean {
    return Date.now() >= this.#expiresAt;
  }

  send(text: string): void {
    this.#write(() => this.socket.send(text, this.#updateQueue));
  }

  /** Write finished frames directly, because ws would make them again. */
  sendFrames(bytes: Buffer): void {
    this.#write(() => this.#stream.write(bytes, this.#updateQueue));
  }

  /** Disconnects a client that does not read before its queue grows large. It reconnects and refetches. */
  #write(write: () => void): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > slowBytes) return this.#drop("slow reader");
    write();
    this.#updateQueue();
    if (this.#queues.isTooMuch(this.socket.bufferedAmount)) this.#drop("slow reader");
  }

  /** Called after each write and again once it is sent. */
  readonly #updateQueue = (): void => this.#queue.update(this.socket.bufferedAmount);

  /** Send a ping. Disconnects clients that lag, have vanished, or whose session has expired. */
  ping(text: string, isProbe: boolean): void {
    this.#lagging = this.socket.bufferedAmount > laggingBytes ? this.#lagging + 1 : 0;
    if (this.#lagging >= laggingPings) return this.#drop("slow reader");
    if (Date.now() - this.#pongAt > silentMs) return this.#drop("silent");
    if (this.hasExpired()) return this.disconnect("remote", false);
    if (isProbe) this.socket.ping();
    this.send(text);
  }

  disconnect(reason: "server_restart" | "remote" | "invalid_request", reconnect: boolean): void {
    this.send(JSON.stringify({ type: "disconnect", reason, reconnect }));
    this.subscriptions.clear();
    this.socket.close(1000);
  }

  #drop(reason: DropReason): void {
    this.subscriptions.clear();
    this.socket.terminate();
    this.#events.onDropped(reason);
  }

  #receive(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (!this.#mayCommand()) return this.#drop("too fast");
    const command = parseObject(text);
    const identifier = command?.identifier;
    if (typeof identifier !== "string") this.#events.onIgnored();
    else if (command?.command === "subscribe") this.#subscribe(identifier);
    else if (command?.command === "unsubscribe") this.subscriptions.delete(identifier);
    else this.#events.onIgnored(); // "message" too: no channel has actions
  }

  #mayCommand(): boolean {
    const now = Date.now();
    const earned = ((now - this.#budgetAt) / 1000) * commandsPerSecond;
    this.#budget = Math.min(commandBurst, this.#budget + earned) - 1;
    this.#budgetAt = now;
    return this.#budget >= 0;
  }

  /** A repeated subscribe is confirmed again and delivered once: clients repeat it until confirmed. */
  #subscribe(identifier: string): void {
    if (Buffer.byteLength(identifier) > maxIdentifierBytes) return this.#refuseLong(identifier);
    const isKnown = this.subscriptions.has(identifier);
    const stream = streamFor(this.actor, identifier);
    const isRefused = !isKnown && this.subscriptions.size >= maxSubscriptions;
    if (stream && !isRefused) this.subscriptions.set(identifier, stream);
    else this.#events.onRejected();
    const type = stream && !isRefused ? "confirm_subscription" : "reject_subscription";
    this.send(JSON.stringify({ identifier, type }));
  }

  /** The identifier is not stored. A client that sends several is disconnected and told not to reconnect. */
  #refuseLong(identifier: string): void {
    this.#longIdentifiers += 1;
    this.#events.onRejected();
    this.send(JSON.stringify({ identifier, type: "reject_subscription" }));
    if (this.#longIdentifiers < maxLongIdentifiers) return;
    this.#events.onDropped("long identifiers");
    this.disconnect("invalid_request", false);
  }
}
