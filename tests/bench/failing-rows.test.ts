import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { database, databaseTest, db } from "#tests/support/database-test.ts";
import { latencies } from "./exports.ts";
import { httpLoad, requestText } from "./load.ts";
import { startServer } from "./process.ts";
import { missedIn, type Row, tableOf } from "./row.ts";
import { measureGroups, refuseUnknown } from "./run-groups.ts";
import { attempt, attemptRows } from "./attempt.ts";
import { setTriggers, type World } from "./world.ts";

/* A failed row of the bench is reported as missed, and the others are still measured. */

const busy = "The service is busy. Nothing was changed; try again in a few seconds.";

let world: World;
let said: string[];

const test = databaseTest({ asOwner: true });
test.beforeEach(async () => {
  const { connectionString, ownerConnectionString } = database;
  const client = new pg.Client({ connectionString: ownerConnectionString });
  await client.connect();
  said = [];
  const log = (line: string) => void said.push(line);
  world = { connectionString, db, client, folder: ".", secret: "", rounds: 1, isQuick: true, log };
  onTestFinished(() => client.end().catch(() => undefined)); // a test has cut the connection
});

const good = async () => ({ unit: "s" as const, product: [1], limits: [] });

/** A server that answers 503 as ours does; `isAskedTwice` resolves with the second call. */
async function aBusyServer(): Promise<{ port: number; isAskedTwice: Promise<void> }> {
  let asked = 0;
  const { promise: isAskedTwice, resolve } = Promise.withResolvers<void>();
  const server = createServer((_, answer) => {
    asked += 1;
    if (asked === 2) resolve();
    const body = JSON.stringify({ success: false, object: null, message: busy });
    answer.writeHead(503, { "content-length": Buffer.byteLength(body) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo; // it listens on a port, not a pipe
  return { port, isAskedTwice };
}

test("a call answered with 503 fails only its own row, with the server's message", async () => {
  const { port } = await aBusyServer();
  const groups = {
    payments: async () => [
      await attempt(world, "posting", async () => {
        const { rate } = await httpLoad(port, 0.1, () => requestText("POST", "/", {}));
        return { unit: "calls/s", product: [rate], limits: [] };
      }),
      await attempt(world, "reading", good),
    ],
    search: async () => [await attempt(world, "finding", good)],
  };
  const rows = await measureGroups(world, groups, ["payments", "search"]);
  expect(rows.map(({ name }) => name)).toEqual(["posting", "reading", "finding"]);
  expect(rows.map(({ failure }) => failure)).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 503 .*The service is busy\./),
    undefined,
    undefined,
  ]);
  expect(missedIn(rows)).toBe(1);
  const [, , posting, reading] = tableOf(rows).split("\n");
  expect(posting).toMatch(
    /^\| posting \|.*\| \*\*missed\*\*: HTTP\/1\.1 503 .*The service is busy\..* \|$/,
  );
  expect(reading).toBe("| reading |  | 1.00 s |  |  |  |  |");
  expect(said.join("\n")).toContain(busy);
});

test("a group whose preparation fails is one missed row, and the next group begins", async () => {
  const groups = {
    checks: async () => {
      throw new Error("no room\nfor | tables");
    },
    search: async () => [await attempt(world, "finding", good)],
  };
  const rows = await measureGroups(world, groups, ["checks", "search"]);
  expect(rows).toMatchObject([
    { name: "checks", failure: "no room\nfor | tables" },
    { name: "finding", product: [1] },
  ]);
  expect(tableOf(rows).split("\n")[2]).toBe(
    "| checks |  |  |  |  |  | **missed**: no room for / tables |",
  );
});

test("an unknown group is refused before anything is measured", () => {
  const groups = { search: async () => [] };
  expect(() => refuseUnknown(groups, ["search", "searches"])).toThrow("--only is none of: search.");
  expect(() => refuseUnknown(groups, ["search"])).not.toThrow();
});

test("rows measured together are missed together, under one name", async () => {
  const rows = await attemptRows(world, "billing run", async () => {
    throw new Error("too slow");
  });
  expect(rows).toMatchObject([{ name: "billing run", failure: "too slow" }]);
  expect(missedIn(rows)).toBe(1);
});

test("limits not met count as missed, and so does each failed row", () => {
  const row: Row = {
    name: "slow",
    unit: "s",
    product: [2],
    limits: [{ what: "s", measured: 2, most: 1 }],
  };
  const failed: Row = { name: "failed", unit: "s", product: [], limits: [], failure: "503" };
  expect(missedIn([row, failed, { ...row, limits: [] }])).toBe(2);
});

test("what a failed row left in the database is undone: the next row finds the ledger's rules on and no open transaction", async () => {
  const { client } = world;
  const row = await attempt(world, "raw", async () => {
    await setTriggers(client, "disable");
    await client.query("begin");
    await client.query("select 1 / 0");
    return await good();
  });
  expect(row.failure).toBe("division by zero");
  const { rows } = await client.query(
    `select count(*)::integer as off from pg_trigger
     where tgrelid in ('debits'::regclass, 'entries'::regclass) and not tgisinternal and tgenabled = 'D'`,
  );
  expect(rows).toEqual([{ off: 0 }]);
});

test("a lost database fails only the rows that need it", async () => {
  const { client } = world;
  client.on("error", () => undefined);
  const select = async () => {
    await client.query("select pg_terminate_backend(pg_backend_pid())");
    return await good();
  };
  const groups = {
    raw: async () => [
      await attempt(world, "first", select),
      await attempt(world, "second", select),
    ],
    search: async () => [await attempt(world, "finding", good)],
  };
  const rows = await measureGroups(world, groups, ["raw", "search"]);
  expect(rows.map(({ failure }) => typeof failure)).toEqual(["string", "string", "undefined"]);
});

test("a server that has already exited is stopped immediately, and one that a group left running is stopped after the group", async () => {
  const gone = ["--eval", "console.log('ready'); process.exitCode = 3"];
  const server = await startServer(world, { program: gone });
  await server.stop();
  await server.stop(); // it has certainly exited by now

  const stays = ["--eval", "console.log('ready'); setInterval(() => undefined, 1000)"];
  const memories: (() => number)[] = [];
  const groups = {
    reads: async () => {
      memories.push((await startServer(world, { program: stays })).memory);
      throw new Error("The second server did not start.");
    },
  };
  await measureGroups(world, groups, ["reads"]);
  expect(memories.map((memory) => memory())).toEqual([0]);
});

test("failed calls during a report fail the row, not the bench", async () => {
  const { port, isAskedTwice } = await aBusyServer();
  const headers = { cookie: "", "x-csrf-token": "" };
  await expect(latencies({ server: { port }, headers }, isAskedTwice)).rejects.toThrow(busy);
});
