import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { today } from "#domain/calendar.ts";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { hashOfApiToken, newApiToken } from "#http/api-tokens.ts";
import { allSecrets } from "#features/cards/settings/encrypted-secrets.ts";
import { makeAccount, makePanel } from "#features/demo/records/attorneys.ts";
import { makeEnrolments, makePlan } from "#features/demo/records/dues.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { createDueDebits } from "#features/ledger/billing.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { demoAccounts } from "#sandboxes/accounts.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";
import { payADollar, type PayingLawyer, PayingLawyers } from "#tests/support/paying-lawyers.ts";
import { aSession } from "#tests/support/visitor.ts";

/*
 * What docs/operations.md says of moving a network, rehearsed with the built product on the machine's own
 * PostgreSQL: two cells with different secrets, two networks of 100,000 debits each, whose administrators record
 * checks all the while, whose lawyers pay by card, and which are billed. One of them is moved there, and back again by a command that is
 * killed time after time. Both cells, the load and the command share the machine: each figure is printed.
 */

const panelSize = 2_000;
const months = 50;
const debits = panelSize * months;
/** The cells' own workers bill through today at each full hour: what is billed at first is all that is due by then. */
const thisMonth = today("America/New_York").with({ day: 1 });
const monthsLater = (count: number) => thisMonth.add({ months: count }).toString();
const clients = 4;
const lawyers = 4;
const kills = 10;

interface Cell {
  name: string;
  postgres: OwnPostgres;
  data: string;
  environment: Record<string, string>;
  product: Deployed;
  pool: pg.Pool;
  db: Db;
}

interface World {
  id: number;
  network: MadeNetwork;
  token: string;
  /** Each is owed on by one attorney. */
  owed: { attorney: number; debit: number }[];
}

let parent: string;
let sandboxes: Sandboxes;
let east: Cell;
let west: Cell;
let moving: World;
let staying: World;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-move-"));
  chmodSync(parent, 0o777);
  sandboxes = await startSandboxes({ port: 0 });
  east = await aCell("east", "1000001-2000000");
  west = await aCell("west", "2000001-3000000");
  moving = await aWorld("Moving Bar");
  staying = await aWorld("Staying Bar");
  await east.pool.query("vacuum analyze");
}, 300_000);

