import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { anEarlierDatabase, connected } from "#tests/support/earlier-database.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

/* How a migration changes names that were stored before names were cleaned and compared. */

/** A database as it was then, with a network. */
async function aDatabaseBeforeCleanNames() {
  const earlier = await anEarlierDatabase("0066");
  await earlier.client.query(
    "insert into networks (id, name, time_zone) values (1, 'Harbor', 'UTC')",
  );
  return { ...earlier, upToDate: async () => ofNames(await earlier.upToDate()) };
}

const ofNames = (said: string[]) => said.filter((line) => !line.startsWith("The book: ")); // of a later migration

const rowsOf = async (client: pg.Client, query: string) =>
  (await client.query<Record<string, unknown>>(query)).rows;

const listed = (client: pg.Client) =>
  rowsOf(
    client,
    `select record_type, record_id::int, action, before, after from audit_entries
      where actor_name = 'Software update' order by id`,
  );

test("all texts that people write are cleaned, and each changed record is in Activity", async () => {
  const { client, upToDate } = await aDatabaseBeforeCleanNames();
  await client.query(`
    insert into attorneys (network_id, id, first_name, last_name, email, address_line_1) values
      (1, 1, 'Zoe\u0301', 'Le\u00admai\u0302tre\u00a0', 'z@example.org', '1  Main Street'),
      (1, 2, 'Ann', 'Lee', 'ann@example.org', '');
    insert into users (id, network_id, role, attorney_id, name, email) values
      (1, 1, 'attorney', 1, 'Zoe\u0301 Le\u00admai\u0302tre\u00a0', 'z@example.org'),
      (2, 1, 'admin', null, 'Ada\u2003Min', 'ada@example.org');
    insert into matters (network_id, id, first_name, last_name, note) values
      (1, 1, 'Jane', '\u200bDoe', E'One.\n\n  Two.');
    insert into firms (network_id, id, name) values (1, 1, 'Hale\u00a0& Finch LLP');
    insert into plans (network_id, id, name, amount_cents, frequency_in_months, archived_at) values
      (1, 1, 'Panel  dues', 100, 1, null), (1, 2, 'Old  dues', 100, 1, now());
    insert into deposits (network_id, id, number, deposited_on, account_name, banked_at) values
      (1, 1, 1, '2026-01-01', 'Operating\u200b', null), (1, 2, 2, '2026-01-01', 'Operating\u200b', now());
    insert into charges (network_id, id, name, amount_cents, due_on) values (1, 1, 'A  course', 100, '2026-01-01');
    insert into saved_filters (network_id, id, user_id, list, name, query) values
      (1, 1, 2, 'checks', 'Large\u00a0ones', 'search=a%C2%A0b');
    update networks set name = 'Harbor\u00a0LRS', account_names = '{"bank": "First  Bank"}';`);
  expect(await upToDate()).toEqual([
    "Tidied the texts of 9 records, left those of 0 as they were, and found 0 firms with the name of another: Activity lists all but accounts, passkeys and saved filters.",
  ]);
  expect(
    await rowsOf(client, "select first_name, last_name, address_line_1 from attorneys order by id"),
  ).toEqual([
    { first_name: "Zoé", last_name: "Lemaître", address_line_1: "1 Main Street" },
    { first_name: "Ann", last_name: "Lee", address_line_1: "" },
  ]);
  expect(await rowsOf(client, "select name from users order by id")).toEqual([
    { name: "Zoé Lemaître" },
    { name: "Ada Min" },
  ]);
  expect(await rowsOf(client, "select last_name, note from matters")).toEqual([
    { last_name: "Doe", note: "One.\n\n Two." },
  ]);
  expect(await rowsOf(client, "select name, account_names from networks")).toEqual([
    { name: "Harbor LRS", account_names: { bank: "First Bank" } },
  ]);
  expect(
    await rowsOf(client, "(select name from plans order by id) union all select name from charges"),
    "what is archived or never changed stays",
  ).toEqual([{ name: "Panel dues" }, { name: "Old  dues" }, { name: "A  course" }]);
  expect(await rowsOf(client, "select account_name from deposits order by id")).toEqual([
    { account_name: "Operating" },
    { account_name: "Operating\u200b" },
  ]);
  expect(await rowsOf(client, "select name, query from saved_filters")).toEqual([
    { name: "Large ones", query: "search=a%C2%A0b" },
  ]);
  const entries = await listed(client);
  expect(entries.map((one) => `${String(one["record_type"])} ${String(one["record_id"])}`)).toEqual(
    "attorney 1,matter 1,firm 1,plan 1,deposit 1,network 1,user 2".split(","),
  );
  expect(entries[0]).toEqual({
    record_type: "attorney",
    record_id: 1,
    action: "tidied text",
    before: {
      first_name: "Zoe\u0301",
      last_name: "Le\u00admai\u0302tre\u00a0",
      address_line_1: "1  Main Street",
    },
    after: { first_name: "Zoé", last_name: "Lemaître", address_line_1: "1 Main Street" },
  });
  expect(await upToDate()).toEqual([]);
});

