import { type RawBuilder, sql } from "kysely";

type Sql = RawBuilder<unknown>;

/**
 * A name or another text as every list sorts it: accents, case, apostrophes and dashes do not count (migration
 * 0066).
 */
export const asSorted = (text: Sql): Sql => sql`${text} collate people`;

/** Attorneys or clients by last name, then first name: rows of this alias, or of the only table. */
export const personOrder = (alias?: string): [last: Sql, first: Sql] => {
  const column = (name: string) => asSorted(sql.ref(alias ? `${alias}.${name}` : name));
  return [column("last_name"), column("first_name")];
};

/** `personOrder`, then the id for equal names. */
export const byPerson = (alias?: string): Sql =>
  sql.join([...personOrder(alias), sql.ref(alias ? `${alias}.id` : "id")]);
