import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** More than time services leave between two machines, and less than any job's hour is off by. */
const toleratedMs = 60_000;

/** This process's clock is not the database's; the message is one sentence. */
export class WrongClock extends Error {}

/**
 * By how many milliseconds this process's clock is ahead of the database's, at least; negative: behind.
 * The answer takes its time, and the database may have read its clock at either end of it.
 */
export async function clockAheadMs(db: Db): Promise<number> {
  const asked = Date.now();
  const { rows } = await sql<{ ms: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  const answered = Date.now();
  const ms = rows[0]?.ms ?? Number.NaN;
  return Math.max(0, asked - ms) + Math.min(0, answered - ms);
}

/** One sentence on a clock that is too far off; null where it is not. */
export function clockProblem(aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= toleratedMs) return null;
  const off = `${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"}`;
  return `This machine's clock is ${off} the database's.`;
}

/** Throws a WrongClock when this process's clock is off by more than a minute. */
export async function refuseWrongClock(db: Db): Promise<void> {
  const problem = clockProblem(await clockAheadMs(db));
  if (problem !== null) throw new WrongClock(problem);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `2 days`, `90 minutes`: rounded, in the largest unit of which there are two. */
function duration(ms: number): string {
  const [name, length] = units.find(([, unit]) => ms >= 1.5 * unit) ?? ["minute", 60_000];
  const count = Math.round(ms / length);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
