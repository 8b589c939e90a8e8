import type { QueryExecutorProvider, RawBuilder } from "kysely";
import type { Db } from "#kit/db/database.ts";

/**
 * Send two statements on one connection without waiting in between: one round trip less where connections are
 * pipelined. Each commits separately. The second runs after the first and sees its changes, even if the first
 * failed. Answers the rows of both; throws the problem of the first, or else of the second.
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
    // Wait for both, so that nothing is running when the connection goes back.
    const [one, other] = await Promise.allSettled([
      first.execute(provider),
      second.execute(provider),
    ]);
    if (one.status === "rejected") throw one.reason;
    if (other.status === "rejected") throw other.reason;
    return [one.value.rows, other.value.rows];
  });
}
