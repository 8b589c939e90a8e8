import { spawn } from "node:child_process";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import {
  cancelExport,
  type DataExport,
  listExports,
  retryExport,
} from "#kit/list/reports-contract.ts";
import { retryExport as tryAgain } from "#office/reports/exports.ts";
import { addPiece, removePieces } from "#office/reports/file-pieces.ts";
import { failureOf } from "#office/reports/failures.ts";
import { enqueueLostExports, prepareJob } from "#office/reports/prepare-job.ts";
import { removeExpired } from "#office/reports/remove-expired.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { adminIdentifier, anAdminSocket } from "#tests/support/cable.ts";
import {
  aReportWorker,
  aroundOf,
  downloaded,
  exportedFile,
  prepareAll,
  prepareNext,
} from "#tests/support/exports.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anApp, anotherApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* How files are prepared, and what happens when something goes wrong. */

let app: RunningApp;
let network: MadeNetwork;
let admin: Visitor;

beforeAll(async () => void (app = await anApp({ connections: 24, asOwner: true })));
beforeEach(async () => {
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
});
afterAll(() => app.close());

const attorneys = { report_type: "attorneys", columns: ["email", "balance"] };

async function order(visitor = admin, report: object = attorneys): Promise<number> {
  expect((await visitor.send("POST", "/data_export.json", report)).status).toBe(200);
  return (await listed(visitor)).id;
}

/** The newest report. */
async function listed(visitor = admin): Promise<DataExport> {
  const [item] = (await visitor.call(listExports)).items;
  if (!item) throw new Error("There is no report.");
  return item;
}

async function becomes(status: DataExport["status"], visitor = admin): Promise<DataExport> {
  return await vi.waitFor(
    async () => {
      const item = await listed(visitor);
      expect(item.status).toBe(status);
      return item;
    },
    { timeout: 90_000, interval: 20 },
  );
}

