import type { KyselyPlugin } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** A database that counts its statements: work that queries once for each row shows, on any machine. */
export function countingStatements(db: Db): { db: Db; count(): number } {
  let statements = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), count: () => statements };
}
