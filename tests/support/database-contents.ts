import { Client } from "pg";

/**
 * All data of a database: the number and an order-independent fingerprint of each table's rows, and the
 * position of each sequence.
 */
export async function contentsOf(connectionString: string): Promise<Record<string, string>> {
  return await withClient(connectionString, async (client) => {
    const contents: Record<string, string> = {};
    for (const name of await namesOf(client, "r")) {
      const { rows } = await client.query<{ print: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as print from ${name} t`,
      );
      contents[name] = rows[0]?.print ?? "";
    }
    for (const name of await namesOf(client, "S")) {
      const { rows } = await client.query<{ print: string }>(
        `select last_value || ' ' || is_called as print from ${name}`,
      );
      contents[name] = rows[0]?.print ?? "";
    }
    return contents;
  });
}

/** The same for a copy, without the note on a database's own functions and triggers, which is not copied. */
export async function copiedContentsOf(connectionString: string): Promise<Record<string, string>> {
  const { rules: _notCopied, ...contents } = await contentsOf(connectionString);
  return contents;
}

/**
 * What protects the rows: each trigger and whether it is enabled, each constraint and whether it was
 * validated.
 */
export async function guardsOf(connectionString: string): Promise<string[]> {
  return await withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ guard: string }>(`
      select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) as guard from pg_trigger
        join pg_class c on c.oid = tgrelid
        where not tgisinternal and c.relnamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = 'public'::regnamespace
      order by guard`);
    return rows.map(({ guard }) => guard);
  });
}

async function namesOf(client: Client, kind: "r" | "S"): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select quote_ident(relname) as name from pg_class where relkind = $1 and relnamespace = 'public'::regnamespace order by 1",
    [kind],
  );
  return rows.map(({ name }) => name);
}

async function withClient<Answer>(
  connectionString: string,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query("set timezone = 'UTC'");
    return await work(client);
  } finally {
    await client.end();
  }
}
