import { sql } from "kysely";
import { type ChangeHint, onChanges } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { channel, changePayloads } from "#features/realtime/payload.ts";

const sendEveryMs = 50;
const retryEveryMs = 1_000;

/**
 * Tell all processes, this one included, what is committed through `db`: over PostgreSQL's NOTIFY,
 * outside of the transactions, since a NOTIFY in a hot one would make commits take turns. Every
 * process that changes something needs one, workers and commands too. A crash between a commit and
 * its message loses a hint; screens refetch on connecting, which bounds that.
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

  /** At most one message every 50 ms; the first after a quiet while goes out at once. */
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
        await sql`select pg_notify(${channel}, ${payload})`.execute(db);
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

/** What could not be sent in time is sent as "many at once": the wait cannot grow without bound. */
function asBulk(changes: ChangeHint[]): ChangeHint[] {
  const bulk = new Map<string, ChangeHint>();
  for (const { networkId, topic } of changes)
    bulk.set(`${networkId} ${topic}`, { networkId, topic, attorneyId: null });
  return [...bulk.values()];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
