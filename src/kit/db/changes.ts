import type { Db } from "#kit/db/database.ts";

/** What a hint is about: an attorney's dues, the network's data exports, or data that only administrators see. */
export type Topic = "subscriptions" | "exports" | "administration";

/** A hint that something changed. `attorneyId` null means many. Domain rules §9. */
export interface ChangeHint {
  networkId: number;
  attorneyId: number | null;
  topic: Topic;
}

type Listener = (changes: ChangeHint[]) => void;

const waiting = new WeakMap<object, ChangeHint[]>();
const listeners = new WeakMap<Db, Set<Listener>>();

/** Note a change of this transaction. It is delivered after the commit. */
export function notifyOnCommit(
  tx: Db,
  networkId: number,
  attorneyId: number | null,
  topic: Topic = "subscriptions",
): void {
  const noted = waiting.get(tx) ?? [];
  waiting.set(tx, noted);
  const isNoted = noted.some(
    (change) =>
      change.networkId === networkId && change.attorneyId === attorneyId && change.topic === topic,
  );
  if (!isNoted) noted.push({ networkId, attorneyId, topic });
}

/** Pass a committed transaction's changes to this process's listeners of its database. */
export function notifyAfterCommit(db: Db, tx: Db): void {
  const changes = waiting.get(tx);
  waiting.delete(tx);
  if (changes) for (const listener of listeners.get(db) ?? []) listener(changes);
}

/** Announce a change that a single statement has committed. */
export function notifyNow(db: Db, change: ChangeHint): void {
  for (const listener of listeners.get(db) ?? []) listener([change]);
}

/** Listen to changes committed through `db`. Answers a function that stops listening. */
export function onChanges(db: Db, listener: Listener): () => void {
  const known = listeners.get(db) ?? new Set();
  listeners.set(db, known.add(listener));
  return () => void known.delete(listener);
}
