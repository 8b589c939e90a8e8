import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase, openPool } from "#db/database.ts";
import { makeAccount, makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { launchBrowser } from "#tests/support/chromium.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { installed } from "#tests/support/installed.ts";
import { cellsCaddy, cellsNginx } from "#tests/support/installed-proxies.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";

/*
 * What docs/operations.md says of cells, rehearsed with the machine's own PostgreSQL and proxies: two
 * complete installations with different secrets, joined by the commands, behind one front door that leads to
 * east unless a browser says otherwise. `npm run rehearse`.
 */

interface Cell {
  name: string;
  postgres: OwnPostgres;
  data: string;
  port: number;
  environment: Record<string, string>;
}

let parent: string;
let east: Cell;
let west: Cell;
let browser: Browser;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-cells-"));
  chmodSync(parent, 0o777);
  east = await aCell("east", "1000001-2000000");
  west = await aCell("west", "2000001-3000000");
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const cell of [east, west]) cell?.postgres.stop(cell.data);
  rmSync(parent, { recursive: true, force: true });
});

async function aCell(name: string, ids: string): Promise<Cell> {
  const folder = mkdtempSync(join(parent, `${name}-`));
  chmodSync(folder, 0o777);
  const postgres = await anOwnPostgres(installedPostgres(), folder);
  const data = postgres.folder("data");
  postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
  appendFileSync(join(data, "postgresql.conf"), "wal_level = logical\n");
  postgres.start(data);
  const environment = await aDatabase(postgres, `dues_${name}`, { CELL: name, ID_RANGE: ids });
  cli({ ...environment, ROLES: "web" }, "migrate");
  return { name, postgres, data, port: await freePort(), environment };
}

/** Of an owner of its own, whom a superuser has to help with subscriptions. */
async function aDatabase(postgres: OwnPostgres, name: string, identity: Record<string, string>) {
  await asSuperuser(
    postgres,
    "postgres",
    `do $$ begin create role dues login; exception when duplicate_object then null; end $$`,
    `create database ${name} owner dues encoding 'UTF8' template template0`,
  );
  const url = new URL(postgres.address(name));
  url.username = "dues";
  return {
    DATABASE_URL: url.href,
    DATA_DIR: mkdtempSync(join(parent, "files-")),
    APP_SECRET: randomBytes(24).toString("base64url"),
    SUBSCRIBER_DATABASE_URL: postgres.address(name),
    ...identity,
  };
}

