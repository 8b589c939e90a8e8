import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** More than two synchronized machines differ by, and too little to matter to an hourly job. */
const toleratedMs = 60_000;

/** This process's clock differs from the database's. The message is one sentence. */
export class WrongClock extends Error {}

/**
 * By how many milliseconds at least this process's clock is ahead of the database's; negative: behind. The database
 * may have read its clock at any time between sending and receiving.
 */
export async function clockAheadMs(db: Db): Promise<number> {
  const sentAt = Date.now();
  const { rows } = await sql<{ ms: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  const receivedAt = Date.now();
  const ms = rows[0]?.ms ?? Number.NaN;
  return Math.max(0, sentAt - ms) + Math.min(0, receivedAt - ms);
}

/** One sentence if the clock is too far off; otherwise null. */
export function clockProblem(aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= toleratedMs) return null;
  const off = `${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"}`;
  return `This machine's clock is ${off} the database's.`;
}

/** Throws a WrongClock if this process's clock is off by more than a minute. */
export async function refuseWrongClock(db: Db): Promise<void> {
  const problem = clockProblem(await clockAheadMs(db));
  if (problem !== null) throw new WrongClock(problem);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `2 days`, `90 minutes`: rounded, in the largest unit of which there are at least two. */
function duration(ms: number): string {
  const [name, length] = units.find(([, unit]) => ms >= 1.5 * unit) ?? ["minute", 60_000];
  const count = Math.round(ms / length);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
