import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { Attempt } from "#office/reports/export-outcome.ts";

/*
 * The files of exports are in the database, in pieces (migrations/0071): copies and backups of the database include
 * them, and machines share no folder.
 */

/**
 * Add a piece to an attempt's file; `startByte` is the position of its first byte. It commits by itself, and without
 * waiting for the disk: the commit by which the export becomes ready does. Answers false when the export was
 * cancelled or another attempt has begun.
 */
export async function addPiece(
  db: Db,
  { networkId, id, attempt }: Attempt,
  startByte: number,
  bytes: Buffer,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with unawaited as (select set_config('synchronous_commit', 'off', true))
    insert into data_export_pieces (network_id, export_id, attempt, start_byte, bytes)
    select x.network_id, x.id, x.attempt, ${startByte}::bigint, ${bytes}::bytea
    from data_exports x, unawaited
    where x.network_id = ${networkId} and x.id = ${id} and x.attempt = ${attempt} and x.status = 'running'`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

/**
 * Remove what an attempt and earlier ones have written, but for a file that can be downloaded: an attempt may not know
 * that it came so far. A later one may be under way: this one may have hung.
 */
export async function removePieces(db: Db, { networkId, id, attempt }: Attempt): Promise<void> {
  await sql`
    delete from data_export_pieces p using data_exports x
    where p.network_id = ${networkId} and p.export_id = ${id} and p.attempt <= ${attempt}
      and x.network_id = p.network_id and x.id = p.export_id
      and not (x.status = 'ready' and x.removed_at is null and x.attempt = p.attempt)`.execute(db);
}

/** Remove the pieces that belong to no file: their worker was killed, and no other attempt was made. */
export async function removeAbandonedPieces(db: Db): Promise<void> {
  await sql`
    delete from data_export_pieces p using data_exports x
    where x.network_id = p.network_id and x.id = p.export_id
      and (x.status not in ('running', 'ready') or x.removed_at is not null or p.attempt < x.attempt)`.execute(
    db,
  );
}

/**
 * The bytes from `start` to `end`, both included, a piece at a time, each read once it is asked for: nothing is held
 * open for a slow reader. Throws when the file was removed meanwhile.
 */
export async function* readPieces(
  db: Db,
  { networkId, id, attempt }: Attempt,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at <= end;) {
    const { rows } = await sql<{ bytes: Buffer }>`
      select substring(bytes from (${at} - start_byte + 1)::int for ${Math.min(end - at + 1, 2 ** 30)}::int) as bytes
      from data_export_pieces
      where network_id = ${networkId} and export_id = ${id} and attempt = ${attempt} and start_byte <= ${at}
      order by start_byte desc limit 1`.execute(db);
    const bytes = rows[0]?.bytes;
    if (!bytes?.length) throw new Error(`The file of report ${id} was removed while it was sent.`);
    at += bytes.length;
    yield bytes;
  }
}
