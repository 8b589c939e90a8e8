import { sql } from "kysely";
import { type ChangeHint, onChanges } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { clusterChannel, changePayloads } from "#outgoing/realtime/cluster-messages.ts";

const sendEveryMs = 50;
const retryEveryMs = 1_000;

/**
 * Publish changes committed through `db` to all processes, including this one, with PostgreSQL's NOTIFY. Sent outside
 * the transactions, because commits with a NOTIFY run one at a time. Every process that changes data needs one,
 * including workers and commands. A crash between commit and NOTIFY loses a hint; screens refetch when they reconnect.
 */
export function broadcastChanges(db: Db, log: (line: string) => void): { close(): Promise<void> } {
  let queue: ChangeHint[] = [];
  let isSending = false;
  let isClosed = false;
  let sent = Promise.resolve();
  const stop = onChanges(db, (changes) => {
    queue.push(...changes);
    if (!isSending) sent = sendUntilEmpty();
  });

  /** At most one message every 50 ms; the first after a pause goes immediately. */
  async function sendUntilEmpty(): Promise<void> {
    isSending = true;
    while (queue.length > 0) {
      const changes = queue;
      queue = [];
      const isSent = await send(changes);
      if (isClosed && !isSent) break;
      if (!isSent) queue.unshift(...asBulk(changes));
      if (!isClosed) await pause(isSent ? sendEveryMs : retryEveryMs);
    }
    isSending = false;
  }

  async function send(changes: ChangeHint[]): Promise<boolean> {
    try {
      for (const payload of changePayloads(changes))
        await sql`select pg_notify(${clusterChannel}, ${payload})`.execute(db);
      return true;
    } catch (problem) {
      log(`Real-time hints could not be sent: ${String(problem)}`);
      return false;
    }
  }

  return {
    close: async () => {
      stop();
      isClosed = true;
      await sent;
    },
  };
}

/** Merge unsent changes into one hint per network and topic, so that the queue stays small. */
function asBulk(changes: ChangeHint[]): ChangeHint[] {
  const bulk = new Map<string, ChangeHint>();
  for (const { networkId, topic } of changes)
    bulk.set(`${networkId} ${topic}`, { networkId, topic, attorneyId: null });
  return [...bulk.values()];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
