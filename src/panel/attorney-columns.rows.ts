import { sql } from "kysely";
import { personOrder } from "#kit/db/sort.ts";

/** SQL for `attorneyColumns`; attorneys have the alias `a`. */
export const attorneyCells = {
  attorney_id: sql`a.id`,
  attorney_name: { value: sql`a.first_name || ' ' || a.last_name`, sort: () => personOrder("a") },
  attorney_email: sql`a.email`,
  bar_number: sql`a.bar_number`,
};
