import { openDatabase, openPool } from "#kit/db/database.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { showReceivablesAsOf } from "#dues/ledger/receivables/receivables.ts";
import { aNetworkOfEntries } from "./exports.ts";
import { attempt } from "./attempt.ts";
import { median, percentile, type Row } from "./row.ts";
import type { World } from "./world.ts";

const today = plainDate("2026-01-01");

/** Receivables of a million entries, as of a date after all of them, in the middle and at the beginning. */
export async function receivableRows(world: World): Promise<Row[]> {
  const { networkId, entries } = await aNetworkOfEntries(world);
  const pool = openPool({ connectionString: world.connectionString });
  const db = openDatabase(pool);
  const admin = { networkId, timeZone: "America/New_York" };
  const rows: Row[] = [];
  for (const [day, when] of [
    ["2025-12-31", "after the last entry"],
    ["2024-06-30", "in their middle"],
    ["2024-01-02", "at their beginning"],
  ] as const) {
    const name = `receivables of ${entries.toLocaleString("en-US")} entries as of a day ${when}`;
    const measure = async () => {
      const times: number[] = [];
      for (let round = 0; round < 7; round += 1) {
        const begun = performance.now();
        await showReceivablesAsOf(db, admin, { page: 1, per_page: 50, as_of: day }, today);
        times.push(performance.now() - begun);
      }
      return {
        unit: "s" as const,
        product: times.map((time) => time / 1000),
        p50: { product: percentile(times, 0.5) },
        limits: [{ what: "median", measured: median(times), unit: " ms", most: 1000 }],
      };
    };
    rows.push(await attempt(world, name, measure));
  }
  await pool.end();
  return rows;
}
