import { z } from "zod";
import type { Person } from "#kit/domain/actor.ts";
import type { ChangeHint } from "#kit/db/changes.ts";

/** The key of a set of messages that a connection may subscribe to. */
export type Stream = string;

type Authorize = (actor: Person, parameters: Record<string, unknown>) => Stream | null;

const adminStream = (networkId: number) => `${networkId} admins`;
const exportStream = (networkId: number) => `${networkId} exports`;
const attorneysPrefix = (networkId: number) => `${networkId} attorney `;

/**
 * Who may subscribe to each channel. The network comes from the session; unknown parameters grant nothing. A Map, so
 * that `constructor` is not a channel. Source: domain rules §9.
 */
const channels = new Map<string, Authorize>([
  [
    "LrsSubscriptionsChannel",
    (actor, { user_id }) =>
      actor.role === "admin" && user_id === actor.userId ? adminStream(actor.networkId) : null,
  ],
  [
    "AttorneyDashboardChannel",
    (actor, { attorney_id }) =>
      actor.role === "attorney" && attorney_id === actor.attorneyId
        ? `${attorneysPrefix(actor.networkId)}${actor.attorneyId}`
        : null,
  ],
  [
    "DataExportsChannel",
    (actor, { user_id }) =>
      actor.role === "admin" && user_id === actor.userId ? exportStream(actor.networkId) : null,
  ],
]);

/** The stream that an identifier names, if this user may subscribe to it. The identifier is untrusted text. */
export function streamFor(actor: Person, identifier: string): Stream | null {
  const parameters = parseObject(identifier);
  const name = parameters?.channel;
  const authorize = typeof name === "string" ? channels.get(name) : undefined;
  return (parameters && authorize?.(actor, parameters)) ?? null;
}

const JsonObject = z.record(z.string(), z.unknown());

/** The text as a JSON object; null if it is not one. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JsonObject.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // not JSON
  }
}

/** Whether a stream gets a message for a change. */
export function isAffectedBy(stream: Stream, change: ChangeHint): boolean {
  if (change.topic === "exports") return stream === exportStream(change.networkId);
  if (stream === adminStream(change.networkId)) return true;
  if (change.topic === "administration") return false;
  const attorneys = attorneysPrefix(change.networkId);
  return change.attorneyId === null
    ? stream.startsWith(attorneys)
    : stream === `${attorneys}${change.attorneyId}`;
}

/** A hint to refetch, never data. Source: domain rules §9. */
export function messageFor(change: ChangeHint): object {
  return change.topic === "exports"
    ? { type: "data_exports_changed" }
    : { type: "subscriptions_changed", attorney_id: change.attorneyId };
}

/** The message after a gap: anything may have changed. */
export function bulkMessageFor(stream: Stream): object {
  return stream.endsWith(" exports")
    ? { type: "data_exports_changed" }
    : { type: "subscriptions_changed", attorney_id: null };
}
