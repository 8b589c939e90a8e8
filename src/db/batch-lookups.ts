import { setImmediate as nextTurn } from "node:timers/promises";
import type { Db } from "#db/database.ts";

/** Keys that are waiting to be looked up, with those who wait for each; statements under way. */
interface Lookups<Answer> {
  waiting: Map<string, PromiseWithResolvers<Answer | null>>;
  underWay: number;
}

/** More than one, so that a connection which hangs does not keep everybody waiting. */
const statementsAtOnce = 3;

/**
 * Look up by key what one statement finds for many. While statements are under way, later keys are
 * gathered and looked up together, so that a busy process asks once for many requests. Nobody is
 * answered by a statement that was sent before they came. Measured: docs/decisions/043.
 */
export function batchLookups<Answer>(
  lookUp: (db: Db, keys: string[]) => Promise<Map<string, Answer>>,
): (db: Db, key: string) => Promise<Answer | null> {
  const ofDatabase = new WeakMap<Db, Lookups<Answer>>();

  async function lookUpAll(db: Db, known: Lookups<Answer>): Promise<void> {
    known.underWay += 1;
    for (;;) {
      await nextTurn(); // with all that have come in this one
      if (known.waiting.size === 0) break;
      const asked = known.waiting;
      known.waiting = new Map();
      try {
        const found = await lookUp(db, [...asked.keys()]);
        for (const [key, answer] of asked) answer.resolve(found.get(key) ?? null);
      } catch (problem) {
        for (const answer of asked.values()) answer.reject(problem);
      }
    }
    known.underWay -= 1;
  }

  return async (db, key) => {
    const known = ofDatabase.get(db) ?? { waiting: new Map(), underWay: 0 };
    ofDatabase.set(db, known);
    const answer = known.waiting.get(key) ?? Promise.withResolvers<Answer | null>();
    known.waiting.set(key, answer);
    if (known.underWay < statementsAtOnce) void lookUpAll(db, known);
    return await answer.promise;
  };
}