test("a unique value is not changed if another is already the same", async () => {
  const { client, upToDate } = await aDatabaseBeforeCleanNames();
  await client.query(`
    insert into attorneys (network_id, id, first_name, last_name, email, bar_number) values
      (1, 1, 'Ann', 'Lee', 'a@example.org', 'MA\u200b-1'), (1, 2, 'Ben', 'Lee', 'b@example.org', 'MA-1'),
      (1, 3, 'Cal\u200b', 'Lee', 'c@example.org', 'MA-\u200b2'), (1, 4, 'Dan', 'Lee', 'd@example.org', 'MA-2\u200b');
    insert into matters (network_id, id, first_name, last_name, reference) values
      (1, 1, 'Jane', 'Doe', 'R 1'), (1, 2, 'Jim', 'Doe', 'R  1');
    insert into networks (id, name, time_zone) values (2, 'Elsewhere', 'UTC');
    insert into matters (network_id, id, first_name, last_name, reference) values (2, 3, 'Joe', 'Doe', 'R  1');`);
  expect(await upToDate()).toEqual([expect.stringMatching(/ of 2 records, left those of 3 as /)]);
  expect(await rowsOf(client, "select first_name, bar_number from attorneys order by id")).toEqual([
    { first_name: "Ann", bar_number: "MA\u200b-1" },
    { first_name: "Ben", bar_number: "MA-1" },
    { first_name: "Cal", bar_number: "MA-2" },
    { first_name: "Dan", bar_number: "MA-2\u200b" },
  ]);
  expect(await rowsOf(client, "select reference from matters order by id")).toEqual([
    { reference: "R 1" },
    { reference: "R  1" },
    { reference: "R 1" },
  ]);
  const reason = "Another record has the same without invisible characters.";
  expect(await listed(client)).toContainEqual({
    record_type: "attorney",
    record_id: 1,
    action: "left text as it was",
    before: null,
    after: { bar_number: "MA\u200b-1", reason },
  });
});

test("firms with the same name keep it, the later ones as twins, and Activity lists them", async () => {
  const { client, upToDate } = await aDatabaseBeforeCleanNames();
  await client.query(`
    insert into firms (network_id, id, name) values (1, 1, 'Núñez & Kay LLP'), (1, 2, 'Nu\u0301n\u0303ez & Kay LLP'),
      (1, 3, 'Núñez\u00a0& Kay LLP'), (1, 4, 'Nunez and Kay LLP'), (1, 5, 'Hale LLP');`);
  await upToDate();
  expect(await rowsOf(client, "select name, twin from firms order by id")).toEqual([
    { name: "Núñez & Kay LLP", twin: 0 },
    { name: "Núñez & Kay LLP", twin: 1 },
    { name: "Núñez & Kay LLP", twin: 2 },
    { name: "Nunez and Kay LLP", twin: 3 },
    { name: "Hale LLP", twin: 0 },
  ]);
  const found = (await listed(client)).filter(({ action }) => action !== "tidied text");
  expect(found.map((one) => [one["record_id"], one["action"]])).toEqual(
    [2, 3, 4].map((id) => [id, "found another firm of this name"]),
  );
  await expect(
    client.query("insert into firms (network_id, id, name) values (1, 6, 'NUNEZ & Kay, LLP')"),
  ).rejects.toThrow("firms_name");
});

test("the indexes in the order of names are rebuilt when the operating system's ICU changes", async () => {
  const database = await aTestDatabase();
  onTestFinished(() => database.drop());
  const address = database.ownerConnectionString;
  const client = await connected(address);
  const filesOf = async () =>
    await rowsOf(client, "select pg_relation_filenode('attorneys_by_name') as file");
  const upToDate = async () => {
    const said: string[] = [];
    await migrate(address, { log: (line) => said.push(line) });
    return said.filter((line) => !line.startsWith("The book: ")); // of a later migration
  };
  const before = await filesOf();
  expect(await upToDate()).toEqual([]);
  expect(await filesOf()).toEqual(before);
  const indexes = ["attorneys_by_name", "matters_by_name"];
  const [made] = await rowsOf(
    client,
    `select string_agg(pg_get_indexdef(name::regclass), ';') as statements from unnest('{${indexes.join()}}'::text[]) as name`,
  );
  await client.query(`
    drop index ${indexes.join()};
    drop collation people;
    create collation people (
      provider = icu, locale = 'en-u-ka-shifted-ks-level1', deterministic = false, version = '1.0');
    ${String(made?.["statements"])}`);
  const old = await filesOf();
  expect(await upToDate()).toEqual([
    "The ICU version that sorts names has changed, so these indexes were rebuilt: attorneys_by_name, matters_by_name.",
  ]);
  expect(await filesOf()).not.toEqual(old);
  expect(await upToDate()).toEqual([]);
});
