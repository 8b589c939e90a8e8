import type pg from "pg";

/**
 * Disable triggers, whose effects are already in the copied rows, and drop foreign keys, so that the order of
 * tables does not matter. Runs in the open transaction, as the owner of the tables. Answers the statements that
 * restore both. Restoring a key checks all rows.
 */
export async function disableConstraints(target: pg.ClientBase): Promise<string[]> {
  const keys = await statements(
    target,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as disable,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname,
          pg_get_constraintdef(oid)) as restore
      from pg_constraint
      where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
      order by conrelid::regclass::text, conname`,
  );
  const triggers = await statements(
    target,
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as disable,
        format('alter table %s enable %s trigger %I', tgrelid::regclass,
          case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, tgname) as restore
      from pg_trigger join pg_class c on c.oid = tgrelid
      where not tgisinternal and tgenabled <> 'D' and c.relkind = 'r'
        and c.relnamespace = current_schema()::regnamespace
      order by tgrelid::regclass::text, tgname`,
  );
  for (const { disable } of [...keys, ...triggers]) await target.query(disable);
  return [...triggers, ...keys].map(({ restore }) => restore);
}

async function statements(
  target: pg.ClientBase,
  query: string,
): Promise<{ disable: string; restore: string }[]> {
  return (await target.query<{ disable: string; restore: string }>(query)).rows;
}
