import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { expect, onTestFinished, vi } from "vitest";
import { guardNetwork, unguardNetwork } from "#features/cells/guard.ts";
import { endMove, type MoveState } from "#features/cells/network-moves.ts";
import { networkTables } from "#features/cells/network-tables.ts";
import { removeNetwork } from "#features/cells/remove-network.ts";
import { prepareExportJob } from "#features/exports/jobs.ts";
import type { JobContext } from "#jobs/job.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { recurringJobs } from "#main/worker.ts";
import { addressesAt } from "#sandboxes/processors.ts";
import { app } from "#tests/support/app-test.ts";
import { type FullNetwork, makeFullNetwork, rowsOf } from "#tests/support/full-network.ts";
import { copyWithSameIds } from "#tests/support/same-ids.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";

/*
 * Whoever adds a job that looks through networks: it must leave out those that this cell does not serve
 * (src/db/served-here.ts), and makeFullNetwork must have work for it.
 */

const test = cellTest();

/** Stands in for all processors, answers nothing that anybody understands, and counts. */
async function aDeafProcessor() {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.writeHead(404).end(); // after which nobody tries again
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port, not a pipe
  return { asked, addresses: addressesAt(`http://127.0.0.1:${port}`) };
}

type Processor = Awaited<ReturnType<typeof aDeafProcessor>>;

/** Every recurring job once; that of webhooks until it has posted what waits in `served`. */
async function runEveryJob(processor: Processor, served: FullNetwork | null): Promise<string[]> {
  const { db, sessions, dataDir, mail, secret } = app;
  const context: JobContext = {
    db,
    sessions,
    dataDir,
    mail,
    secret,
    now: () => Temporal.Now.instant(),
    log: () => undefined,
    publicUrl: "http://localhost:3000",
  };
  const jobs = recurringJobs(processor.addresses);
  for (const { name, run } of jobs) {
    const stopping = new AbortController();
    const running = run(context, stopping.signal);
    if (name === "send-webhooks" && served) {
      await vi.waitUntil(() => wasPosted(served), { timeout: 60_000 });
      stopping.abort();
    }
    await running.catch((problem: unknown) => {
      throw new Error(`The job ${name} failed`, { cause: problem });
    });
  }
  const { rows } = await sql<{ networkId: number; id: number }>`
    select network_id, id from data_exports where status = 'queued'`.execute(db);
  const prepare = prepareExportJob();
  for (const about of rows) await prepare.run(context, about, new AbortController().signal);
  return jobs.map(({ name }) => name);
}

async function wasPosted({ id }: FullNetwork): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_deliveries where network_id = ${id} and attempts > 0 limit 1`.execute(
    app.db,
  );
  return rows.length > 0;
}

async function outboxOf(dataDir: string): Promise<string> {
  const folder = join(dataDir, "outbox");
  const names = await readdir(folder).catch(() => []);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

test("no job touches a network that is not served here, and every one does its work in the others", async () => {
  const tables = await networkTables(owner.pool);
  const processor = await aDeafProcessor();
  const states: MoveState[] = ["arriving", "paused", "moved"];
  const unserved: FullNetwork[] = [];
  for (const state of states) {
    const network = await makeFullNetwork(app);
    await moveNetworkTo(owner.db, network.id, state);
    await guardNetwork(owner.pool, network.id);
    unserved.push(network);
  }
  const contents = async () =>
    await Promise.all(unserved.map(({ id }) => rowsOf(owner.db, id, tables)));
  const before = await contents();

  await runEveryJob(processor, null);
  expect(await contents()).toEqual(before);
  expect(processor.asked).toEqual([]);
  expect(await outboxOf(app.dataDir)).toBe("");
  const metrics = await databaseMetrics(app.pool)();
  for (const name of [
    "unbilled_debits",
    "mails_queued",
    "card_payments_in_flight",
    "exports_queued",
  ])
    expect(metrics).toMatch(new RegExp(`^${name} 0$`, "m"));

  const served = await makeFullNetwork(app);
  const untouched = await rowsOf(owner.db, served.id, tables);
  await runEveryJob(processor, served);
  expect(await contents()).toEqual(before);
  expect(processor.asked).not.toEqual([]);
  const outbox = await outboxOf(app.dataDir);
  expect(outbox).toContain(served.name);
  for (const { name } of unserved) expect(outbox).not.toContain(name);
  const touched = await rowsOf(owner.db, served.id, tables);
  const changed = Object.keys(touched).filter(
    (name) => JSON.stringify(touched[name]) !== JSON.stringify(untouched[name]),
  );
  expect(changed).toEqual(expect.arrayContaining(workOfJobs));

  // What had waited while it was paused is done once it is served again.
  const [, paused] = unserved;
  if (!paused) throw new Error("one is paused");
  await unguardNetwork(owner.pool, paused.id);
  await endMove(owner.db, paused.id);
  await runEveryJob(processor, paused);
  expect(await outboxOf(app.dataDir)).toContain(paused.name);
});

test("no job takes rows of another network for those of the same ids", async () => {
  const tables = await networkTables(owner.pool);
  const served = await makeFullNetwork(app);
  const copy = await copyWithSameIds(owner.pool, served.id);
  await moveNetworkTo(owner.db, copy, "arriving");
  const before = await rowsOf(owner.db, copy, tables);
  await runEveryJob(await aDeafProcessor(), served);
  expect(await rowsOf(owner.db, copy, tables)).toEqual(before);
  const kept = await rowsOf(owner.db, served.id, tables);
  await removeNetwork(owner.pool, copy);
  expect(await rowsOf(owner.db, served.id, tables)).toEqual(kept);
});

/** Tables in which jobs have something to do in a full network. */
const workOfJobs = [
  "attorneys", // suspended
  "audit_entries",
  "billing_runs",
  "card_payments",
  "card_refunds",
  "card_sessions",
  "data_export_schedules",
  "data_exports",
  "debits",
  "email_changes",
  "idempotency_keys",
  "mails",
  "networks", // statements were mailed
  "sessions",
  "sign_in_links",
  "unbilled_counts",
  "users", // whose address has changed
  "webhook_deliveries",
  "webhook_messages",
];
