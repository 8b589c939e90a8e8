import { setImmediate as nextTurn } from "node:timers/promises";
import type { Db } from "#kit/db/database.ts";

/** The keys of the next statement with the promise of each, and how many statements are in flight. */
interface Lookups<Answer> {
  waiting: Map<string, PromiseWithResolvers<Answer | null>>;
  inFlight: number;
}

/** More than one, so that a hanging connection does not block all lookups. */
const maxStatements = 3;

/**
 * Batch lookups by key into one statement. While statements are in flight, later keys are collected and looked up
 * together, so that a busy process sends one statement for many requests. No caller gets an answer from a statement
 * sent before its own request. Measured: docs/decisions/043.
 */
export function batchLookups<Answer>(
  lookUp: (db: Db, keys: string[]) => Promise<Map<string, Answer>>,
): (db: Db, key: string) => Promise<Answer | null> {
  const ofDatabase = new WeakMap<Db, Lookups<Answer>>();

  async function lookUpAll(db: Db, lookups: Lookups<Answer>): Promise<void> {
    lookups.inFlight += 1;
    for (;;) {
      await nextTurn(); // collects all keys of this turn
      if (lookups.waiting.size === 0) break;
      const batch = lookups.waiting;
      lookups.waiting = new Map();
      try {
        const found = await lookUp(db, [...batch.keys()]);
        for (const [key, answer] of batch) answer.resolve(found.get(key) ?? null);
      } catch (problem) {
        for (const answer of batch.values()) answer.reject(problem);
      }
    }
    lookups.inFlight -= 1;
  }

  return async (db, key) => {
    const lookups = ofDatabase.get(db) ?? { waiting: new Map(), inFlight: 0 };
    ofDatabase.set(db, lookups);
    const answer = lookups.waiting.get(key) ?? Promise.withResolvers<Answer | null>();
    lookups.waiting.set(key, answer);
    if (lookups.inFlight < maxStatements) void lookUpAll(db, lookups);
    return await answer.promise;
  };
}
