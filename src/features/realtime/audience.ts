import type { Change } from "#server/changes.ts";
import { bulkMessageFor, hears, messageFor, type Stream } from "#features/realtime/channels.ts";
import type { Connection } from "#features/realtime/connection.ts";

const rememberEndedMs = 20_000;
const greatestBulkSpreadMs = 3_000;

/**
 * Everyone connected to this process. What the line to the other processes says is passed on to
 * those who may hear it; while it is down nobody hears anything, and once it is back and ended
 * sessions have been seen to, everybody is told to refetch.
 */
export class Audience {
  readonly connections = new Set<Connection>();
  /** Grows whenever the line goes down or comes back: what was known of sessions before may be old. */
  turn = 0;
  deliveries = 0;
  gaps = 0;
  #waiting: Change[] = [];
  readonly #recentlyEnded = new Set<number>();
  #hears = false;

  add(connection: Connection): void {
    this.connections.add(connection);
    connection.socket.on("close", () => this.connections.delete(connection));
  }

  /** Whether a session has ended just now, perhaps while it was being looked up. */
  hasEnded(sessionId: number): boolean {
    return this.#recentlyEnded.has(sessionId);
  }

  pause(): void {
    this.#deliver();
    this.#hears = false;
    this.turn += 1;
    this.gaps += 1;
  }

  /**
   * Hear again, once `stillOpen` has said which of the sessions are: a session may have ended while
   * nobody heard. Throws what `stillOpen` throws; nobody hears then.
   */
  async resume(stillOpen: (sessionIds: number[]) => Promise<Set<number>>): Promise<void> {
    this.turn += 1;
    const { turn } = this;
    await this.closeEnded(stillOpen);
    if (turn !== this.turn) return;
    this.#hears = true;
    for (const connection of this.connections)
      setTimeout(() => this.#sendBulk(connection), Math.random() * greatestBulkSpreadMs);
  }

  /**
   * Pass on changes as soon as what came with them has been read: each connection is written to once
   * for all of them, which is what a process can do without end while one write a message is not.
   */
  tell(changes: Change[]): void {
    if (!this.#hears || changes.length === 0) return;
    if (this.#waiting.length === 0) setImmediate(() => this.#deliver());
    this.#waiting.push(...changes);
  }

  /** One frame per change and identifier string, whoever holds it. */
  #deliver(): void {
    const changes = this.#waiting;
    this.#waiting = [];
    if (!this.#hears) return;
    const frames = new Map<string, Frames>();
    for (const connection of this.connections) {
      if (connection.hasExpired()) continue;
      const { networkId } = connection.actor;
      for (const [identifier, stream] of connection.subscriptions) {
        const key = `${networkId} ${stream} ${identifier}`;
        const heard = frames.get(key) ?? framesOf(identifier, { networkId, stream, changes });
        frames.set(key, heard);
        if (heard.count === 0) continue;
        connection.sendFrames(heard.bytes);
        this.deliveries += heard.count;
      }
    }
  }

  end(sessionIds: number[]): void {
    this.#deliver(); // what was said before it
    for (const id of sessionIds) this.#recentlyEnded.add(id);
    setTimeout(() => {
      for (const id of sessionIds) this.#recentlyEnded.delete(id);
    }, rememberEndedMs).unref();
    this.#close(new Set(sessionIds));
  }

  /** Close the sockets of sessions that are not open any more. */
  async closeEnded(stillOpen: (sessionIds: number[]) => Promise<Set<number>>): Promise<void> {
    const asked = [...new Set([...this.connections].map(({ actor }) => actor.sessionId))];
    if (asked.length === 0) return;
    const open = await stillOpen(asked);
    this.#close(new Set(asked.filter((id) => !open.has(id))));
  }

  #close(endedSessionIds: Set<number>): void {
    for (const connection of this.connections)
      if (endedSessionIds.has(connection.actor.sessionId)) connection.disconnect("remote", false);
  }

  #sendBulk(connection: Connection): void {
    if (connection.hasExpired()) return;
    for (const [identifier, stream] of connection.subscriptions) {
      connection.send(frameOf(identifier, JSON.stringify(bulkMessageFor(stream))));
      this.deliveries += 1;
    }
  }
}

interface Frames {
  bytes: Buffer;
  count: number;
}

function framesOf(
  identifier: string,
  { networkId, stream, changes }: { networkId: number; stream: Stream; changes: Change[] },
): Frames {
  const heard = changes.filter((change) => change.networkId === networkId && hears(stream, change));
  const texts = heard.map((change) => frameOf(identifier, JSON.stringify(messageFor(change))));
  return { bytes: Buffer.concat(texts.map(textFrame)), count: texts.length };
}

/** A WebSocket frame as a server sends it: whole, unmasked, uncompressed (RFC 6455, 5.2). */
function textFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const extended = body.length < 126 ? 0 : body.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extended);
  head[0] = 0x81;
  head[1] = { 0: body.length, 2: 126, 8: 127 }[extended];
  if (extended === 2) head.writeUInt16BE(body.length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

function frameOf(identifier: string, message: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":${message}}`;
}
