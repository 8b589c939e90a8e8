import type { ChangeHint } from "#db/changes.ts";
import {
  bulkMessageFor,
  isConcernedBy,
  messageFor,
  type Stream,
} from "#features/realtime/channels.ts";
import type { Connection } from "#features/realtime/connection.ts";
import { SharedFrames } from "#features/realtime/shared-frames.ts";

const rememberEndedMs = 20_000;
const maxBulkSpreadMs = 3_000;
/** To one socket in one go: a page has two subscriptions, so that this is a thousand changes. */
const maxFramesAtOnce = 2_000;

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
  readonly #socketsOfUser = new Map<number, number>();
  #waiting: ChangeHint[] = [];
  readonly #recentlyEnded = new Set<number>();
  #hears = false;

  add(connection: Connection): void {
    const { userId } = connection.actor;
    this.connections.add(connection);
    this.#socketsOfUser.set(userId, this.socketsOf(userId) + 1);
    connection.socket.on("close", () => {
      this.connections.delete(connection);
      const left = this.socketsOf(userId) - 1;
      if (left > 0) this.#socketsOfUser.set(userId, left);
      else this.#socketsOfUser.delete(userId);
    });
  }

  socketsOf(userId: number): number {
    return this.#socketsOfUser.get(userId) ?? 0;
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
      setTimeout(() => this.#sendBulk(connection), Math.random() * maxBulkSpreadMs);
  }

  /**
   * Pass on changes as soon as what came with them has been read: each connection is written to once
   * for all of them, which is what a process can do without end while one write a message is not.
   */
  tell(changes: ChangeHint[]): void {
    if (!this.#hears || changes.length === 0) return;
    if (this.#waiting.length === 0) setImmediate(() => this.#deliver());
    this.#waiting.push(...changes);
  }

  /**
   * One frame per change and identifier string, whoever holds it. Whose subscriptions times the
   * changes are too many is told once for each that many things changed, as after a gap.
   */
  #deliver(): void {
    const changes = this.#waiting;
    this.#waiting = [];
    if (!this.#hears) return;
    const messages = messagesOf(changes);
    const shared = new SharedFrames();
    for (const connection of this.connections) {
      if (connection.hasExpired()) continue;
      const { networkId } = connection.actor;
      let wanted = 0;
      for (const stream of connection.subscriptions.values())
        wanted += messages(networkId, stream).length;
      const isBulk = wanted > maxFramesAtOnce;
      for (const [identifier, stream] of connection.subscriptions) {
        const heard = messages(networkId, stream);
        if (heard.length === 0) continue;
        const told = isBulk ? [JSON.stringify(bulkMessageFor(stream))] : heard;
        const key = `${networkId} ${isBulk} ${stream} ${identifier}`;
        const texts = () => told.map((message) => messageText(identifier, message));
        connection.sendFrames(shared.framesOf(key, texts));
        this.deliveries += told.length;
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
      connection.send(messageText(identifier, JSON.stringify(bulkMessageFor(stream))));
      this.deliveries += 1;
    }
  }
}

/** What a stream of a network hears of some changes, worked out once for each. */
function messagesOf(changes: ChangeHint[]): (networkId: number, stream: Stream) => string[] {
  const known = new Map<string, string[]>();
  return (networkId, stream) => {
    const key = `${networkId} ${stream}`;
    const found =
      known.get(key) ??
      changes
        .filter((change) => change.networkId === networkId && isConcernedBy(stream, change))
        .map((change) => JSON.stringify(messageFor(change)));
    known.set(key, found);
    return found;
  };
}

function messageText(identifier: string, message: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":${message}}`;
}
