import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPostgres, stopPostgres } from "#kit/db/embedded-postgres/process.ts";
import { freePort, launch, type Launched, launchServer } from "#tests/support/launched.ts";
import { inBriefOr } from "#tests/support/rounds.ts";

/* A demo has accounts whose password is in the public documents: only this machine may reach it. */

const known = "demo-password-1";
const publicHost = { HOST: "0.0.0.0", NODE_ENV: "production" };
const behindProxy = { PUBLIC_URL: "http://dues.example", NODE_ENV: "production" };

let dataDir: string;
let running: Launched[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "rn-public-demo-"));
  running = [];
});

afterEach(async () => {
  for (const launched of running) {
    try {
      launched.signalAll("SIGKILL");
    } catch {
      continue; // it has ended, as it should
    }
  }
  const left = await findPostgres(join(dataDir, "postgres")).catch(() => null);
  if (left) await stopPostgres(join(dataDir, "postgres"), left);
  rmSync(dataDir, { recursive: true, force: true });
});

test("on a public address without a database no demo is made and the message says what to do; DEMO=1 makes one with a random password, printed once", async () => {
  const server = await start(publicHost);
  const empty = await server.ready;
  for (const email of ["admin@demo.test", "attorney@demo.test", "admin@lakeside.test"])
    expect(await statusOfSignIn(empty, email, known)).toBe(401);
  const { stdout } = await stopped(server);
  expect(stdout).toContain("There is no network yet.");
  expect(stdout).toMatch(/npm run cli -- create-network --name ".+" --time-zone America\/New_York/);
  expect(stdout).toMatch(/npm run cli -- create-admin --email \S+ --name ".+"/);
  expect(stdout).toContain("DEMO=1");
  expect(stdout).not.toContain(known);

  const first = await start({ ...publicHost, DEMO: "1" });
  const address = await first.ready;
  expect(await statusOfSignIn(address, "admin@demo.test", known)).toBe(401);
  const printed = (await stopped(first)).stdout;
  const password = passwordIn(printed);
  expect(password).toMatch(/^[\w-]{20,}$/);
  expect(printed.split(password)).toHaveLength(2);

  const second = await start({ ...publicHost, DEMO: "1" });
  const again = await second.ready;
  for (const email of ["admin@demo.test", "attorney@lakeside.test"]) {
    expect(await statusOfSignIn(again, email, password)).toBe(200);
    expect(await statusOfSignIn(again, email, known)).toBe(401);
  }
  const told = (await stopped(second)).stdout;
  expect(told).not.toContain(password);
  expect(told).not.toContain(known);
  expect(told).toContain("with the password that was printed when it was made");
});

test("a demo made on this machine is not opened to others with the public password", async () => {
  const here = await start({ HOST: "127.0.0.1" });
  const address = await here.ready;
  expect(await statusOfSignIn(address, "admin@demo.test", known)).toBe(200);
  expect(passwordIn((await stopped(here)).stdout)).toBe(known);

  const reaches = [
    { reach: publicHost, by: "HOST 0.0.0.0" },
    { reach: behindProxy, by: "PUBLIC_URL http://dues.example" },
  ];
  for (const { reach, by } of reaches) {
    for (const DEMO of inBriefOr([""], ["", "0"])) {
      const { code, stderr } = await (await start({ ...reach, DEMO })).ended;
      expect(code).toBe(1);
      expect(plainMessages(stderr).split("\n")).toContain(
        `The demo accounts in this database have a publicly known password, and ${by} can be reached from other machines. Set DEMO=1 to give them a random password, or start with another DATA_DIR or DATABASE_URL.`,
      );
    }
    for (const command of inBriefOr([], ["dev"])) {
      const developing = launch(["run", command], { env: await environment(reach) });
      running.push(developing);
      const refused = await developing.ended;
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /^The demo accounts in this database have a publicly known password/m,
      );
    }
  }

  const open = await start({ ...publicHost, DEMO: "1" });
  const publicly = await open.ready;
  expect(await statusOfSignIn(publicly, "admin@demo.test", known)).toBe(401);
  expect(await statusOfSignIn(publicly, "attorney@demo.test", known)).toBe(401);
  const password = passwordIn((await stopped(open)).stdout);
  expect(password).not.toBe(known);

  const back = await start({ HOST: "localhost" });
  expect(await statusOfSignIn(await back.ready, "admin@demo.test", password)).toBe(200);
  await stopped(back);
});

/** In production a process logs everything as JSON, while npm prints plain text. */
function plainMessages(printed: string): string {
  return printed
    .split("\n")
    .map((line) => {
      if (!line.startsWith("{")) return line;
      const { msg }: { msg: string } = JSON.parse(line);
      return msg;
    })
    .join("\n");
}

async function start(env: Record<string, string>): Promise<Launched> {
  const launched = launchServer({ env: await environment(env) });
  running.push(launched);
  return launched;
}

async function environment(env: Record<string, string>): Promise<Record<string, string>> {
  return { DATA_DIR: dataDir, PORT: String(await freePort()), ...env };
}

async function stopped(launched: Launched) {
  launched.signal("SIGTERM");
  const ended = await launched.ended;
  expect(ended.code).toBe(0);
  return { stdout: plainMessages(ended.stdout) };
}

const passwordIn = (printed: string) =>
  /Sign in to the demo with the password (\S+) as/.exec(printed)?.[1] ?? "";

/** As the sign-in page does it: its cookie, and the token in it. */
async function statusOfSignIn(address: string, email: string, password: string): Promise<number> {
  const page = await fetch(`${address}/sign-in`, { headers: { accept: "text/html" } });
  const token = /name="csrf-token" content="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const answer = await fetch(`${address}/api/auth/sign-in/email`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-csrf-token": token,
      cookie: page.headers
        .getSetCookie()
        .map((cookie) => cookie.split(";")[0])
        .join("; "),
    },
    body: JSON.stringify({ email, password }),
  });
  return answer.status;
}