afterAll(async () => {
  for (const cell of [east, west]) {
    cell?.product.signal("SIGKILL");
    await cell?.pool.end();
    cell?.postgres.stop(cell.data);
  }
  await sandboxes?.close();
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
  const superuser = new Client({ connectionString: postgres.address("postgres") });
  await superuser.connect();
  await superuser.query("create role dues login replication");
  await superuser.query("create database dues owner dues encoding 'UTF8' template template0");
  await superuser.end();
  const url = new URL(postgres.address("dues"));
  url.username = "dues";
  const dataDir = join(folder, "files");
  mkdirSync(dataDir);
  const environment = {
    DATABASE_URL: url.href,
    DATA_DIR: dataDir,
    APP_SECRET: randomBytes(24).toString("base64url"),
    CELL: name,
    ID_RANGE: ids,
    RATE_LIMITS: "0",
    DEMO: "1", // has the product pay through the stand-ins for card processors
    SANDBOX_PORT: new URL(sandboxes.origin).port,
  };
  const product = await deploy(await freePort(), { ROLES: "web,worker", ...environment });
  const pool = openPool({ connectionString: url.href, connections: 4, statementTimeoutMs: 0 });
  return { name, postgres, data, environment, product, pool, db: openDatabase(pool) };
}

/** A network of 100,000 debits, made by sets, with a token for programs and keys of a card processor. */
async function aWorld(name: string): Promise<World> {
  const { db, pool, environment } = east;
  const network = await makeNetwork(db, { name });
  const panel = await makePanel(db, network, panelSize);
  const plan = await makePlan(db, network, { amountCents: 500_00 });
  const startDate = monthsLater(1 - months);
  await makeEnrolments(db, panel, plan, { startDate, enrolledOn: monthsLater(-months) });
  await createDueDebits(db, { networkId: network.id, asOf: thisMonth });
  const token = newApiToken();
  await pool.query(
    `insert into api_tokens (network_id, name, scope, hash, last_four, created_by)
      values ($1, 'Load', 'write', $2, $3, 'Ada Min')`,
    [network.id, hashOfApiToken(token), token.slice(-4)],
  );
  await takesCards({ db, secret: environment["APP_SECRET"] ?? "" }, network, "anet");
  const { rows } = await pool.query<{ attorney: number; debit: number }>(
    `select attorney_id as attorney, min(id) as debit from debits where network_id = $1
      group by attorney_id order by attorney_id`,
    [network.id],
  );
  return { id: network.id, network, token, owed: rows };
}

/** Some lawyers of a network, signed in at a cell. */
async function signedInLawyers(cell: Cell, { network, owed }: World): Promise<PayingLawyer[]> {
  const secret = cell.environment["APP_SECRET"] ?? "";
  return await Promise.all(
    owed.slice(-lawyers).map(async ({ attorney, debit }) => {
      const person = { id: attorney, firstName: "Panel", lastName: `Member ${attorney}` };
      const email = `lawyer-${attorney}@example.test`;
      const { userId } = await makeAccount(cell.db, network, { ...person, email });
      return { ...(await aSession({ db: cell.db, secret }, userId)), debit };
    }),
  );
}

const addressOf = ({ product }: Cell) => `http://127.0.0.1:${product.port}`;

/** People of one network who record a check for a dollar, and the next one as soon as that is answered. */
class Load {
  /** The numbers of those that were acknowledged. */
  readonly acknowledged: string[] = [];
  readonly times: { at: number; ms: number }[] = [];
  readonly unexpected = new Set<string>();
  /** When the first was refused since `watch`, and when one was recorded after that. */
  refusedAt: number | null = null;
  servedAt: number | null = null;
  #isOver = false;
  #watches = false;
  readonly #world: World;
  /** Where to ask, first one first; whoever is refused asks the next one. */
  readonly #cells: Cell[];
  readonly #prefix: string;
  readonly #all: Promise<void>[];

  constructor(world: World, cells: Cell[], prefix: string) {
    this.#world = world;
    this.#cells = cells;
    this.#prefix = prefix;
    this.#all = Array.from({ length: clients }, (_, number) => this.#record(number));
  }

  watch(): void {
    this.#watches = true;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all);
  }

  p99(from: number, to: number): number {
    const times = this.times.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
    return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  }

  async #record(client: number): Promise<void> {
    let at = 0;
    for (let number = 0; !this.#isOver; number += 1) {
      const check = `${this.#prefix}-${client}-${number}`;
      const { attorney, debit } = this.#world.owed[(number * clients + client) % panelSize] ?? {
        attorney: 0,
        debit: 0,
      };
      const body = JSON.stringify({
        check_number: check,
        amount: "1.00",
        received_on: yesterday(),
        attorney_id: attorney,
        shares: { [debit]: "1.00" },
      });
      for (;;) {
        const begun = performance.now();
        const answer = await this.#post(this.#cells[at % this.#cells.length], body);
        if (answer === 200) {
          const now = performance.now();
          if (this.refusedAt !== null) this.servedAt ??= now;
          this.acknowledged.push(check);
          this.times.push({ at: begun, ms: now - begun });
          break;
        }
        if (this.#watches) this.refusedAt ??= begun;
        if (answer === "lost") break; // nobody knows whether it was recorded: the next one
        at += 1;
        await pause(10);
        if (this.#isOver) return;
      }
      await pause(20);
    }
  }

  async #post(cell: Cell | undefined, body: string): Promise<200 | "refused" | "lost"> {
    const answer = await fetch(`http://127.0.0.1:${cell?.product.port}/checks`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#world.token}`, "content-type": "application/json" },
      body,
      redirect: "manual",
    }).catch(() => null);
    if (answer === null) return "lost";
    const text = await answer.text();
    if (answer.status === 200) return 200;
    if (![503, 401, 307].includes(answer.status)) this.unexpected.add(`${answer.status}: ${text}`);
    return "refused";
  }
}

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

