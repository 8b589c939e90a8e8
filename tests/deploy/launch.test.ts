import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { findPostgres, stopPostgres } from "#kit/db/embedded-postgres/process.ts";
import { freePort, launch, type Launched } from "#tests/support/launched.ts";

let folder: string;
let started: Launched[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rn-launch-"));
  chmodSync(folder, 0o755); // it contains another user's data folder
});

afterEach(async () => {
  for (const launched of started) {
    try {
      launched.signalAll("SIGKILL");
    } catch {
      continue; // it has ended, as it should
    }
  }
  started = [];
});

afterAll(async () => {
  const data = join(folder, "data/postgres");
  const left = existsSync(data) ? await findPostgres(data) : null;
  if (left) await stopPostgres(data, left);
  rmSync(folder, { recursive: true, force: true });
});

describe("npm start", () => {
  test("says where it is ready, refuses a second one, and on Ctrl-C stops, and its database after the last command that uses it", async () => {
    const first = await start();
    const address = await first.ready;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    // Against the built server: a bundler once dropped such a check.
    expect((await fetch(`${address}/sign-in?next=%F1`)).status).toBe(400);

    const second = await start();
    const { code, stderr } = await second.ended;
    expect(code).toBe(1);
    expect(ownErrorLine(stderr)).toMatch(
      `Referral Network is already running on ${folder}/data at ${address} (process `,
    );

    const command = await openEmbeddedDatabase({
      dataDir: join(folder, "data"),
      log: () => undefined,
    });
    expect(command.startedHere).toBe(false);
    first.signalAll("SIGINT");
    expect((await first.ended).code).toBe(0);
    expect(await countOf(command.connectionString, "networks")).toBe(0);
    await command.stop();
    expect(await findPostgres(join(folder, "data/postgres"))).toBeNull();
  });

  test("recovers from kill -9 of everything but the database, of everything, of the server only, and of npm only", async () => {
    const first = await start();
    await first.ready;
    first.signalAll("SIGKILL");
    await first.ended;
    const orphan = await findPostgres(join(folder, "data/postgres"));
    expect(orphan?.state).toBe("ready");

    const second = await start();
    await second.ready;
    second.signalAll("SIGKILL");
    await second.ended;
    process.kill(orphan?.pid ?? 0, "SIGKILL");

    const third = await start();
    const address = await third.ready;
    const killed = (await findPostgres(join(folder, "data/postgres")))?.pid ?? 0;
    process.kill(killed, "SIGKILL");
    const status = async () => (await fetch(`${address}/readyz`)).status;
    await expect.poll(status).toBe(200);
    expect((await findPostgres(join(folder, "data/postgres")))?.pid).not.toBe(killed);

    third.signal("SIGKILL"); // npm only: the server does not outlive it
    await third.ended; // its pipes close when the last process holding them is gone

    const fourth = await start();
    await fourth.ready;
    fourth.signal("SIGTERM");
    expect((await fourth.ended).code).toBe(0);
    expect(await findPostgres(join(folder, "data/postgres"))).toBeNull();
  });
});

test("npm start says in one sentence that the port is in use", async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  const { code, stderr } = await (await start({ PORT: String(port) })).ended;
  other.close();
  expect(code).toBe(1);
  expect(ownErrorLine(stderr)).toMatch(`Port ${port} is in use`);
});

async function start(
  env: Record<string, string> = {},
  as: { cwd?: string; uid?: number; gid?: number } = {},
): Promise<Launched> {
  const port = String(await freePort());
  const launched = launch(["start"], {
    env: { DATA_DIR: join(folder, "data"), PORT: port, DEMO: "0", ...env },
    ...as,
  });
  started.push(launched);
  return launched;
}

/** The one line of stderr that is neither npm's nor progress. */
function ownErrorLine(stderr: string): string {
  const progress = /^($|npm |Installing |Building |Making |Waiting )/;
  const lines = stderr.split("\n").filter((line) => !progress.test(line));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

async function countOf(connectionString: string, table: string): Promise<number> {
  return Number((await query(connectionString, `select count(*) from ${table}`))["count"]);
}

async function query(
  connectionString: string,
  statement: string,
): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows[0] ?? {};
  } finally {
    await client.end();
  }
}
