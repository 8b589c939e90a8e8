import type pg from "pg";
import type { End, Ends } from "#features/cells/move-ends.ts";
import { isOfRange } from "#features/cells/move-checks.ts";
import { movedTables } from "#features/cells/network-replication.ts";

/**
 * Have the target's counters go on after what the source has given, which replication does not bring. Those of
 * a range of ids stay in their range. Others may be counting meanwhile: each is locked for that moment.
 */
export async function raiseCounters(ends: Ends): Promise<void> {
  const { source, target } = ends;
  const counters = (await movedTables(source))
    .filter(({ name }) => !isOfRange(name))
    .flatMap(({ sequences }) => sequences.map(({ sequence }) => sequence));
  const reading = counters.map(
    (sequence) =>
      `select ${source.client.escapeLiteral(sequence)} as sequence, (last_value - (not is_called)::int)::text as last from ${sequence}`,
  );
  const given = await source.client.query<Counter>(reading.join(" union all "));
  const taken = await target.client.query<Counter>(reading.join(" union all "));
  const last = new Map(taken.rows.map((one) => [one.sequence, BigInt(one.last)]));
  const behind = given.rows.filter((one) => BigInt(one.last) > (last.get(one.sequence) ?? 0n));
  for (const { sequence, last: reached } of behind) await raise(target.client, sequence, reached);
}

/** As restore-to.sh does, and more than a network comes to in any time that a backup is behind. */
const skipped = 1_000_000;

/**
 * Have a cell's counters go on by a million: another one has given numbers to a network from here on, and was set
 * back since; receipts and mails with those are in people's hands. Those of a range of ids were given by no other.
 */
export async function skipNumbers(cell: End): Promise<void> {
  for (const { name, sequences } of await movedTables(cell)) {
    if (isOfRange(name)) continue;
    for (const { sequence } of sequences)
      await cell.client.query(
        `select setval($1::text::regclass, last_value + $2::bigint) from ${sequence}`,
        [sequence, skipped],
      );
  }
}

interface Counter {
  sequence: string;
  /** What it has given last; 0 for nothing. */
  last: string;
}

/** To alter a sequence locks it against nextval(), which must not count on between the look and the change. */
async function raise(client: pg.Client, sequence: string, reached: string): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`alter sequence ${sequence} no cycle`);
    await client.query(
      `select setval($1::text::regclass, greatest(last_value, $2::bigint)) from ${sequence}`,
      [sequence, reached],
    );
    await client.query("commit");
  } catch (problem) {
    await client.query("rollback");
    throw problem;
  }
}