/** The attempts that have pieces, such as `12-1`. */
async function filesOf(): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    select distinct export_id || '-' || attempt as file from data_export_pieces
    where network_id = ${network.id} order by file`.execute(app.db);
  return rows.map(({ file }) => file);
}

/** How many reports recently failed, according to `/metrics`. */
async function failures(cause: string): Promise<number> {
  const line = new RegExp(`^exports_day_failures{cause="${cause}"} (\\d+)$`, "m");
  return Number(line.exec(await databaseMetrics(app.pool)())?.[1]);
}

/** Block readers of a table until released, so that an export stays under way. */
async function holdUp(table = "debits"): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: app.connectionString });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  let isHeld = true;
  const release = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  onTestFinished(release);
  return release;
}

describe("a report", () => {
  test("has all rows, in order, and says how many", async () => {
    const panel = (
      await Promise.all(Array.from({ length: 5 }, () => makePanel(app.db, network, 4_000)))
    ).flat();
    const { made, bytes } = await exportedFile(app, admin, {
      report_type: "attorneys",
      columns: ["attorney_id", "last_name"],
    });
    const lines = bytes.toString().split("\r\n");
    expect(lines).toHaveLength(20_002);
    expect(new Set(lines.slice(1, -1).map((line) => Number(line.split(",")[0])))).toEqual(
      new Set(panel),
    );
    expect(made).toMatchObject({ status: "ready", progress: 100, rows: 20_000, totalRows: 20_000 });
    expect(made.file?.bytes).toBe(bytes.length);
    const days = (Date.parse(made.expiresAt) - Date.parse(made.finishedAt ?? "")) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
    expect(await filesOf()).toEqual([`${made.id}-1`]);
  });

  test("shows one state of the database, without concurrent changes", async () => {
    await makePanel(app.db, network, 3_000);
    await order();
    let changed = 0;
    const changing = prepareNext({ ...aroundOf(app), log: vi.fn() });
    for (; changed < 20; changed += 1)
      await sql`update attorneys set phone = ${changed} where network_id = ${network.id}`.execute(
        app.db,
      );
    await changing;
    const made = await becomes("ready");
    expect(made.rows).toBe(3_000);
  });

  test("without rows has its header", async () => {
    const { bytes } = await exportedFile(app, admin, attorneys);
    expect(bytes.toString()).toBe("\uFEFFEmail,Balance\r\n");
  });

  test("reports its progress in real time", async () => {
    const socket = await anAdminSocket(app, network);
    const identifier = adminIdentifier(network, "DataExportsChannel");
    await socket.subscribe(identifier);
    await order();
    await prepareAll(app);
    await vi.waitUntil(() => socket.deliveries(identifier).length >= 2, 60_000);
    expect(socket.deliveries(identifier)[0]).toEqual({ type: "data_exports_changed" });
    socket.socket.terminate();
  });
});

describe("a report under way", () => {
  test("can be cancelled while it waits for a lock, leaves no file, and can be retried", async () => {
    await makeAttorney(app.db, network);
    const id = await order();
    const release = await holdUp();
    const preparing = prepareNext(aroundOf(app));
    await becomes("running");
    await admin.call(cancelExport, { params: { id } });
    await preparing; // although the table is still locked
    expect(await listed()).toMatchObject({ status: "failed", isCancelled: true, file: null });
    expect(await filesOf()).toEqual([]);
    await release();
    await admin.call(retryExport, { params: { id } });
    await vi.waitUntil(async () => {
      await prepareAll(app);
      return (await listed()).status === "ready";
    }, 60_000);
    expect(await listed()).toMatchObject({ status: "ready", isCancelled: false, rows: 1 });
  });

  test("is queued again when the worker stops, and restarted by another", async () => {
    await makeAttorney(app.db, network);
    await order();
    const release = await holdUp();
    const reports = await aReportWorker(app);
    await becomes("running");
    await reports.stop();
    expect(await listed()).toMatchObject({ status: "queued" });
    expect(await filesOf()).toEqual([]);
    await release();
    const other = await aReportWorker(app);
    expect(await becomes("ready")).toMatchObject({ rows: 1 });
    await other.stop();
  });

  test("says how many rows to expect before the first one", async () => {
    await makeDebit(app.db, network, await makeAttorney(app.db, network));
    await order(admin, {
      report_type: "subscription_debits",
      columns: ["debit_id", "adjustments"],
      range_mode: "all-time",
    });
    const release = await holdUp("entries"); // only the cells read it
    const preparing = prepareNext(aroundOf(app));
    await vi.waitFor(
      async () =>
        expect(await listed()).toMatchObject({ status: "running", rows: 0, totalRows: 1 }),
      { timeout: 60_000 },
    );
    await release();
    await preparing;
    expect(await listed()).toMatchObject({ status: "ready", rows: 1, totalRows: 1 });
  });

  test("is prepared by only one worker", async () => {
    await order();
    const release = await holdUp();
    const preparing = prepareNext(aroundOf(app));
    await becomes("running");
    expect(await prepareNext(aroundOf(app))).toBe(false);
    await release();
    await preparing;
    expect((await listed()).status).toBe("ready");
  });

  test("is restarted after its process was killed", async () => {
    await makeAttorney(app.db, network);
    const id = await order();
    const release = await holdUp();
    const worker = spawn(process.execPath, [join(projectFolder, "dist/server/start.js")], {
      env: {
        PATH: process.env["PATH"],
        ROLES: "worker",
        DATABASE_URL: app.connectionString,
        DATA_DIR: app.dataDir,
        APP_SECRET: app.secret,
      },
      stdio: "ignore",
    });
    await becomes("running");
    await expect.poll(filesOf, { timeout: 60_000 }).toEqual([`${id}-1`]); // its header
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGKILL");
    await ended;
    expect(await filesOf()).toEqual([`${id}-1`]);
    const url = `/data_exports/${id}/file`;
    expect((await downloaded(app, admin, url)).status).toBe(404);
    expect(await listed()).toMatchObject({ status: "running", file: null });
    // The database notices that the client is gone, even while it waits for the lock.
    const reports = await aReportWorker(app);
    await expect.poll(filesOf, { timeout: 90_000 }).toEqual([`${id}-2`]);
    await release();
    expect(await becomes("ready")).toMatchObject({ rows: 1 });
    expect(await filesOf()).toEqual([`${id}-2`]);
    await reports.stop();
  });

  test("whose database connection is cut is restarted", async () => {
    const id = await order();
    const release = await holdUp();
    const preparing = prepareNext(aroundOf(app));
    await becomes("running");
    const isCut = async () => {
      const { rows } = await sql<{ cut: boolean }>`
        select pg_terminate_backend(pid) as cut from pg_stat_activity
        where datname = current_database() and query like 'copy (%'`.execute(app.db);
      return rows.length === 1;
    };
    const problem = preparing.catch((reason: unknown) => reason);
    await vi.waitUntil(isCut, { timeout: 60_000 });
    expect(String(await problem)).toContain("terminat");
    expect(await listed()).toMatchObject({ status: "running", failureReason: null });
    await release();
    await prepareAll(app);
    expect(await listed()).toMatchObject({ id, status: "ready" });
  });

  test("whose job was cleared gets exactly one new job", async () => {
    await order();
    await sql`delete from pgboss.job where name = ${prepareJob}`.execute(app.db);
    expect(await prepareNext(aroundOf(app))).toBe(false);
    await enqueueLostExports(app.db);
    await enqueueLostExports(app.db);
    expect(await prepareNext(aroundOf(app))).toBe(true);
    expect(await prepareNext(aroundOf(app))).toBe(false);
    expect((await listed()).status).toBe("ready");
  });

  test("cancelled while waiting and retried has one job, not two", async () => {
    const id = await order();
    for (let time = 0; time < 6; time += 1) {
      await admin.call(cancelExport, { params: { id } });
      await admin.call(retryExport, { params: { id } });
    }
    const { rows } = await sql<{ jobs: number }>`
      select count(*) as jobs from pgboss.job
      where name = ${prepareJob} and state < 'completed' and (data ->> 'id')::bigint = ${id}`.execute(
      app.db,
    );
    expect(rows[0]?.jobs).toBe(1);
    await prepareAll(app);
    expect((await listed()).status).toBe("ready");
  });

  test("keeps its file although an earlier, hung attempt continues", async () => {
    const { made, bytes } = await exportedFile(app, admin, attorneys);
    const hung = { networkId: network.id, id: made.id, attempt: 0 };
    expect(await addPiece(app.db, hung, 0, Buffer.from("late"))).toBe(false);
    await removePieces(app.db, hung);
    expect(await filesOf()).toEqual([`${made.id}-1`]);
    expect((await downloaded(app, admin, made.file?.url ?? "")).bytes.equals(bytes)).toBe(true);
  });

  test("keeps its file although its attempt never learned that it is ready", async () => {
    const { made, bytes } = await exportedFile(app, admin, attorneys);
    await removePieces(app.db, { networkId: network.id, id: made.id, attempt: 1 });
    expect((await downloaded(app, admin, made.file?.url ?? "")).bytes.equals(bytes)).toBe(true);
  });

  test("is queued with its record, or not at all", async () => {
    const count = async () => {
      const { rows } = await sql<{ jobs: number; records: number }>`
        select (select count(*) from pgboss.job where name = ${prepareJob}) as jobs,
          (select count(*) from data_exports) as records`.execute(app.db);
      return rows[0];
    };
    const before = await count();
    await app.pool.query(`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'No more.'; end $$`);
    onTestFinished(async () => void (await app.pool.query("drop function refuse cascade")));
    await app.pool.query(`create constraint trigger refuse after insert on data_exports
      deferrable initially deferred for each row execute function refuse()`); // on commit
    await expect(admin.send("POST", "/data_export.json", attorneys)).rejects.toThrow("500");
    expect(await count()).toEqual(before);
  });

  test("that stopped the server five times is given up", async () => {
    await order();
    await sql`update data_exports set status = 'running', takeovers = 4 where network_id = ${network.id}`.execute(
      app.db,
    );
    await prepareAll(app);
    expect(await listed()).toMatchObject({
      status: "failed",
      failureReason:
        "It was started five times, and each time the server stopped before it was done.",
    });
  });

  test("fails with a clear message if the database's disk is full, and counts as failed until it is prepared", async () => {
    const id = await order();
    const before = await failures("database");
    await app.pool.query(`create function fill() returns trigger language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    onTestFinished(async () => void (await app.pool.query("drop function if exists fill cascade")));
    await app.pool.query(
      "create trigger fill before insert on data_export_pieces for each row execute function fill()",
    );
    const context = aroundOf(app);
    await prepareNext(context);
    expect(await listed()).toMatchObject({
      status: "failed",
      failureReason: "There is no space left on the database's disk. Make room, then try again.",
    });
    expect(context.log.mock.calls).toEqual([
      [`Report ${id} could not be prepared: error: could not extend file`],
    ]);
    expect(await filesOf()).toEqual([]);
    expect(await failures("database")).toBe(before + 1);

    await app.pool.query("drop function fill cascade");
    await admin.call(retryExport, { params: { id } });
    await prepareAll(app);
    expect(await listed()).toMatchObject({ status: "ready", failureReason: null });
    expect(await failures("database")).toBe(before);
  });

  test("says that an unexpected failure is ours", () => {
    expect(failureOf(new Error("What?"))).toEqual({
      failureCause: "other",
      failureReason:
        "Something went wrong on our side. Try again. If it happens again, tell us when.",
    });
  });
});

