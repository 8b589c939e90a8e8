import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPool } from "#kit/db/database.ts";
import { openLog } from "#kit/ops/log.ts";
import { createWorkerHealth } from "#kit/http/worker-health.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/* What `/readyz` answers and logs. The reasons are logged elsewhere. */

let database: TestDatabase;
let pool: pg.Pool;
let lines: Record<string, unknown>[];
const open: FastifyInstance[] = [];

beforeAll(async () => {
  database = await aTestDatabase();
  pool = openPool({ connectionString: database.connectionString, connections: 2 });
});
beforeEach(() => void (lines = []));
afterAll(async () => {
  await Promise.all(open.map((health) => health.close()));
  await pool.end();
  await database.drop();
});

function aHealth({ isReady }: { isReady: boolean }, ofPool = pool): FastifyInstance {
  const health = createWorkerHealth({
    pool: ofPool,
    registry: new Registry(),
    metricsToken: null,
    databaseMetrics: async () => "",
    log: openLog("info", { write: (line) => void lines.push(JSON.parse(line)) }),
    needs: [{ message: "DATA_DIR cannot be used.", isReady: async () => isReady }],
  });
  open.push(health);
  return health;
}

test("a process with everything it needs is ready", async () => {
  const answer = await aHealth({ isReady: true }).inject("/readyz");
  expect([answer.statusCode, answer.body, lines]).toEqual([200, "ready\n", []]);
});

test("one that lacks something says what, without a failed request in the log", async () => {
  const answer = await aHealth({ isReady: false }).inject("/readyz");
  expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "2"]);
  expect(answer.json()).toEqual({
    success: false,
    object: null,
    message: "DATA_DIR cannot be used.",
  });
  expect(lines).toMatchObject([
    { level: "info", why: "DATA_DIR cannot be used.", msg: "not ready" },
  ]);
});

test("one with a read-only database is not ready, such as a standby or a full disk", async () => {
  const connectionString = `${database.connectionString}&options=-c%20default_transaction_read_only%3Don`;
  const readOnly = openPool({ connectionString, connections: 1 });
  const answer = await aHealth({ isReady: true }, readOnly).inject("/readyz");
  await readOnly.end();
  expect([answer.statusCode, answer.json().message]).toEqual([503, "The database is read-only."]);
});

test("a stopping one is not ready, which is not a failure either", async () => {
  const health = aHealth({ isReady: true });
  await health.listen({ host: "127.0.0.1", port: 0 });
  const skip = new AbortController();
  const left = health.drain(600_000, skip.signal);
  expect((await health.inject("/readyz")).statusCode).toBe(503);
  skip.abort();
  await left;
  expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
});
