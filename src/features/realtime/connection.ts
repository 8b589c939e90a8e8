import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Actor } from "#domain/actor.ts";
import { parseObject, type Stream, streamFor } from "#features/realtime/channels.ts";
import type { SendQueues } from "#features/realtime/send-queues.ts";

const maxSubscriptions = 50;
/** An identifier is kept, and sent along with each message; ours have less than a hundred bytes. */
const maxIdentifierBytes = 512;
const maxLongIdentifiers = 10;
const commandsPerSecond = 20;
const commandBurst = 100;
const slowBytes = 1024 * 1024;
const laggingBytes = 64 * 1024;
const laggingPings = 3;
const silentMs = 60_000;

export type DropReason = "too fast" | "slow reader" | "silent" | "long identifiers";

/** What a connection tells of itself, for the log and the metrics. */
export interface ConnectionEvents {
  onRejected(): void;
  /** Something that is no command was received, and ignored. */
  onIgnored(): void;
  onDropped(reason: DropReason): void;
}

/**
 * One browser's socket speaking `actioncable-v1-json`: its subscriptions by identifier string, its
 * budget of commands, and whether it still reads. Commands are handled strictly in order.
 */
export class Connection {
  readonly socket: WebSocket;
  readonly actor: Actor & { sessionExpiresAt: string };
  readonly subscriptions = new Map<string, Stream>();
  /** What the library writes to; nothing of it waits there, since nothing is compressed. */
  readonly #stream: Duplex;
  readonly #observer: ConnectionEvents;
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
    actor: Actor & { sessionExpiresAt: string },
    { observer, queues }: { observer: ConnectionEvents; queues: SendQueues },
  ) {
    this.socket = socket;
    this.#stream = stream;
    this.actor = actor;
    this.#observer = observer;
    this.#queues = queues;
    this.#queue = queues.join();
    this.#expiresAt = Date.parse(actor.sessionExpiresAt);
    socket.on("close", () => this.#queue.leave());
    socket.on("pong", () => (this.#pongAt = Date.now()));
    socket.on("ping", () => {
      if (!this.#mayCommand()) this.#drop("too fast"); // the library answers it
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
    this.#write(() => this.socket.send(text, this.#noteQueue));
  }

  /** Frames that are made already, as one write past the library, which would make them once more. */
  sendFrames(bytes: Buffer): void {
    this.#write(() => this.#stream.write(bytes, this.#noteQueue));
  }

  /** Whoever does not read is cut off before much has piled up: they come back and refetch. */
  #write(write: () => void): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > slowBytes) return this.#drop("slow reader");
    write();
    this.#noteQueue();
    if (this.#queues.isTooMuch(this.socket.bufferedAmount)) this.#drop("slow reader");
  }

  /** After each write, and again once it has gone out. */
  readonly #noteQueue = (): void => this.#queue.waits(this.socket.bufferedAmount);

  /** The ping of the whole process; also where a reader that lags or has vanished is found out. */
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
    this.#observer.onDropped(reason);
  }

  #receive(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (!this.#mayCommand()) return this.#drop("too fast");
    const command = parseObject(text);
    const identifier = command?.identifier;
    if (typeof identifier !== "string") this.#observer.onIgnored();
    else if (command?.command === "subscribe") this.#subscribe(identifier);
    else if (command?.command === "unsubscribe") this.subscriptions.delete(identifier);
    else this.#observer.onIgnored(); // "message" too: no channel has actions
  }

  #mayCommand(): boolean {
    const now = Date.now();
    const earned = ((now - this.#budgetAt) / 1000) * commandsPerSecond;
    this.#budget = Math.min(commandBurst, this.#budget + earned) - 1;
    this.#budgetAt = now;
    return this.#budget >= 0;
  }

  /** Subscribing again is confirmed again and delivered once: the client repeats itself until then. */
  #subscribe(identifier: string): void {
    if (Buffer.byteLength(identifier) > maxIdentifierBytes) return this.#refuseLong(identifier);
    const isKnown = this.subscriptions.has(identifier);
    const stream = streamFor(this.actor, identifier);
    const isRefused = !isKnown && this.subscriptions.size >= maxSubscriptions;
    if (stream && !isRefused) this.subscriptions.set(identifier, stream);
    else this.#observer.onRejected();
    const type = stream && !isRefused ? "confirm_subscription" : "reject_subscription";
    this.send(JSON.stringify({ identifier, type }));
  }

  /** Nothing of it is kept; whoever goes on is told to stop for good. */
  #refuseLong(identifier: string): void {
    this.#longIdentifiers += 1;
    this.#observer.onRejected();
    this.send(JSON.stringify({ identifier, type: "reject_subscription" }));
    if (this.#longIdentifiers < maxLongIdentifiers) return;
    this.#observer.onDropped("long identifiers");
    this.disconnect("invalid_request", false);
  }
}
