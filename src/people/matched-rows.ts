import { type RawBuilder, sql } from "kysely";
import type { Counting } from "#kit/imports/csv-file.ts";
import type { RowProblem } from "#kit/imports/csv-table.ts";
import { sameButForZeros } from "#kit/imports/staged-rows.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeStagingTable } from "#kit/db/staging-tables.ts";
import { matchFirms, moveNewEmailsToPending, stagingTable } from "#people/imported-rows.ts";

/*
 * Matches the rows of imported-rows.ts with the panel, and finds conflicts.
 */

/** Match rows with attorneys by bar number or email, and with firms. Answers the rows that conflict. */
export async function findInvalidRows(
  tx: Db,
  networkId: number,
  countsBy: Counting,
): Promise<RowProblem[]> {
  await analyzeStagingTable(tx, stagingTable.table);
  await sql`
    update imported_rows set known_by_bar_number = a.id from attorneys a
    where a.network_id = ${networkId} and a.bar_number = imported_rows.bar_number and a.bar_number <> ''`.execute(
    tx,
  );
  await sql`
    update imported_rows set known_by_email = a.id from attorneys a
    where a.network_id = ${networkId} and a.email = imported_rows.email`.execute(tx);
  // A new address that waits for confirmation identifies its attorney too.
  await sql`
    update imported_rows r set known_by_email = u.attorney_id
    from email_changes c join users u on u.network_id = c.network_id and u.id = c.user_id
    where c.network_id = ${networkId} and c.ended_at is null and c.new_email = r.email
      and r.known_by_email is null`.execute(tx);
  await matchFirms(tx, networkId);
  await keepZeros(tx, networkId);
  const { rows } = await sql<RowProblem>`
    select line, 'bar_number' as field,
      'The bar number and the email address belong to different attorneys.' as message
    from imported_rows where known_by_bar_number <> known_by_email
    union all
    select line, null, 'This is the same attorney as on ' || ${countsBy}::text || ' ' || first_line || '.' from (
      select line, min(line) over (partition by attorney_id) as first_line
      from imported_rows where attorney_id is not null
    ) as known where line > first_line
    union all
    select r.line, 'bar_number', ${barNumberTaken(sql`a.first_name || ' ' || a.last_name || ' has'`)}
    from imported_rows r
    join attorneys a on a.network_id = ${networkId} and a.bar_number <> ''
      and ${sameButForZeros("a.bar_number", "r.bar_number")}
    where r.known_by_bar_number is null and r.bar_number <> ''
    union all
    select r.line, 'bar_number', ${barNumberTaken(sql`${countsBy}::text || ' ' || a.line || ' has'`)}
    from imported_rows r
    join imported_rows a on a.line < r.line and a.known_by_bar_number is null and a.bar_number <> ''
      and ${sameButForZeros("a.bar_number", "r.bar_number")}
    where r.known_by_bar_number is null and r.bar_number <> ''
    union all
    select r.line, 'email', 'The email address belongs to another account.'
    from imported_rows r
    join users u on u.network_id = ${networkId} and u.attorney_id = r.attorney_id
    join users other on other.email = r.email and other.id is distinct from u.id
    order by line`.execute(tx);
  await moveNewEmailsToPending(tx, networkId);
  return rows;
}

const barNumberTaken = (who: RawBuilder<unknown>) => sql`
      'This is probably the same bar number as ' || a.bar_number || ', which ' || ${who}
        || '. Only the leading zeros differ.'`;

/** An attorney matched by email keeps the bar number if a spreadsheet dropped its leading zeros. */
async function keepZeros(tx: Db, networkId: number): Promise<void> {
  await sql`
    update imported_rows r set bar_number_without_zeros = r.bar_number, bar_number = ''
    from attorneys a
    where a.network_id = ${networkId} and a.id = r.known_by_email and r.known_by_bar_number is null
      and a.bar_number <> '' and r.bar_number <> '' and ${sameButForZeros("a.bar_number", "r.bar_number")}`.execute(
    tx,
  );
}

/** Notes which bar numbers stay because the file dropped leading zeros. */
export async function notesOfRows(tx: Db, networkId: number): Promise<string[]> {
  const { rows } = await sql<{ count: number; says: string; stays: string }>`
    select count(*) over () as count, r.bar_number_without_zeros as says, a.bar_number as stays
    from imported_rows r join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id
    where r.bar_number_without_zeros is not null order by r.line limit 1`.execute(tx);
  return rows.map(({ count, says, stays }) =>
    count === 1
      ? `One bar number differs from the panel's only in leading zeros and is not changed: ${stays}, not ${says}.`
      : `${count.toLocaleString("en-US")} bar numbers differ from the panel's only in leading zeros and are not changed. The first is ${stays}, not ${says}.`,
  );
}
