import { z } from "zod";
import type { Change } from "#db/changes.ts";
import type { UnsentRequestCount } from "#http/request-counts.ts";

/** The one channel of PostgreSQL's that everything goes over: streams stand in the payload. */
export const channel = "cable";

/** PostgreSQL takes less than 8,000 bytes. */
const maxPayloadBytes = 7_500;

/**
 * `changes`: [network id, attorney id or null, topic]. `ended`: ids of sessions. `requests`: [session
 * id, how many more came to the process named by `from`].
 */
const Payload = z.union([
  z.object({
    v: z.literal(1),
    changes: z.array(
      z.tuple([z.number(), z.number().nullable(), z.enum(["subscriptions", "exports"])]),
    ),
  }),
  z.object({ v: z.literal(1), ended: z.array(z.number()) }),
  z.object({
    v: z.literal(1),
    from: z.string(),
    requests: z.array(z.tuple([z.number(), z.number()])),
  }),
]);

/** The changes as payloads, in their order, as few as fit. */
export function changePayloads(changes: Change[]): string[] {
  const entries = changes.map((change) =>
    JSON.stringify([change.networkId, change.attorneyId, change.topic]),
  );
  return packed(`{"v":1,"changes":`, entries);
}

/** How many requests came to the process of that name, as payloads. */
export function requestCountPayloads(from: string, requests: UnsentRequestCount[]): string[] {
  return packed(
    `{"v":1,"from":${JSON.stringify(from)},"requests":`,
    requests.map((one) => JSON.stringify(one)),
  );
}

/** Entries, and what stands before them, are ASCII: a character is a byte. */
function packed(beginning: string, entries: string[]): string[] {
  const payloads: string[] = [];
  let fitting: string[] = [];
  let bytes = 0;
  const finish = () => {
    if (fitting.length > 0) payloads.push(`${beginning}[${fitting.join(",")}]}`);
    fitting = [];
    bytes = 0;
  };
  for (const entry of entries) {
    if (bytes + entry.length > maxPayloadBytes) finish();
    fitting.push(entry);
    bytes += entry.length + 1;
  }
  finish();
  return payloads;
}

/** What a process says to all of them. */
export type ClusterMessage =
  | { changes: Change[] }
  | { endedSessionIds: number[] }
  | { from: string; requests: UnsentRequestCount[] };

/** What a payload says; null when it is none of ours, since another program may use the channel. */
export function readClusterMessage(text: string): ClusterMessage | null {
  const read = Payload.safeParse(parsed(text));
  if (!read.success) return null;
  if ("ended" in read.data) return { endedSessionIds: read.data.ended };
  if ("requests" in read.data) return { from: read.data.from, requests: read.data.requests };
  const changes = read.data.changes.map(([networkId, attorneyId, topic]) => ({
    networkId,
    attorneyId,
    topic,
  }));
  return { changes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON is no payload
  }
}