const program = join(projectFolder, "src/main/cli.ts");

function asMover(from: Cell, to: Cell): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    ...from.environment,
    OTHER: to.postgres.address("dues"),
    OTHER_APP_SECRET: to.environment["APP_SECRET"] ?? "",
  };
}

const moveArgs = (...more: string[]) => [
  program,
  "move-network",
  String(moving.id),
  "--to",
  "OTHER",
  ...more,
];

async function move(
  from: Cell,
  to: Cell,
  ...more: string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, moveArgs(...more), { env: asMover(from, to) });
  let said = "";
  child.stdout.on("data", (piece) => (said += String(piece)));
  child.stderr.on("data", (piece) => (said += String(piece)));
  const [code] = (await once(child, "exit")) as [number | null];
  return { code, said };
}

function removeMoved(
  from: Cell,
  to: Cell,
): { status: number | null; stdout: string; stderr: string } {
  const args = [program, "remove-moved-network", String(moving.id), "--to", "OTHER"];
  return spawnSync(process.execPath, args, { env: asMover(from, to), encoding: "utf8" });
}

function billing(cell: Cell, asOf: string): void {
  const env = { PATH: process.env["PATH"], ...cell.environment };
  execFileSync(process.execPath, [program, "billing", "--as-of", asOf], { env, stdio: "ignore" });
}

/**
 * What the processor has charged is in the cell once, with all that was acknowledged. What was begun and has
 * never reached the processor is called off after minutes and two looks: it is made older for them.
 */
async function expectCharges(cell: Cell, acknowledged: string[]): Promise<void> {
  const isDecided = async () => {
    const { rows } = await cell.pool.query(
      `update card_payments set created_at = created_at - interval '3 hours', next_look_at = now()
       where network_id = $1 and state = 'processing' returning 1`,
      [moving.id],
    );
    return rows.length === 0;
  };
  await vi.waitUntil(isDecided, { timeout: 240_000, interval: 3_000 });
  const { rows } = await cell.pool.query<{ charge: string; hash: string }>(
    `select transaction_id as charge, token_hash as hash from card_payments
     where network_id = $1 and state = 'captured' order by 1`,
    [moving.id],
  );
  const charged = sandboxes.anet
    .charges()
    .filter(({ state }) => state === "captured" || state === "settled")
    .map(({ id }) => id);
  expect(rows.map(({ charge }) => charge)).toEqual(charged.toSorted());
  const hashes = new Set(rows.map(({ hash }) => hash));
  expect(acknowledged.filter((hash) => !hashes.has(hash))).toEqual([]);
}

/** Each acknowledged check is in the cell once; what nobody acknowledged may be there once, too. */
async function expectRecorded(cell: Cell, ...loads: Load[]): Promise<void> {
  const { rows } = await cell.pool.query<{ number: string }>(
    "select check_number as number from received_checks where network_id = $1",
    [moving.id],
  );
  const found = rows.map(({ number }) => number);
  expect(new Set(found).size).toBe(found.length);
  const acknowledged = loads.flatMap((load) => load.acknowledged);
  const there = new Set(found);
  expect(acknowledged.filter((number) => !there.has(number))).toEqual([]);
}

async function offences(db: Db, networkId: number): Promise<string[]> {
  const checks = await verifyLedger(db, networkId);
  return checks.flatMap(({ examples }) => examples.map(({ offence }) => offence));
}

