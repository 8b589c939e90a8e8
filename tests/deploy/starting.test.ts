import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, vi } from "vitest";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { testDatabases } from "#tests/support/test-database.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Processes as the systemd units run them, and their answers to a wrong environment. */

const misfortunes = fileURLToPath(new URL("../support/print-and-crash.ts", import.meta.url));

interface Unit {
  port: number;
  child: ChildProcess;
  /** Its exit code, once it has exited and all its output is here. */
  ended: Promise<number | null>;
  /** Every line of stdout and stderr. Throws if one is not JSON. */
  lines(): Line[];
}

interface Line {
  level: string;
  time: string;
  msg: string;
}

let web: Unit;
let worker: Unit;
const units: Unit[] = [];

const test = appTest();
test.beforeAll(async () => {
  [web, worker] = await Promise.all([start({ ROLES: "web" }), start({ ROLES: "worker" })]);
  for (const unit of [web, worker])
    await vi.waitUntil(async () => (await readiness(unit)) === 200, { timeout: 60_000 });
});
afterAll(async () => {
  for (const { child } of units) child.kill("SIGKILL");
  await Promise.all(units.map(({ ended }) => ended));
});

async function start(environment: Record<string, string>): Promise<Unit> {
  const port = await freePort();
  const program = ["--import", misfortunes, join(projectFolder, "dist/server/start.js")];
  const child = spawn(process.execPath, program, {
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      DEMO: "0",
      PORT: String(port),
      ...(environment["ROLES"] === "worker" && { HEALTH_PORT: String(port) }),
      DATABASE_URL: app.connectionString,
      DATABASE_CONNECTIONS: "150", // too many for two processes, which they log
      DATA_DIR: app.dataDir,
      APP_SECRET: app.secret,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = [collect(child.stdout), collect(child.stderr)];
  const unit: Unit = {
    port,
    child,
    ended: once(child, "close").then(([code]: (number | null)[]) => code ?? null),
    lines: () =>
      printed
        .flatMap((text) => text().split("\n").slice(0, -1))
        .map((line): Line => JSON.parse(line)),
  };
  units.push(unit);
  return unit;
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (more: string) => (text += more));
  return () => text;
}

const readiness = async ({ port }: Unit) =>
  (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status;

const messages = (unit: Unit) => unit.lines().map(({ msg }) => msg);

/** Why a process that was started like this exited. */
async function refusal(environment: Record<string, string>): Promise<string[]> {
  const unit = await start(environment);
  expect(await unit.ended).toBe(1);
  expect(unit.lines().at(-1)).toMatchObject({ level: "fatal" });
  return messages(unit).filter((message) => !message.includes("DATABASE_CONNECTIONS"));
}

test.each(inBriefOr(["web"], ["web", "worker"]))(
  "a process for %s with a different APP_SECRET refuses to start",
  async (ROLES) => {
    expect(await refusal({ ROLES, APP_SECRET: "another secret of thirty-two characters" })).toEqual(
      [
        expect.stringMatching(
          /^APP_SECRET is not this database's secret. Start with the secret that its other processes have. .*\.$/,
        ),
      ],
    );
  },
);

test("a worker refuses an unusable DATA_DIR, since it stores email there; a web process needs none", async () => {
  const DATA_DIR = "/proc/none/here";
  expect(await refusal({ ROLES: "worker", DATA_DIR })).toEqual([
    expect.stringMatching(/^The data folder \/proc\/none\/here\S* cannot be .* with DATA_DIR\.$/),
  ]);
  const other = await start({ ROLES: "web", DATA_DIR, DATABASE_CONNECTIONS: "10" });
  await expect.poll(() => readiness(other), { timeout: 60_000 }).toBe(200);
  other.child.kill("SIGTERM");
  expect(await other.ended).toBe(0);
});

test("a public process warns that its role owns the tables, and refuses to start if it also knows the owner's password", async () => {
  const owner = new URL((await testDatabases()).connectionString);
  owner.pathname = new URL(app.connectionString).pathname;
  const APP_SECRET = "another one: Zs3v8YkT1mJxW5bN7rLc2Hd";
  expect(await refusal({ HOST: "0.0.0.0", DATABASE_URL: owner.href, APP_SECRET })).toEqual([
    expect.stringMatching(
      /^The role referral_network of DATABASE_URL owns tables of the database, /,
    ),
    expect.stringMatching(/^APP_SECRET is not this database's secret/),
  ]);
  expect(await refusal({ HOST: "0.0.0.0", MIGRATE_DATABASE_URL: owner.href })).toEqual([
    expect.stringMatching(/^MIGRATE_DATABASE_URL must not be set for a process that serves others/),
  ]);
});

test("the built server has no characters that would take two bytes of memory each", () => {
  const folder = join(projectFolder, "dist/server");
  const built = readFileSync(join(folder, ".parts"), "utf8").split("\n").filter(Boolean);
  expect(built.length).toBeGreaterThan(10);
  const others = [...built, "start.js"].flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => /[^\0-\u{ff}]/u.test(line)),
  );
  expect(others).toEqual([]);
});

test("every log line is JSON, also from Node and packages and at a crash", async () => {
  for (const { child } of [web, worker]) child.kill("SIGUSR2");
  for (const unit of [web, worker])
    await expect
      .poll(() => messages(unit))
      .toEqual(
        expect.arrayContaining([
          "This goes away.",
          "A package names …@…\nand goes on.",
          "A package fails: a row is refused",
          "A package is glad.",
          expect.stringContaining("Set DATABASE_CONNECTIONS lower"),
        ]),
      );
  for (const unit of [web, worker]) expect(JSON.stringify(unit.lines())).not.toContain("Lovelace");
  expect(messages(web)).toContain(`Referral Network is ready at http://localhost:${web.port}`);
  expect(messages(worker)).toContain("Referral Network's worker is ready.");

  for (const { child } of [web, worker]) child.kill("SIGHUP");
  for (const unit of [web, worker]) {
    expect(await unit.ended).toBe(1);
    expect(unit.lines().filter(({ level }) => level === "fatal")).toMatchObject([
      {
        err: {
          message: "Nobody caught this.",
          stack: expect.stringContaining("print-and-crash.ts"),
        },
      },
    ]);
    for (const { level, time, msg } of unit.lines())
      expect([level, Number.isNaN(Date.parse(time)), typeof msg]).toEqual([
        expect.stringMatching(/^(debug|info|warn|error|fatal)$/),
        false,
        "string",
      ]);
  }
});