describe("networks", () => {
  test("take turns: one with many reports does not keep another waiting", async () => {
    for (let count = 0; count < 3; count += 1) await order();
    const other = await makeNetwork(app.db);
    const visitor = await signedIn(app, "admin", other);
    await order(visitor);
    const release = await holdUp();
    const preparing = [prepareNext(aroundOf(app))];
    await vi.waitFor(async () => {
      const { rows } = await sql<{ running: number }>`
        select count(*) as running from data_exports where status = 'running'`.execute(app.db);
      expect(rows[0]?.running).toBe(1);
    }, 60_000);
    preparing.push(prepareNext(aroundOf(app)));
    await becomes("running", visitor);
    await release();
    await Promise.all(preparing);
    await prepareAll(app);
  });
});

describe("a file", () => {
  test("cannot be downloaded before it is ready or after it expires", async () => {
    const id = await order();
    const url = `/data_exports/${id}/file`;
    expect((await downloaded(app, admin, url)).status).toBe(404);
    await prepareAll(app);
    expect((await downloaded(app, admin, url)).status).toBe(200);
    await sql`update data_exports set expires_at = now() where id = ${id}`.execute(app.db);
    expect((await downloaded(app, admin, url)).status).toBe(404);
    expect((await listed()).file).toBeNull();
  });

  test("can be downloaded in parts", async () => {
    await makePanel(app.db, network, 50);
    const { made, bytes } = await exportedFile(app, admin, attorneys);
    const part = async (range: string, more = {}) =>
      await downloaded(app, admin, made.file?.url ?? "", { range, ...more });
    const first = await part("bytes=0-99");
    expect([first.status, first.headers["content-range"], first.headers["content-length"]]).toEqual(
      [206, `bytes 0-99/${bytes.length}`, "100"],
    );
    const rest = await part("bytes=100-", { "if-range": String(first.headers["etag"]) });
    expect(Buffer.concat([first.bytes, rest.bytes]).equals(bytes)).toBe(true);
    expect((await part("bytes=-10")).bytes.equals(bytes.subarray(-10))).toBe(true);
    expect((await part(`bytes=5-${bytes.length * 2}`)).bytes.equals(bytes.subarray(5))).toBe(true);
    const outside = await part(`bytes=${bytes.length}-`);
    expect([outside.status, outside.headers["content-range"]]).toEqual([
      416,
      `bytes */${bytes.length}`,
    ]);
    expect(outside.headers["content-type"]).toContain("application/json");
    for (const odd of ["bytes=9-5", "bytes=a-b", "lines=1-2", "bytes=0-1,5-6", "bytes=-"])
      expect([odd, (await part(odd)).status]).toEqual([odd, 200]);
    const other = await part("bytes=0-1", { "if-range": '"another"' });
    expect([other.status, other.bytes.length]).toEqual([200, bytes.length]);
  });

  test("is not sent again to a client that has it", async () => {
    const { made } = await exportedFile(app, admin, attorneys);
    const url = made.file?.url ?? "";
    const tag = String((await downloaded(app, admin, url)).headers["etag"]);
    expect(tag).toMatch(/^"/);
    for (const given of [tag, `W/${tag}`, `"a", ${tag}`, `W/"a",W/${tag}`, "*"]) {
      const reply = await downloaded(app, admin, url, { "if-none-match": given });
      expect([given, reply.status, reply.bytes.length]).toEqual([given, 304, 0]);
      expect(reply.headers["etag"]).toBe(tag);
    }
    for (const given of ['"another"', tag.slice(1, -1), ""])
      expect((await downloaded(app, admin, url, { "if-none-match": given })).status).toBe(200);
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await downloaded(app, stranger, url, { "if-none-match": "*" })).status).toBe(404);
  });

  test("answers HEAD with its whole length", async () => {
    const { made, bytes } = await exportedFile(app, admin, attorneys);
    const url = made.file?.url ?? "";
    const reply = await admin.sendRaw({ method: "HEAD", url, headers: { range: "bytes=0-9" } });
    expect([reply.status, reply.headers["content-length"], reply.text]).toEqual([
      200,
      String(bytes.length),
      "",
    ]);
    const tag = String(reply.headers["etag"]);
    const again = await admin.sendRaw({ method: "HEAD", url, headers: { "if-none-match": tag } });
    expect(again.status).toBe(304);
  });

  test("of many pieces can be downloaded whole and in parts, across pieces", async () => {
    await makePanel(app.db, network, 20_000);
    const { made, bytes } = await exportedFile(app, admin, {
      report_type: "attorneys",
      columns: ["attorney_id", "first_name", "last_name", "email", "phone"],
    });
    const { rows } = await sql<{ startByte: number }>`
      select start_byte from data_export_pieces where network_id = ${network.id} order by start_byte`.execute(
      app.db,
    );
    expect(rows.length).toBeGreaterThan(2); // the header is one
    expect(bytes.length).toBe(made.file?.bytes);
    for (const { startByte } of rows.slice(1)) {
      const range = `bytes=${startByte - 1}-${startByte}`;
      const part = await downloaded(app, admin, made.file?.url ?? "", { range });
      expect(part.bytes.equals(bytes.subarray(startByte - 1, startByte + 1))).toBe(true);
    }
  });

  test("removed during a download ends with an error, not as if complete", async () => {
    await makePanel(app.db, network, 20_000);
    const { made, bytes } = await exportedFile(app, admin, {
      report_type: "attorneys",
      columns: ["attorney_id", "first_name", "last_name", "email", "phone"],
    });
    const { id } = made;
    await sql`delete from data_export_pieces where export_id = ${id} and start_byte > 100`.execute(
      app.db,
    );
    const beside = await anotherApp(app);
    onTestFinished(() => beside.close());
    const address = await beside.server.listen({ port: 0, host: "127.0.0.1" });
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${address}${made.file?.url}`, {
      headers: { cookie },
    });
    expect(answer.headers.get("content-length")).toBe(String(bytes.length));
    await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
    await sql`delete from data_export_pieces where export_id = ${id}`.execute(app.db);
    expect((await downloaded(app, admin, made.file?.url ?? "")).status).toBe(500);
  });

  test("is removed after it expires, with any leftovers", async () => {
    const { made } = await exportedFile(app, admin, attorneys);
    const { made: kept, bytes } = await exportedFile(app, admin, attorneys);
    const cancelled = await order();
    await admin.call(cancelExport, { params: { id: cancelled } });
    await sql`
      insert into data_export_pieces (network_id, export_id, attempt, start_byte, bytes)
      values (${network.id}, ${cancelled}, 1, 0, 'left by a process that was killed'),
        (${network.id}, ${kept.id}, 0, 0, 'left by an earlier attempt')`.execute(app.db);
    const late = new Date(Date.parse(kept.expiresAt) - 1).toISOString();
    await sql`update data_exports set expires_at = ${late} where id = ${made.id}`.execute(app.db);
    await removeExpired(app.db, late);
    expect(await filesOf()).toEqual([`${kept.id}-1`]);
    const { items } = await admin.call(listExports);
    expect(items.map(({ id, file }) => [id, file !== null])).toEqual([
      [cancelled, false],
      [kept.id, true],
    ]);
    expect((await downloaded(app, admin, kept.file?.url ?? "")).bytes.equals(bytes)).toBe(true);
  });

  test("that failed is also removed when it expires, and not retried then", async () => {
    const id = await order();
    await admin.call(cancelExport, { params: { id } });
    await sql`update data_exports set expires_at = now() where id = ${id}`.execute(app.db);
    await removeExpired(app.db, new Date(Date.now() + 1).toISOString());
    expect(await admin.call(listExports)).toMatchObject({ items: [], total: 0 });
    expect((await admin.ask(retryExport, { params: { id } })).status).toBe(404);
    expect((await admin.ask(cancelExport, { params: { id } })).status).toBe(404);
  });

  test("that is retried while expired ones are removed is kept", async () => {
    const id = await order();
    await admin.call(cancelExport, { params: { id } });
    await sql`update data_exports set expires_at = now() where id = ${id}`.execute(app.db);
    let removing: Promise<void> | undefined;
    await inTransaction(app.db, async (tx) => {
      await tryAgain(tx, network.admin, id);
      removing = removeExpired(app.db, new Date(Date.now() + 1).toISOString());
      await vi.waitFor(async () => expect(await waitingForLocks(app.db)).toBe(1), 60_000);
    });
    await removing;
    await prepareAll(app);
    expect(await listed()).toMatchObject({ id, status: "ready" });
  });

  test("made by one server is downloaded from another", async () => {
    const { made, bytes } = await exportedFile(app, admin, attorneys);
    const beside = await anotherApp(app);
    const visitor = await signedIn(beside, "admin", network);
    expect((await downloaded(beside, visitor, made.file?.url ?? "")).bytes.equals(bytes)).toBe(
      true,
    );
    await beside.close();
  });
});
