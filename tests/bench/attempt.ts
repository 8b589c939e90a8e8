import type { Measured, Row } from "./row.ts";
import { setTriggers, type World } from "./world.ts";

type ResetContext = Pick<World, "client" | "log">;

/**
 * A row. If measuring fails, a row that says why and counts as missed, so the other rows are still measured.
 */
export async function attempt(
  world: ResetContext,
  name: string,
  measure: () => Promise<Measured>,
): Promise<Row> {
  const [row] = await attemptRows(world, name, async () => [{ name, ...(await measure()) }]);
  if (!row) throw new Error("attemptRows returns the row, or a failed row in its place.");
  return row;
}

/** The same for rows that are measured together: they fail together, under one name. */
export async function attemptRows(
  world: ResetContext,
  name: string,
  measure: () => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await measure();
  } catch (problem) {
    const failure = messageOf(problem);
    world.log(`${name} failed: ${failure}`);
    await restore(world);
    return [{ name, unit: "s", product: [], limits: [], failure }];
  }
}

/** Undo what would break the next row: an open transaction, and the ledger's rules switched off. */
async function restore({ client, log }: ResetContext): Promise<void> {
  try {
    await client.query("rollback");
    await setTriggers(client, "enable");
  } catch (problem) {
    log(`The database could not be reset for the next row: ${messageOf(problem)}`);
  }
}

const messageOf = (problem: unknown) =>
  (problem instanceof Error && problem.message) || String(problem);
