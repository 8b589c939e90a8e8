import { sql } from "kysely";

/** The postal address of an attorney (alias `a`), line by line as on an envelope. */
export const addressLines = sql`array_remove(array[a.address_line_1, a.address_line_2,
  trim(both ', ' from concat_ws(', ', nullif(a.address_city, ''),
    trim(a.address_region || ' ' || a.address_zip)))], '')`;
