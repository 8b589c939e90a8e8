import { expect, onTestFinished, test } from "vitest";
import { Temporal } from "temporal-polyfill";
import { inTransaction } from "#kit/db/transaction.ts";
import { showSession } from "#kit/contract/session.ts";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { hashPassword } from "#access/sign-in/password-hash.ts";
import { givePasswords } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { openConfiguredDemo } from "#main/configured-demo.ts";
import { readConfig } from "#kit/ops/config.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

/*
 * The passwords of demo accounts are public: nobody else may reach a demo, at its own address or through a proxy on the
 * same machine.
 */

const behindProxy = { PUBLIC_URL: "https://dues.example" };
const reaches: Record<string, string>[] = [
  behindProxy,
  { PUBLIC_URL: "http://192.168.1.5:3000" },
  { HOST: "0.0.0.0" },
];
const accounts = ["admin@demo.test", "attorney@demo.test", "admin@lakeside.test"];

test.for(inBriefOr([behindProxy], reaches))(
  "reachable by %o, an empty database gets no demo by default, and with DEMO=1 one with a random password, printed once",
  async (reach) => {
    const app = await anEmptyApp();
    expect(await open(app, reach)).toEqual({ lines: null, printed: "" });
    expect(await app.db.selectFrom("networks").select("id").execute()).toEqual([]);

    const { lines, printed } = await open(app, { ...reach, DEMO: "1" });
    expect(lines).toEqual([]); // printed immediately, in case the start fails later
    const password = passwordIn(printed);
    expect(password).toMatch(/^[\w-]{20,}$/);
    expect(printed.split(password)).toHaveLength(2);
    for (const email of accounts) {
      expect((await signIn(app, email, demoPassword)).status).toBe(401);
      expect((await signIn(app, email, password)).status).toBe(200);
    }

    const again = await open(app, { ...reach, DEMO: "1" });
    expect(again.printed).toBe("");
    expect(again.lines?.join("\n")).toContain(
      "with the password that was printed when it was made",
    );
    expect((await signIn(app, "admin@demo.test", password)).status).toBe(200);
  },
);

test("a demo made on this machine is not opened to others with the public password", async () => {
  const app = await anEmptyApp();
  const { lines } = await open(app, { PUBLIC_URL: "http://localhost:8080" });
  expect(passwordIn(lines?.join("\n") ?? "")).toBe(demoPassword);
  const { status, visitor } = await signIn(app, "admin@demo.test", demoPassword);
  expect(status).toBe(200);

  for (const reach of reaches)
    for (const DEMO of ["", "0"]) {
      const [[name, value] = []] = Object.entries(reach);
      await expect(open(app, { ...reach, DEMO })).rejects.toThrow(
        `The demo accounts in this database have a publicly known password, and ${name} ${value} can be reached from other machines. Set DEMO=1 to give them a random password, or start with another DATA_DIR or DATABASE_URL.`,
      );
    }
  expect(await open(app, { ...behindProxy, ROLES: "worker" })).toMatchObject({ lines: null });

  const { printed } = await open(app, { ...behindProxy, DEMO: "1" });
  for (const email of accounts) {
    expect((await signIn(app, email, demoPassword)).status).toBe(401);
    expect((await signIn(app, email, passwordIn(printed))).status).toBe(200);
  }
  expect((await visitor.call(showSession)).user).toBeNull(); // everybody is signed out
  expect(await open(app, behindProxy)).toEqual({ lines: null, printed: "" });
});

test("a demo beside a real network also gets a random password", async () => {
  const app = await anEmptyApp();
  await makeNetwork(app.db, { name: "Real" });
  const password = await hashPassword(demoPassword);
  const { admin } = await inTransaction(app.db, async (tx) => {
    const network = await makeNetwork(tx, { name: "Moved here" });
    await givePasswords(tx, [network.admin.userId], password);
    return network;
  });
  await expect(open(app, behindProxy)).rejects.toThrow("a publicly known password");
  const { lines, printed } = await open(app, { ...behindProxy, DEMO: "1" });
  expect(lines).toBeNull();
  expect((await signIn(app, admin.email, demoPassword)).status).toBe(401);
  expect((await signIn(app, admin.email, passwordIn(printed))).status).toBe(200);
});

async function anEmptyApp(): Promise<RunningApp> {
  const app = await anApp();
  onTestFinished(() => app.close());
  return app;
}

/** What a start prints with the address, and what it prints immediately. */
async function open(app: RunningApp, environment: Record<string, string>) {
  const printed: string[] = [];
  const lines = await openConfiguredDemo(readConfig(environment), app.pool, {
    now: () => Temporal.Now.instant(),
    print: (line) => printed.push(line),
  });
  return { lines, printed: printed.join("\n") };
}

const passwordIn = (text: string) =>
  /Sign in to the demo with the password (\S+) as/.exec(text)?.[1] ?? "";

async function signIn(
  app: RunningApp,
  email: string,
  password: string,
): Promise<{ status: number; visitor: Visitor }> {
  const visitor = aVisitor(app);
  const { status } = await visitor.send("POST", "/api/auth/sign-in/email", { email, password });
  return { status, visitor };
}
