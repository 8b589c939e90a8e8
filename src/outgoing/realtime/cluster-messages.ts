import { z } from "zod";
import type { ChangeHint } from "#kit/db/changes.ts";

/** The one NOTIFY channel for all streams; payloads name the streams. */
export const clusterChannel = "cable";

/** PostgreSQL's limit is just below 8,000 bytes. */
const maxPayloadBytes = 7_500;

/** `changes`: [network id, attorney id or null, topic]. `ended`: ids of sessions. */
const Payload = z.union([
  z.object({
    v: z.literal(1),
    changes: z.array(
      z.tuple([
        z.number(),
        z.number().nullable(),
        z.enum(["subscriptions", "exports", "administration"]),
      ]),
    ),
  }),
  z.object({ v: z.literal(1), ended: z.array(z.number()) }),
]);

/** The changes in order, in as few payloads as possible. They are ASCII, so a character is a byte. */
export function changePayloads(changes: ChangeHint[]): string[] {
  const payloads: string[] = [];
  let fitting: string[] = [];
  let bytes = 0;
  const finish = () => {
    if (fitting.length > 0) payloads.push(`{"v":1,"changes":[${fitting.join(",")}]}`);
    fitting = [];
    bytes = 0;
  };
  for (const { networkId, attorneyId, topic } of changes) {
    const entry = JSON.stringify([networkId, attorneyId, topic]);
    if (bytes + entry.length > maxPayloadBytes) finish();
    fitting.push(entry);
    bytes += entry.length + 1;
  }
  finish();
  return payloads;
}

/** A message from one process to all. */
export type ClusterMessage = { changes: ChangeHint[] } | { endedSessionIds: number[] };

/** Decode a payload; null if it is not ours, because another program may use the channel. */
export function readClusterMessage(text: string): ClusterMessage | null {
  const read = Payload.safeParse(parsed(text));
  if (!read.success) return null;
  if ("ended" in read.data) return { endedSessionIds: read.data.ended };
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
    return undefined; // not JSON
  }
}
