import type { WebSocket } from "ws";
import type { Actor } from "#server/actor.ts";
import { parseObject, type Stream, streamFor } from "#features/realtime/channels.ts";

const greatestSubscriptions = 50;
const commandsPerSecond = 20;
const commandBurst = 100;
const greatestQueue = 200;
const slowBytes = 1024 * 1024;
const laggingBytes = 64 * 1024;
const laggingPings = 3;
const silentMs = 60_000;

export type DropReason = "too fast" | "slow reader" | "silent" | "session ended";

/**
 * One browser's socket speaking `actioncable-v1-json`: its subscriptions by identifier string, its
 * budget of commands, and whether it still reads. Commands are handled strictly in order.
 */
export class Connection {
  readonly socket: WebSocket;
  readonly address: string;
  /** Set once the session is known; commands that came before wait for it. */
  actor: Actor | null = null;
  expiresAt = 0;
  readonly subscriptions = new Map<string, Stream>();
  #early: string[] = [];
  #budget = commandBurst;
  #budgetAt = Date.now();
  #lagging = 0;
  #pongAt = Date.now();

  constructor(socket: WebSocket, address: string) {
    this.socket = socket;
    this.address = address;
    // Listeners before anything is awaited: early frames would be lost, and an error that nobody hears
    // ends the process. The library itself closes a socket in error, with the right code.
    socket.on("error", () => undefined);
    socket.on("pong", () => (this.#pongAt = Date.now()));
    socket.on("message", (frame, isBinary) => {
      if (!isBinary) this.#receive(String(frame));
    });
  }

  /** Say welcome and run what arrived before. */
  begin(actor: Actor, expiresAt: number): void {
    this.actor = actor;
    this.expiresAt = expiresAt;
    this.send('{"type":"welcome"}');
    const early = this.#early;
    this.#early = [];
    for (const command of early) this.#handle(command, actor);
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > slowBytes) this.drop("slow reader");
    else this.socket.send(text);
  }

  /** The ping of the whole process; also where a reader that lags or has vanished is found out. */
  ping(text: string, probe: boolean): void {
    this.#lagging = this.socket.bufferedAmount > laggingBytes ? this.#lagging + 1 : 0;
    if (this.#lagging >= laggingPings) return this.drop("slow reader");
    if (Date.now() - this.#pongAt > silentMs) return this.drop("silent");
    if (Date.now() >= this.expiresAt) return this.disconnect("remote", false);
    if (probe) this.socket.ping();
    this.send(text);
  }

  disconnect(reason: "unauthorized" | "server_restart" | "remote", reconnect: boolean): void {
    this.send(JSON.stringify({ type: "disconnect", reason, reconnect }));
    this.subscriptions.clear();
    this.socket.close(1000);
  }

  drop(_reason: DropReason): void {
    this.subscriptions.clear();
    this.socket.terminate();
  }

  #receive(text: string): void {
    if (!this.#mayCommand()) return this.drop("too fast");
    if (this.actor) this.#handle(text, this.actor);
    else if (this.#early.push(text) > greatestQueue) this.drop("too fast");
  }

  #mayCommand(): boolean {
    const now = Date.now();
    this.#budget = Math.min(
      commandBurst,
      this.#budget + ((now - this.#budgetAt) / 1000) * commandsPerSecond,
    );
    this.#budgetAt = now;
    this.#budget -= 1;
    return this.#budget >= 0;
  }

  #handle(text: string, actor: Actor): void {
    const command = parseObject(text);
    const identifier = command?.identifier;
    if (typeof identifier !== "string") return;
    if (command?.command === "subscribe") this.#subscribe(identifier, actor);
    if (command?.command === "unsubscribe") this.subscriptions.delete(identifier);
  }

  /** Subscribing again is confirmed again and delivered once: the client repeats itself until then. */
  #subscribe(identifier: string, actor: Actor): void {
    const isKnown = this.subscriptions.has(identifier);
    const stream = streamFor(actor, identifier);
    if (!stream || (!isKnown && this.subscriptions.size >= greatestSubscriptions)) {
      this.send(JSON.stringify({ identifier, type: "reject_subscription" }));
      return;
    }
    this.subscriptions.set(identifier, stream);
    this.send(JSON.stringify({ identifier, type: "confirm_subscription" }));
  }
}
