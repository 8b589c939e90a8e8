import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { findPostgres } from "#kit/db/embedded-postgres/process.ts";
import { freePort, launch, type Launched, projectFolder } from "#tests/support/launched.ts";

/* Users and folders that npm start may meet. `npm test` checks its messages and crashes in launch.test.ts. */

const isRoot = process.getuid?.() === 0;
const nobodyUid = 65_534;
const started: Launched[] = [];

afterEach(async () => {
  for (const launched of started.splice(0)) {
    try {
      launched.signalAll("SIGKILL");
    } catch {
      continue; // it has ended, as it should
    }
  }
});

// Only root can become another user, or make a folder that it can enter and others cannot.
describe.runIf(isRoot)("a copy of the project", () => {
  let parent: string;
  let copy: string;

  beforeAll(() => {
    parent = mkdtempSync(join(inject("diskFolder"), "rn-launch-copy-"));
    chmodSync(parent, 0o755);
    copy = join(parent, "closed/project");
    mkdirSync(copy, { recursive: true });
    for (const name of readdirSync(projectFolder)) {
      const apart = ["node_modules", ".git", ".data"].includes(name);
      if (!apart) cpSync(join(projectFolder, name), join(copy, name), { recursive: true });
    }
    // hard links where possible: half a gigabyte
    execFileSync("cp", ["-a", "--link", join(projectFolder, "node_modules"), copy]);
  });

  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test("starts as an ordinary user", async () => {
    const dataDir = join(parent, "data-of-nobody");
    mkdirSync(dataDir);
    chownSync(dataDir, nobodyUid, nobodyUid);
    const server = await start(
      { DATA_DIR: dataDir, HOME: dataDir },
      { cwd: copy, uid: nobodyUid, gid: nobodyUid },
    );
    await server.ready;
    server.signal("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });

  test("starts as root from a folder that nobody else may enter", async () => {
    chmodSync(join(parent, "closed"), 0o700);
    const server = await start({ DATA_DIR: ".data" }, { cwd: copy });
    await server.ready;
    const database = await findPostgres(join(copy, ".data/postgres"));
    const program = readFileSync(`/proc/${database?.pid}/status`, "utf8");
    expect(program).toMatch(/^Uid:\t(?!0\t)/m);
    server.signal("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });
});

async function start(
  env: Record<string, string>,
  as: { cwd: string; uid?: number; gid?: number },
): Promise<Launched> {
  const port = String(await freePort());
  const launched = launch(["start"], { env: { PORT: port, DEMO: "0", ...env }, ...as });
  started.push(launched);
  return launched;
}
