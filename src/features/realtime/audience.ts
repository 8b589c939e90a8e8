import type { Change } from "#server/changes.ts";
import { bulkMessageFor, hears, messageFor } from "#features/realtime/channels.ts";
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

  /** Pass on a change: one JSON text per identifier string, whoever holds it. */
  tell(change: Change): void {
    if (!this.#hears) return;
    const message = JSON.stringify(messageFor(change));
    const frames = new Map<string, string>();
    for (const connection of this.connections) {
      if (connection.actor.networkId !== change.networkId || connection.hasExpired()) continue;
      for (const [identifier, stream] of connection.subscriptions) {
        if (!hears(stream, change)) continue;
        const frame = frames.get(identifier) ?? frameOf(identifier, message);
        frames.set(identifier, frame);
        connection.send(frame);
        this.deliveries += 1;
      }
    }
  }

  end(sessionIds: number[]): void {
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

function frameOf(identifier: string, message: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":${message}}`;
}