async function leftBehind(cell: Cell): Promise<string[]> {
  const { rows } = await cell.pool.query<{ name: string }>(
    `select slot_name::text as name from pg_replication_slots
      union all select pubname::text from pg_publication where pubname like 'referral_network_move%'
      union all select subname::text from pg_subscription where subname like 'referral_network_move%'
      union all select tgname::text from pg_trigger where tgname like 'unserved_network_%' and tgenabled <> 'D'`,
  );
  return rows.map(({ name }) => name);
}

async function rowsOf(cell: Cell): Promise<number> {
  const { rows } = await cell.pool.query<{ rows: number }>(
    "select (select count(*) from debits where network_id = $1) + (select count(*) from networks where id = $1) as rows",
    [moving.id],
  );
  return rows[0]?.rows ?? 0;
}

test("a move is called off, and everything is as before", { timeout: 300_000 }, async () => {
  const said = await move(east, west, "--dry-run");
  expect(said).toMatchObject({ code: 0 });
  expect(said.said).toContain("Nothing is in the way.");
  expect(await leftBehind(east)).toEqual([]);
  expect(removeMoved(east, west).stderr).toContain("was not moved from here: nothing was removed.");

  const child = spawn(process.execPath, moveArgs(), {
    env: asMover(east, west),
    stdio: "ignore",
  });
  const isCopying = async () => (await rowsOf(west)) > 0;
  await vi.waitUntil(isCopying, { timeout: 60_000, interval: 50 });
  child.kill("SIGKILL");
  await once(child, "exit");
  const calledOff = await move(east, west, "--call-off");
  expect(calledOff.said).toContain("Called off");
  expect(await rowsOf(west)).toBe(0);
  expect(await leftBehind(east)).toEqual([]);
  expect(await leftBehind(west)).toEqual([]);
  const { rows } = await west.pool.query("select from network_moves");
  expect(rows).toEqual([]);
});

test(
  "a network of 100,000 debits moves while it is worked with",
  { timeout: 600_000 },
  async () => {
    const loads = [new Load(moving, [east, west], "M"), new Load(staying, [east], "S")] as const;
    const [ofMoving, ofStaying] = loads;
    const paying = new PayingLawyers(await signedInLawyers(east, moving), {
      address: addressOf(east),
      sandboxes,
    });
    const begun = performance.now();
    await pause(15_000); // so long it is measured how the other network usually fares
    const usual = ofStaying.p99(begun + 3_000, performance.now());
    billing(east, monthsLater(1));
    ofMoving.watch();
    const movedFrom = performance.now();
    const { code, said } = await move(east, west);
    expect({ code, said }).toMatchObject({ code: 0 });
    await vi.waitUntil(() => ofMoving.servedAt !== null, { timeout: 60_000 });
    const movedTo = performance.now();
    await pause(2_000);
    await Promise.all([...loads.map((load) => load.end()), paying.end()]);
    const paid = paying.attempts.filter(({ status }) => status === 200);
    const during = ofStaying.p99(movedFrom, movedTo);
    const pausedMs = (ofMoving.servedAt ?? 0) - (ofMoving.refusedAt ?? 0);
    console.log(
      `${debits.toLocaleString("en-US")} debits moved in ${((movedTo - movedFrom) / 1000).toFixed(1)} s; ` +
        `writes paused for ${(pausedMs / 1000).toFixed(2)} s; ${ofMoving.acknowledged.length} checks and ${paid.length} card payments meanwhile; ` +
        `the other network's p99 ${usual.toFixed(0)} ms usually, ${during.toFixed(0)} ms during the move\n${said}`,
    );
    expect([...ofMoving.unexpected, ...ofStaying.unexpected]).toEqual([]);
    const refusedWith = paying.attempts.filter(({ status }) => status !== 200);
    expect(refusedWith.map(({ status }) => status)).toEqual(
      Array(lawyers).fill(expect.toBeOneOf([503, 307, 202])),
    );
    expect(pausedMs).toBeLessThan(5_000);
    // Both cells, the load and the command share a few processors here, which cells on machines of their own do not.
    expect(during).toBeLessThan(Math.max(2 * usual, usual + 150));
    await expectRecorded(west, ofMoving);
    expect(await rowsOf(west)).toBeGreaterThan(debits);
    expect(await offences(west.db, moving.id)).toEqual([]);
    expect(await offences(east.db, staying.id)).toEqual([]);
    expect(await leftBehind(west)).toEqual([]);
    // A payment that the pause cut off is decided first: nobody pays again while it is.
    await expectCharges(
      west,
      paid.map(({ tokenHash }) => tokenHash),
    );
    // The keys are used at the other cell, by who signed in there.
    const [lawyer] = await signedInLawyers(west, moving);
    if (!lawyer) throw new Error("Nobody could pay.");
    const there = await payADollar(lawyer, { address: addressOf(west), sandboxes });
    expect(there).toMatchObject({ status: 200 });
    await expectCharges(
      west,
      [...paid, there].map(({ tokenHash }) => tokenHash),
    );
    const secrets = await allSecrets(west.db, moving.id);
    const opened = await Promise.all(
      secrets.map((one) => one.decrypt(west.environment["APP_SECRET"] ?? "")),
    );
    expect(opened).toEqual([expect.stringContaining(demoAccounts.anet.transactionKey)]);
    billing(west, monthsLater(2));
    billing(east, monthsLater(2));
    const { rows } = await west.pool.query<{ of: number; debits: number }>(
      `select count(*) as of, count(distinct (enrolment_id, period)) as debits from debits where network_id = $1`,
      [moving.id],
    );
    expect(rows).toEqual([{ of: panelSize * (months + 2), debits: panelSize * (months + 2) }]);
  },
);

