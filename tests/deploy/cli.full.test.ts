import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { findPostgres } from "#kit/db/embedded-postgres/process.ts";
import { projectFolder } from "#tests/support/launched.ts";

/*
 * Commands on a data folder whose database is already running, and interrupted commands, as an operator sees
 * them. `npm test` checks who starts and stops a database in embedded-database.test.ts, and single commands
 * in cli.test.ts.
 */

const folder = mkdtempSync(join(tmpdir(), "cli-"));
const dataDir = join(folder, "data");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running = () => findPostgres(join(dataDir, "postgres"));

function start(...args: string[]) {
  const child = spawn(process.execPath, [join(projectFolder, "src/main/cli.ts"), ...args], {
    env: { PATH: process.env["PATH"], DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ended = async () => {
    const [stdout, stderr] = await printed;
    return { code: await code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  };
  return { child, ended };
}

test("a command beside a running database migrates it and leaves it running", async () => {
  const server = await openEmbeddedDatabase({ dataDir, log: () => undefined });
  const first = await start("migrate").ended();
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(first.stdout).toMatch(/^Applied \d+ migrations: 0001_networks\.sql, /);
  const second = await start("migrate").ended();
  expect(second).toEqual({ code: 0, stdout: "The database is up to date.", stderr: "" });
  expect(await running()).toMatchObject({ state: "ready" });
  await server.stop();
  expect(await running()).toBeNull();
});

test("an interrupted command reports its progress and stops the database", async () => {
  await start("create-network", "--name", "Big", "--time-zone", "UTC").ended();
  const big = ["--attorneys", "200000", "--plans", "1", "--months", "12"];
  const { child, ended } = start("seed", ...big);
  child.stderr.once("data", () => child.kill("SIGINT"));
  const { code, stdout, stderr } = await ended();
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toMatch(/^Adding attorneys: \d+ % \(\d+ s\)/);
  expect(await running()).toBeNull();
});
