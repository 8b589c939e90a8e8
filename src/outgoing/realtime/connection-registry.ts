import type { ChangeHint } from "#kit/db/changes.ts";
import {
  bulkMessageFor,
  isAffectedBy,
  messageFor,
  type Stream,
} from "#outgoing/realtime/channels.ts";
import type { Connection } from "#outgoing/realtime/connection.ts";
import { SharedFrames } from "#outgoing/realtime/shared-frames.ts";

const rememberEndedMs = 20_000;
const maxBulkSpreadMs = 3_000;
/** A page has two subscriptions, so this is a thousand changes. */
const maxFramesPerWrite = 2_000;

/**
 * The sockets of this process. Delivers the changes of all processes to the subscribers that may receive them. While
 * the LISTEN connection is down, nothing is delivered. When it is back, sockets of ended sessions are closed and every
 * subscriber gets a hint to refetch.
 */
export class ConnectionRegistry {
  readonly connections = new Set<Connection>();
  /** Grows when the LISTEN connection is lost or back, because sessions read before may be outdated. */
  generation = 0;
  deliveries = 0;
  gaps = 0;
  readonly #socketsOfUser = new Map<number, number>();
  #waiting: ChangeHint[] = [];
  readonly #recentlyEnded = new Set<number>();
  #isListening = false;

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

  /** Whether a session ended in the last seconds, perhaps while it was being looked up. */
  hasEnded(sessionId: number): boolean {
    return this.#recentlyEnded.has(sessionId);
  }

  pause(): void {
    this.#deliver();
    this.#isListening = false;
    this.generation += 1;
    this.gaps += 1;
  }

  /**
   * Deliver again after `stillOpen` has said which sessions are open, because some may have ended during the gap.
   * Throws what `stillOpen` throws, and then delivers nothing.
   */
  async resume(stillOpen: (sessionIds: number[]) => Promise<Set<number>>): Promise<void> {
    this.generation += 1;
    const { generation } = this;
    await this.closeEnded(stillOpen);
    if (generation !== this.generation) return;
    this.#isListening = true;
    for (const connection of this.connections)
      setTimeout(() => this.#sendBulk(connection), Math.random() * maxBulkSpreadMs);
  }

  /**
   * Deliver changes at the end of this turn of the event loop, in one write per connection. One write per message
   * would overload the process.
   */
  broadcast(changes: ChangeHint[]): void {
    if (!this.#isListening || changes.length === 0) return;
    if (this.#waiting.length === 0) setImmediate(() => this.#deliver());
    this.#waiting.push(...changes);
  }

  /**
   * Frames are made once per change and identifier string. A connection with too many frames gets one hint per
   * subscription instead, as after a gap.
   */
  #deliver(): void {
    const changes = this.#waiting;
    this.#waiting = [];
    if (!this.#isListening) return;
    const messages = messagesOf(changes);
    const shared = new SharedFrames();
    for (const connection of this.connections) {
      if (connection.hasExpired()) continue;
      const { networkId } = connection.actor;
      let wanted = 0;
      for (const stream of connection.subscriptions.values())
        wanted += messages(networkId, stream).length;
      const isBulk = wanted > maxFramesPerWrite;
      for (const [identifier, stream] of connection.subscriptions) {
        const messagesOfStream = messages(networkId, stream);
        if (messagesOfStream.length === 0) continue;
        const sent = isBulk ? [JSON.stringify(bulkMessageFor(stream))] : messagesOfStream;
        const key = `${networkId} ${isBulk} ${stream} ${identifier}`;
        const texts = () => sent.map((message) => messageText(identifier, message));
        connection.sendFrames(shared.framesOf(key, texts));
        this.deliveries += sent.length;
      }
    }
  }

  closeSessions(sessionIds: number[]): void {
    this.#deliver(); // changes published earlier
    for (const id of sessionIds) this.#recentlyEnded.add(id);
    setTimeout(() => {
      for (const id of sessionIds) this.#recentlyEnded.delete(id);
    }, rememberEndedMs).unref();
    this.#close(new Set(sessionIds));
  }

  /** Close the sockets of sessions that have ended. */
  async closeEnded(stillOpen: (sessionIds: number[]) => Promise<Set<number>>): Promise<void> {
    const sessionIds = [...new Set([...this.connections].map(({ actor }) => actor.sessionId))];
    if (sessionIds.length === 0) return;
    const open = await stillOpen(sessionIds);
    this.#close(new Set(sessionIds.filter((id) => !open.has(id))));
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

/** The messages of a network's stream for some changes, made once per stream. */
function messagesOf(changes: ChangeHint[]): (networkId: number, stream: Stream) => string[] {
  const known = new Map<string, string[]>();
  return (networkId, stream) => {
    const key = `${networkId} ${stream}`;
    const found =
      known.get(key) ??
      changes
        .filter((change) => change.networkId === networkId && isAffectedBy(stream, change))
        .map((change) => JSON.stringify(messageFor(change)));
    known.set(key, found);
    return found;
  };
}

function messageText(identifier: string, message: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":${message}}`;
}
