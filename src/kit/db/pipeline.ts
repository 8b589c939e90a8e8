import type { QueryExecutorProvider, RawBuilder } from "kysely";
import type { Db } from "#kit/db/database.ts";

/**
 * Send two statements one behind the other on one connection, without waiting in between: a round
 * trip less where connections are pipelined. Each commits by itself; the second is carried out after
 * the first and sees what it has done, also when the first has failed. Answers the rows of both;
 * throws the problem of the first, or else of the second.
 */
export async function pipeline<First, Second>(
  db: Db,
  first: RawBuilder<First>,
  second: RawBuilder<Second>,
): Promise<[First[], Second[]]> {
  const executor = db.getExecutor();
  return await executor.provideConnection(async (connection) => {
    const onConnection = executor.withConnectionProvider({
      provideConnection: async (consumer) => await consumer(connection),
    });
    const provider: QueryExecutorProvider = { getExecutor: () => onConnection };
    // Both are waited for: the connection goes back once nothing is under way on it.
    const [one, other] = await Promise.allSettled([
      first.execute(provider),
      second.execute(provider),
    ]);
    if (one.status === "rejected") throw one.reason;
    if (other.status === "rejected") throw other.reason;
    return [one.value.rows, other.value.rows];
  });
}