test(
  "killed at any moment, a move is finished by giving it again",
  { timeout: 1_800_000 },
  async () => {
    expect((await move(west, east)).said).toContain("its rows are there still");
    expect(removeMoved(east, west)).toMatchObject({ status: 0 });
    expect(await rowsOf(east)).toBe(0);
    expect(await leftBehind(east)).toEqual([]);

    const load = new Load(moving, [west, east], "K");
    const states: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const child = spawn(process.execPath, moveArgs(), {
        env: asMover(west, east),
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      // Half of them at any moment, half about the pause and the switch, which are short.
      const isLate = kill % 2 === 1;
      const isSwitching = async () =>
        child.exitCode !== null || ["paused", "moved"].includes(await stateIn(west));
      if (isLate) await vi.waitUntil(isSwitching, { timeout: 180_000, interval: 20 });
      await Promise.race([pause(Math.random() * (isLate ? 1_200 : 8_000)), ended]);
      child.kill("SIGKILL");
      await ended;
      states.push(await stateIn(west));
    }
    const { code, said } = await move(west, east);
    expect({ code, said }).toMatchObject({ code: 0 });
    const before = load.acknowledged.length;
    await vi.waitUntil(() => load.acknowledged.length > before, { timeout: 60_000 });
    await load.end();
    console.log(
      `Killed ${kills} times, when it was ${states.join(", ")}; ${load.acknowledged.length} checks recorded.`,
    );
    expect([...load.unexpected]).toEqual([]);
    await expectRecorded(east, load);
    expect(await offences(east.db, moving.id)).toEqual([]);
    expect(await leftBehind(west)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^referral_network_move/)]),
    );
    expect((await move(west, east, "--call-off")).said).toContain("is served by east already");
    expect(removeMoved(west, east)).toMatchObject({ status: 0 });
    expect(await rowsOf(west)).toBe(0);
  },
);

async function stateIn(cell: Cell): Promise<string> {
  const { rows } = await cell.pool.query<{ state: string }>(
    "select state from network_moves where network_id = $1",
    [moving.id],
  );
  return rows[0]?.state ?? "not begun";
}
