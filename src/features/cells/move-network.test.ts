import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import type pg from "pg";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from "#embedded-postgres/embedded-database.ts";
import { guardNetwork, isGuarded, unguardNetwork } from "#features/cells/guard.ts";
import { removeNetwork } from "#features/cells/remove-network.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { runCommandLine } from "#main/command-line.ts";
import { projectFolder } from "#tests/support/launched.ts";

/* Two cells on servers of their own; what a move under load and kills comes to stands in tests/move-network.rehearsal.ts. */

interface Cell {
  server: EmbeddedDatabase;
  environment: Record<string, string>;
  pool: pg.Pool;
  db: Db;
}

const folder = mkdtempSync(join(tmpdir(), "rn-cells-"));
let east: Cell;
let west: Cell;
let network: MadeNetwork;

beforeAll(async () => {
  [east, west] = await Promise.all([
    aCell("east", "1000001-2000000"),
    aCell("west", "2000001-3000000"),
  ]);
  network = await makeNetwork(east.db, { admin: { email: "dana@example.org" } });
  const attorney = await makeAttorney(east.db, network);
  await makeDebit(east.db, network, attorney);
}, 120_000);

afterAll(async () => {
  for (const cell of [east, west]) {
    await cell?.pool.end();
    await cell?.server.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function aCell(name: string, ids: string): Promise<Cell> {
  const dataDir = join(folder, name);
  const settings = { wal_level: "logical", fsync: "off" };
  const server = await openEmbeddedDatabase({ dataDir, settings, log: () => undefined });
  const environment = {
    DATABASE_URL: server.connectionString,
    DATA_DIR: join(folder, `${name}-files`),
    APP_SECRET: `the secret of the cell ${name}, of 32 or more`,
    CELL: name,
    ID_RANGE: ids,
  };
  await run(environment, "migrate");
  const pool = openPool({ connectionString: server.connectionString, connections: 2 });
  return { server, environment, pool, db: openDatabase(pool) };
}

async function run(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; said: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(args, { env, stdin: Readable.from([]), stdout, stderr });
  const read = (stream: PassThrough) => String(stream.read() ?? "");
  return { code, said: (read(stdout) + read(stderr)).trim() };
}

const from = ({ environment }: Cell, other: Cell) => ({
  ...environment,
  OTHER: other.environment["DATABASE_URL"] ?? "",
  OTHER_APP_SECRET: other.environment["APP_SECRET"] ?? "",
});

const move = (...more: string[]) =>
  run(from(east, west), "move-network", String(network.id), "--to", "OTHER", ...more);
const remove = () =>
  run(from(east, west), "remove-moved-network", String(network.id), "--to", "OTHER");

const debitsIn = async ({ pool }: Cell) =>
  (await pool.query("select from debits where network_id = $1", [network.id])).rowCount;

/** What the owner of a database is given for moves by a superuser, and is none. */
async function allowReplication({ server }: Cell): Promise<void> {
  const url = new URL(server.connectionString);
  url.username = "postgres";
  const superuser = new Client({ connectionString: url.href });
  await superuser.connect();
  await superuser.query("alter role referral_network replication");
  await superuser.query("grant pg_create_subscription to referral_network");
  await superuser.end();
}

test("what is in the way is said, and nothing is changed", { timeout: 120_000 }, async () => {
  expect(await remove()).toEqual({
    code: 1,
    said: `Network ${network.id} was not moved from here: nothing was removed.`,
  });
  expect(await move("--call-off")).toEqual({
    code: 1,
    said: `Network ${network.id} is not being moved: there is nothing to call off.`,
  });
  const toUrl = async (to: string) =>
    await run(from(east, west), "move-network", String(network.id), "--to", to);
  expect(await toUrl(west.environment["DATABASE_URL"] ?? "")).toEqual({
    code: 2,
    said: "--to has a password in it, which others see on a command line: put the address into a variable, and give --to its name.",
  });
  const unable = await move("--dry-run");
  expect(unable.code).toBe(1);
  expect(unable.said).toContain(
    "of east may not replicate: alter role referral_network replication.",
  );
  expect(unable.said).toContain(
    "of --to may not make subscriptions: grant it pg_create_subscription",
  );
  await Promise.all([allowReplication(east), allowReplication(west)]);
  const withoutSecret = { ...from(east, west), OTHER_APP_SECRET: "" };
  const id = String(network.id);
  await west.db
    .insertInto("installation")
    .values({ secretCheckValue: "of another secret" })
    .onConflict((on) =>
      on.column("isOnlyRow").doUpdateSet({ secretCheckValue: "of another secret" }),
    )
    .execute();
  expect((await run(withoutSecret, "move-network", id, "--to", "OTHER")).said).toBe(
    "The other cell works with another secret than APP_SECRET (without OTHER_APP_SECRET): set OTHER_APP_SECRET to the APP_SECRET of there.",
  );
  await west.db.updateTable("installation").set({ secretCheckValue: null }).execute();

  const taken = await makeNetwork(west.db, { admin: { email: "dana@example.org" } });
  const said = await move("--dry-run");
  expect(said.code).toBe(1);
  expect(said.said).toContain(
    `west has in users what network ${network.id} has too (users_email_key): dana@example.org. Change or remove it in one of the two.`,
  );
  expect((await move()).said).toContain("Nothing was moved. west has in users");
  await west.db.deleteFrom("users").where("networkId", "=", taken.id).execute();
  const { rows } = await west.pool.query("select from network_moves");
  expect(rows).toEqual([]);

  // What comes from elsewhere is not called off from here.
  await west.pool.query(
    "insert into network_moves (network_id, direction, state, peer) values ($1, 'in', 'arriving', 'north')",
    [taken.id],
  );
  await east.pool.query(
    "insert into network_moves (network_id, direction, state, peer) values ($1, 'out', 'copying', 'north')",
    [network.id],
  );
  expect((await move("--call-off")).said).toContain("is being moved to north, and --to leads to");
  await east.pool.query("delete from network_moves");
  const callOff = ["move-network", String(taken.id), "--to", "OTHER", "--call-off"];
  expect((await run(from(east, west), ...callOff)).said).toContain("call the move off there");
  const still = await west.pool.query("delete from network_moves where state = 'arriving'");
  expect(still.rowCount).toBe(1);
});

test(
  "a network moves to another cell, and is removed by a second command",
  { timeout: 120_000 },
  async () => {
    const { code, said } = await move();
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(said).toContain(`Network ${network.id} is served by west.`);
    expect(await debitsIn(west)).toBe(1);
    const { rows } = await west.pool.query(
      "select kind, key, cell from directory where of_network = $1 order by kind",
      [network.id],
    );
    expect(rows).toEqual([
      { kind: "email", key: "dana@example.org", cell: "west" },
      { kind: "network", key: String(network.id), cell: "west" },
    ]);
    const attorney = await makeAttorney(west.db, network);
    await makeDebit(west.db, network, attorney);
    await expect(makeAttorney(east.db, network)).rejects.toMatchObject({ code: "RN503" });

    expect((await move()).said).toContain(`Network ${network.id} is served by west.`);
    expect((await move("--call-off")).said).toContain("is served by west already");

    // Moved on from there, its guard there is not lifted by the first command given once more.
    const movedOn = (state: string) =>
      west.pool.query(
        "insert into network_moves (network_id, direction, state, peer) values ($1, 'out', $2, 'north')",
        [network.id, state],
      );
    await movedOn("moved");
    await guardNetwork(west.pool, network.id);
    expect((await move()).said).toContain("is moved in west, where it was moved to before");
    expect(await isGuarded(west.pool, network.id)).toBe(true);
    await west.pool.query("delete from network_moves");
    await unguardNetwork(west.pool, network.id);
    await east.pool.query("update network_moves set peer = 'north'");
    expect((await move()).said).toContain("was moved to north, and --to leads to west.");

    // As after a restore of a backup from before the move, and what docs/operations.md says to do then.
    await east.pool.query("delete from network_moves");
    expect((await move()).said).toContain("west has a network");
    const operations = readFileSync(join(projectFolder, "docs/operations.md"), "utf8");
    const [statements = ""] = /insert into network_moves[^`]+/.exec(operations) ?? [];
    await east.pool.query(
      "insert into network_moves (network_id, direction, state, peer) values ($1, 'out', 'copying', 'west')",
      [network.id],
    );
    await east.pool.query(statements.replaceAll("1000001", String(network.id)));
    expect(await claimsIn(east)).toEqual([]);
    expect((await remove()).code).toBe(0);
    expect([await debitsIn(east), await debitsIn(west)]).toEqual([0, 2]);
    expect((await move()).said).toContain(`There is no network ${network.id} in east.`);
  },
);

test(
  "a switch is undone where the other cell was set back by a backup, and by no other way",
  { timeout: 120_000 },
  async () => {
    network = await makeNetwork(east.db);
    await makeDebit(east.db, network, await makeAttorney(east.db, network));
    const id = String(network.id);
    // Long ago the other cell had it, and moved it here.
    await west.pool.query(
      `insert into network_move_steps (network_id, direction, step, peer, noted_at)
        select $1, 'out', unnest('{moved,removed}'::text[]), 'east', now() - interval '1 day'`,
      [network.id],
    );
    const toItself = { ...from(east, west), OTHER: east.environment["DATABASE_URL"] ?? "" };
    expect(await run(toItself, "move-network", id, "--to", "OTHER")).toEqual({
      code: 2,
      said: "--to leads to this very database.",
    });
    expect((await move()).code).toBe(0);
    expect((await move("--dry-run")).said).toContain(`Network ${id} was moved to west before`);
    expect((await move("--call-off", "--dry-run")).said).toContain("is served by west already");

    // Set back to before the move: what this cell has is all that there is.
    await arrivingAgain();
    await removeNetwork(west.pool, network.id);
    await west.pool.query(
      `alter table network_move_steps disable trigger append_only;
      delete from network_move_steps where noted_at > now() - interval '1 hour';
      alter table network_move_steps enable trigger append_only`,
    );
    expect((await move()).said).toContain("nobody serves it. Its rows are here still");
    expect((await remove()).said).toContain(`west does not serve network ${id}`);
    const rehearsed = await move("--call-off", "--dry-run");
    expect(rehearsed.said).toContain(
      `Would call off: network ${id} would be served here as it was`,
    );
    expect(await claimsIn(east)).toEqual([]);
    expect(await move("--call-off")).toEqual({
      code: 0,
      said: `Called off: network ${id} is served here as it was when it was switched, and 0 rows that had arrived were removed from the other cell.`,
    });
    expect((await claimsIn(east)).length).toBeGreaterThan(0);
    const next = await makeDebit(east.db, network, await makeAttorney(east.db, network));
    expect(next).toBeGreaterThan(1_000_000); // west may have given receipts the numbers before

    // Set back to the midst of the move: what had arrived then is not served.
    expect((await move()).code).toBe(0);
    expect(await debitsIn(west)).toBe(2);
    await makeAttorney(west.db, network);
    await arrivingAgain();
    const back = await run(from(west, east), "move-network", id, "--to", "OTHER");
    expect(back.said).toContain(`Network ${id} is on its way here from east (arriving)`);
    const differs = await move();
    expect(differs.code).toBe(1);
    expect(differs.said).toContain("attorneys (2 rows here, 3 there)");
    const rows = /(\d+) rows? that had arrived/;
    const wouldRemove = rows.exec((await move("--call-off", "--dry-run")).said)?.[1];
    expect(Number(wouldRemove)).toBeGreaterThan(4);
    expect(rows.exec((await move("--call-off")).said)?.[1]).toBe(wouldRemove);
    expect([await debitsIn(east), await debitsIn(west)]).toEqual([2, 0]);

    // Moved on from there: it is not served here again, and can be removed.
    expect((await move()).code).toBe(0);
    await west.pool.query(
      "insert into network_moves (network_id, direction, state, peer) values ($1, 'out', 'moved', 'north')",
      [network.id],
    );
    await removeNetwork(west.pool, network.id);
    for (const change of [
      "insert into network_moves (network_id, direction, state, peer) values ($1, 'in', 'arriving', 'north')",
      "update network_moves set state = 'removing' where network_id = $1", // it was to come back, and was called off
      "delete from network_moves where network_id = $1",
    ])
      await west.pool.query(change, [network.id]);
    expect((await move("--call-off")).said).toContain("is served by west already");
    expect((await remove()).said).toContain(`of network ${id}, which was moved to west.`);
    expect([await debitsIn(east), await debitsIn(west)]).toEqual([0, 0]);

    // Removed here, and the other cell set back to the midst of the move: what it has is the only copy.
    await arrivingAgain();
    for (const options of [["--dry-run"], []]) {
      const { code, said } = await move("--call-off", ...options);
      expect([code, said]).toEqual([1, expect.stringContaining("may be all that there is of it")]);
    }
  },
);

/** As a backup of the other cell has it that was made while the network was arriving there. */
async function arrivingAgain(): Promise<void> {
  await west.pool.query(
    "insert into network_moves (network_id, direction, state, peer) values ($1, 'in', 'arriving', 'east')",
    [network.id],
  );
  await guardNetwork(west.pool, network.id);
}

const claimsIn = async ({ pool }: Cell) =>
  (await pool.query("select from directory where of_network = $1 and cell = 'east'", [network.id]))
    .rows;
