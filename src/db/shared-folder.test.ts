import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Client } from "pg";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { newClient, type Db, openDatabase, openPool } from "#db/database.ts";
import {
  claimSharedFolder,
  type SharedFolder,
  whyNotEmbedded,
  whyNotShared,
} from "#db/shared-folder.ts";
import { StartupProblem } from "#ops/startup-problem.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";
import { database, databaseTest, db } from "#tests/support/database-test.ts";

let parent: string;
let servers: Client[];

const test = databaseTest({ connections: 4 });
beforeEach(async () => {
  await db.deleteFrom("installation").execute(); // as a database that no server has started on
  parent = mkdtempSync(join(tmpdir(), "referral-network-shared-"));
  servers = [];
});
afterEach(async () => {
  await stopAll();
  rmSync(parent, { recursive: true });
});

function folderOf(name: string): SharedFolder {
  const dataDir = join(parent, name);
  const folder = join(dataDir, "exports");
  mkdirSync(folder, { recursive: true });
  return { dataDir, folder };
}

/** What the operator is told by a server that starts there. */
async function starting(shared: SharedFolder, on: Db = db): Promise<string[]> {
  const told: string[] = [];
  await claimSharedFolder(on, shared, (line) => told.push(line));
  return told;
}

/** A server that goes on running: all that others see of it is its line to the database. */
async function running(shared: SharedFolder): Promise<void> {
  expect(await starting(shared)).toEqual([]);
  const line = newClient(database.connectionString, "listener", { statementMs: 5_000 });
  servers.push(line);
  await line.connect();
}

/** Their lines are gone from the list of sessions a moment after they were closed. */
async function stopAll(): Promise<void> {
  for (const server of servers.splice(0)) await server.end();
  const lines = () =>
    sql`select from pg_stat_activity where datname = current_database()
      and application_name = 'referral-network listener'`.execute(db);
  await vi.waitUntil(async () => (await lines()).rows.length === 0, { timeout: 30_000 });
}

const theirs =
  /^DATA_DIR .* is not the folder in which the running processes of this database keep/;
const belongs = /^DATA_DIR .* belongs to another database than the one at DATABASE_URL: /;
const isAnother = [
  expect.stringMatching(/^DATA_DIR .* is another folder than the one that was used last/),
];

test("servers that share a folder start on it, at once and one after the other", async () => {
  const shared = folderOf("one");
  expect(await Promise.all([1, 2, 3].map(() => starting(shared)))).toEqual([[], [], []]);
  await running(shared);
  expect(await starting(shared)).toEqual([]);
  expect(await whyNotShared(db, shared)).toBeNull();
});

test("a server on another folder is refused while others run, and leaves no mark there", async () => {
  await running(folderOf("one"));
  const other = folderOf("two");
  await expect(starting(other)).rejects.toThrow(theirs);
  expect(await whyNotShared(db, other)).toMatch(
    / was emptied, or what belongs there is not mounted/,
  );
  expect(existsSync(join(other.folder, "installation.json"))).toBe(false);
});

test("once the others have stopped it is taken, which is told; then the first folder is the other one", async () => {
  const [one, two] = [folderOf("one"), folderOf("two")];
  await running(one);
  await stopAll();
  expect(await starting(two)).toEqual(isAnother);
  await running(two);
  await expect(starting(one)).rejects.toThrow(theirs);
  expect(await whyNotShared(db, one)).toMatch(/is not the folder in which other processes/);
  await stopAll();
  expect(await starting(one)).toEqual(isAnother);
  expect(await starting(one)).toEqual([]);
});

test("files that were moved with their mark, and a copy mounted elsewhere, are the same folder", async () => {
  const one = folderOf("one");
  await running(one);
  const moved = folderOf("moved");
  cpSync(one.folder, moved.folder, { recursive: true });
  expect(await starting(moved)).toEqual([]);
});

test("a folder that was emptied while servers run is noticed by them, and taken again at the next start", async () => {
  const shared = folderOf("one");
  await running(shared);
  rmSync(join(shared.folder, "installation.json"));
  expect(await whyNotShared(db, shared)).toMatch(
    /^DATA_DIR .* has lost its file .*installation\.json: /,
  );
  await stopAll();
  expect(await starting(shared)).toEqual(isAnother);
  expect(await whyNotShared(db, shared)).toBeNull();
});

test("a mark that is not whole counts as none", async () => {
  const shared = folderOf("one");
  writeFileSync(join(shared.folder, "installation.json"), '{"database": "');
  expect(await starting(shared)).toEqual([]);
  expect(await starting(shared)).toEqual([]);
});

test("a mark that cannot be read ends the start in a sentence", async () => {
  const shared = folderOf("one");
  mkdirSync(join(shared.folder, "installation.json")); // as one that belongs to another user
  const problem = await starting(shared).catch((reason: unknown) => reason);
  expect(problem).toBeInstanceOf(StartupProblem);
  expect(problem).toMatchObject({
    message: expect.stringMatching(/installation\.json cannot be read \(EISDIR\): /),
  });
});

test.runIf(existsSync("/dev/full"))(
  "a server that only reads starts on a full folder, and leaves it without a mark",
  async () => {
    const shared = folderOf("one");
    const aside = `installation.json.${process.pid}`;
    symlinkSync("/dev/full", join(shared.folder, aside)); // the first byte gets ENOSPC
    expect(await starting(shared)).toEqual([]);
    expect(readdirSync(shared.folder)).toEqual([]);
    expect(await starting(shared)).toEqual([]);
    expect(readdirSync(shared.folder)).toEqual(["installation.json"]);
  },
);

test("another database's folder is refused, and given by removing its mark", async () => {
  const shared = folderOf("one");
  await starting(shared);
  const stranger = await aTestDatabase();
  const elsewhere = openDatabase(openPool({ connectionString: stranger.connectionString }));
  await expect(starting(shared, elsewhere)).rejects.toThrow(belongs);
  await makeNetwork(elsewhere);
  await starting(folderOf("its own"), elsewhere);
  await expect(starting(shared, elsewhere)).rejects.toThrow(belongs);
  rmSync(join(shared.folder, "installation.json"));
  expect(await starting(shared, elsewhere)).toEqual(isAnother);
  await elsewhere.destroy();
  await stranger.drop();
});

test("a backup from before there were marks takes its files again, and says so", async () => {
  const shared = folderOf("one");
  await starting(shared);
  await makeNetwork(db);
  await db.deleteFrom("installation").execute(); // as in a dump of then
  expect(await starting(shared)).toEqual([
    expect.stringMatching(/was marked as another database's and is now this one's/),
  ]);
  expect(await starting(shared)).toEqual([]);
});

test("a restored backup and a copied database know their files again", async () => {
  const shared = folderOf("one");
  await starting(shared);
  const kept = await db.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
  const copy = await aTestDatabase();
  const restored = openDatabase(openPool({ connectionString: copy.connectionString }));
  await restored.insertInto("installation").values(kept).execute();
  expect(await starting(shared, restored)).toEqual([]);
  await restored.destroy();
  await copy.drop();
});

test("who starts the embedded database where another was used is told", async () => {
  const shared = folderOf("one");
  expect(whyNotEmbedded(shared)).toBeNull();
  await starting(shared);
  expect(whyNotEmbedded(shared)).toMatch(/this is the embedded one: is DATABASE_URL missing\?$/);
});