async function asSuperuser(postgres: OwnPostgres, database: string, ...statements: string[]) {
  const client = new Client({ connectionString: postgres.address(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The role by which another cell hears of this one: it reads what it has to, and no account. */
async function addressForOthers({ postgres, name }: Cell): Promise<string> {
  await asSuperuser(
    postgres,
    `dues_${name}`,
    "create role listener login replication",
    "grant select on installation, cells, directory to listener",
    "grant select on all sequences in schema public to listener",
  );
  const url = new URL(postgres.address(`dues_${name}`));
  url.username = "listener";
  return url.href;
}

const program = join(projectFolder, "src/main/cli.ts");
const plain = { PATH: process.env["PATH"] };

function cli(environment: Record<string, string>, ...args: string[]): string {
  return execFileSync(process.execPath, [program, ...args], {
    env: { ...plain, ...environment },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** One that is refused: what it says, for people. */
function refused(environment: Record<string, string>, ...args: string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { ...plain, ...environment },
    encoding: "utf8",
  });
  expect(status).toBe(1);
  return stderr.trim();
}

async function inDatabaseOf<Answer>(
  { environment }: Cell,
  work: (db: ReturnType<typeof openDatabase>) => Promise<Answer>,
): Promise<Answer> {
  const pool = openPool({ connectionString: environment["DATABASE_URL"] ?? "", connections: 2 });
  try {
    return await work(openDatabase(pool));
  } finally {
    await pool.end();
  }
}

const knows = (cell: Cell, email: string) =>
  inDatabaseOf(cell, async (db) => {
    const query = db.selectFrom("directory").select("cell").where("key", "=", email);
    return (await query.execute()).map((entry) => entry.cell);
  });

test("cells are joined by a command in either, which refuses what would not work", async () => {
  const [toEast, toWest] = [await addressForOthers(east), await addressForOthers(west)];
  const inEast = { ...east.environment, OTHER_CELL_DATABASE_URL: toWest };
  const inWest = { ...west.environment, OTHER_CELL_DATABASE_URL: toEast };
  await inDatabaseOf(east, (db) => makeNetwork(db, { admin: { email: "before@east.example" } }));

  expect(refused({ ...east.environment, CELL: "north" }, "cells")).toBe(
    "CELL is north, and this database was given east before: it keeps that for good.",
  );
  const overlapping = await aDatabase(west.postgres, "overlapping", {
    CELL: "south",
    ID_RANGE: "1500001-1600000",
  });
  cli(overlapping, "migrate");
  expect(refused({ ...overlapping, OTHER_CELL_DATABASE_URL: toEast }, "join-cell")).toBe(
    "The ids 1500001-1600000 of south and 1000001-2000000 of east overlap: they would give the same id twice.",
  );
  const withoutRight = {
    ...inWest,
    SUBSCRIBER_DATABASE_URL: west.environment["DATABASE_URL"] ?? "",
  };
  expect(refused(withoutRight, "join-cell")).toContain("The role dues may not make subscriptions");

  expect(cli(inWest, "join-cell", "--dry-run")).toContain("west would hear of east");
  expect(cli(inWest, "join-cell")).toContain("west hears of east from now on; 2 entries copied.");
  expect(cli(inWest, "join-cell")).toContain("west is joined with east already.");
  expect(cli(inEast, "join-cell")).toContain("east hears of west from now on");
  await vi.waitUntil(
    () => cli(east.environment, "cells").includes("it has heard all of this one"),
    {
      timeout: 60_000,
      interval: 1_000,
    },
  );
  expect(await knows(west, "before@east.example")).toEqual(["east"]);
});

describe.each([
  ...installed("nginx").map((path) => ({ name: "nginx", before: cellsNginx, path })),
  ...installed("caddy").map((path) => ({ name: "Caddy", before: cellsCaddy, path })),
])("behind $name", ({ name, before, path }) => {
  test("whoever has an account in west signs in at the front door, and comes back", async () => {
    const proxy = await before(path, [east.port, west.port]);
    onTestFinished(() => proxy.close());
    const address = `http://127.0.0.1:${proxy.port}`;
    for (const cell of [east, west]) {
      const running = await start(cell, address);
      onTestFinished(async () => {
        running.signal("SIGINT");
        await running.ended;
      });
    }
    // Caddy asks the processes every two seconds how they are.
    const isOpen = async (cell: string) =>
      (await fetch(`${address}/sign-in`, { headers: { cookie: `cell=${cell}` } })).ok;
    await vi.waitUntil(async () => (await isOpen("east")) && (await isOpen("west")), {
      timeout: 60_000,
      interval: 200,
    });
    expect((await fetch(`${address}/metrics/`)).status).toBe(404);
    const { network, lawyer } = await peopleOf(west, name);
    const people = [network.admin.email, lawyer];
    await vi.waitUntil(
      async () =>
        (await Promise.all(people.map((one) => knows(east, one)))).every(
          (cells) => cells.length === 1,
        ),
      { timeout: 60_000 },
    );

    const page = await aPage();
    await page.goto(address);
    await signIn(page, lawyer, testPassword);
    await page.waitForURL(`${address}/dashboard`);
    expect(await cellCookie(page)).toBe("west");
    await page.goto(`${address}/account`);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${address}/sign-in`);
    await signIn(page, lawyer, "not the password");
    await page.getByText("The email address or the password is not right.").first().waitFor();
    await signIn(page, lawyer, testPassword);
    await page.waitForURL(`${address}/dashboard`);

    const desk = await aPage();
    await desk.goto(address);
    await signIn(desk, network.admin.email, testPassword);
    await desk.waitForURL(`${address}/admin`);
    const invited = `invited-${name}@west.example`.toLowerCase();
    const link = await desk.evaluate(async (email) => {
      const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
      const answer = await fetch("/administrators", {
        method: "POST",
        headers: { "content-type": "application/json", "x-csrf-token": token ?? "" },
        body: JSON.stringify({ name: "Noor Haddad", email }),
      });
      const { object } = await answer.json();
      return String(object.url);
    }, invited);
    await vi.waitUntil(async () => (await knows(east, invited)).includes("west"), {
      timeout: 60_000,
    });
    const made = inDatabaseOf(east, (db) => makeNetwork(db, { admin: { email: invited } }));
    await expect(made).rejects.toThrow("This email address already belongs to an account.");

    const guest = await aPage();
    await guest.goto(link);
    await guest.getByText("Noor Haddad").first().waitFor();
    expect(await cellCookie(guest)).toBe("west");
    await guest.getByLabel("Password").first().fill(testPassword);
    await guest.getByRole("button", { name: /password/i }).click();
    await guest.waitForURL((url) => url.pathname === "/admin");
  });
});

test("what two cells claim is shown, stops nothing, and a cell can leave and join again", async () => {
  const claim = { kind: "email" as const, key: "twice@example.org", ofNetwork: 1 };
  for (const cell of [east, west])
    await inDatabaseOf(cell, (db) =>
      db
        .insertInto("directory")
        .values({ ...claim, cell: cell.name })
        .execute(),
    );
  for (const cell of [east, west])
    await vi.waitUntil(async () => (await knows(cell, claim.key)).length === 2, {
      timeout: 60_000,
    });
  const shown = spawnSync(process.execPath, [program, "cells"], {
    env: { ...plain, ...east.environment },
    encoding: "utf8",
  });
  expect(shown.stdout).toMatch(/^Claimed by \w+ and \w+: email twice@example\.org\.$/m);
  expect(shown.status).toBe(1);

  expect(cli(east.environment, "leave-cell", "--cell", "west")).toContain("hears no more of west");
  expect(await knows(east, claim.key)).toEqual(["east"]);
  expect(refused(east.environment, "leave-cell", "--cell", "west")).toBe(
    "This cell is not joined with west.",
  );
  const address = new URL(west.postgres.address("dues_west"));
  address.username = "listener";
  const again = { ...east.environment, OTHER_CELL_DATABASE_URL: address.href };
  expect(cli(again, "join-cell")).toContain("east hears of west from now on");
  expect((await knows(east, claim.key)).toSorted()).toEqual(["east", "west"]);

  west.postgres.stop(west.data);
  try {
    expect(refused(east.environment, "leave-cell", "--cell", "west")).toContain(
      "If west is gone for good, add --gone.",
    );
    expect(cli(east.environment, "leave-cell", "--cell", "west", "--gone")).toContain(
      "drop the replication slot referral_network_to_east there",
    );
  } finally {
    west.postgres.start(west.data);
  }
});

async function start({ port, environment }: Cell, publicUrl: string): Promise<Deployed> {
  return await deploy(port, {
    ...environment,
    ROLES: "web",
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: "1",
    DRAIN_SECONDS: "0",
  });
}

async function peopleOf(
  cell: Cell,
  name: string,
): Promise<{ network: MadeNetwork; lawyer: string }> {
  return await inDatabaseOf(cell, async (db) => {
    const network = await makeNetwork(db, { name: `Lakeside ${name}` });
    await givePassword(db, network.admin.userId);
    const attorney = await makeAttorney(db, network);
    const { userId } = await makeAccount(db, network, attorney);
    await givePassword(db, userId);
    return { network, lawyer: attorney.email };
  });
}

async function aPage(): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return await context.newPage();
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function cellCookie(page: Page): Promise<string | undefined> {
  return (await page.context().cookies()).find(({ name }) => name === "cell")?.value;
}
