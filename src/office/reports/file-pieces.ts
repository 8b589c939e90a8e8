import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { Attempt } from "#office/reports/export-outcome.ts";

/*
 * Export files are stored in the database in pieces (migrations/0071), so that copies and backups of the database
 * include them and machines need no shared folder.
 */

/**
 * Add a piece to an attempt's file; `startByte` is the position of its first byte. It commits on its own without
 * waiting for the disk; the commit that makes the export ready does. Returns false if the export was cancelled or
 * another attempt has begun.
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
 * Remove the pieces of an attempt and of earlier ones, but not a downloadable file: an attempt may not know that it
 * succeeded. A later attempt may be running if this one hung.
 */
export async function removePieces(db: Db, { networkId, id, attempt }: Attempt): Promise<void> {
  await sql`
    delete from data_export_pieces p using data_exports x
    where p.network_id = ${networkId} and p.export_id = ${id} and p.attempt <= ${attempt}
      and x.network_id = p.network_id and x.id = p.export_id
      and not (x.status = 'ready' and x.removed_at is null and x.attempt = p.attempt)`.execute(db);
}

/** Remove pieces without a file: their worker was killed, and no other attempt was made. */
export async function removeAbandonedPieces(db: Db): Promise<void> {
  await sql`
    delete from data_export_pieces p using data_exports x
    where x.network_id = p.network_id and x.id = p.export_id
      and (x.status not in ('running', 'ready') or x.removed_at is not null or p.attempt < x.attempt)`.execute(
    db,
  );
}
/**
 * The bytes from `start` to `end`, both included, one piece at a time. Each is read when needed, so that a slow reader
 * keeps nothing open. Throws if the file is removed during the download.
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
    if (!bytes?.length)
      throw new Error(`The file of report ${id} was removed during the download.`);
    at += bytes.length;
    yield bytes;
  }
}
