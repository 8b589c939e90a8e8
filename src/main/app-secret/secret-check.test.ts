import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { verifyAppSecret, findSecretProblem } from "#main/app-secret/secret-check.ts";
import { rotateSecret } from "#main/app-secret/secret-rotation.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let db: Db;
let dataDir: string;

beforeEach(async () => {
  database = await aTestDatabase();
  db = openDatabase(openPool({ connectionString: database.connectionString, connections: 4 }));
  dataDir = mkdtempSync(join(tmpdir(), "referral-network-secret-"));
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

const starting = (appSecret: string | null) => verifyAppSecret(db, { appSecret, dataDir });
const rotate = (oldSecret: string, newSecret: string, skipsUnreadable = false) =>
  inTransaction(db, (tx) => rotateSecret(tx, { oldSecret, newSecret, skipsUnreadable }));

const refused =
  /^APP_SECRET is not this database's secret\. Start with the secret that its other processes have\. If it is lost for good, stop all processes, run rotate-secret with --skip-unreadable \(/;

test("the first process's secret is required of all later ones", async () => {
  expect(await starting("one")).toBe("one");
  expect(await starting("one")).toBe("one");
  await expect(starting("other")).rejects.toThrow(refused);
  expect(await findSecretProblem(db, "one")).toBeNull();
});

test("of two processes started together with different secrets, one is refused", async () => {
  const ends = await Promise.allSettled(["one", "other"].map((secret) => starting(secret)));
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("an older database requires the secret that decrypts its stored secrets", async () => {
  await takesCards({ db, secret: "one" }, await makeNetwork(db), "anet");
  await expect(starting("other")).rejects.toThrow(refused);
  expect(await starting("one")).toBe("one");
});

test("secrets lost in an earlier rotation do not stop a start", async () => {
  for (const secret of ["lost", "one"])
    await takesCards({ db, secret }, await makeNetwork(db), "anet");
  expect(await starting("one")).toBe("one");
});

test("after a rotation the new secret is required, and a running process with the old one is told", async () => {
  await starting("one");
  await rotate("one", "two");
  await expect(starting("one")).rejects.toThrow(refused);
  expect(await starting("two")).toBe("two");
  expect(await findSecretProblem(db, "one")).toMatch(
    /^APP_SECRET was replaced while this process ran/,
  );
});

test("a rotation from the wrong old secret changes nothing, unless the old one is lost", async () => {
  await starting("one");
  await expect(rotate("guessed", "two")).rejects.toThrow(
    "Nothing was changed: APP_SECRET is not this database's secret.",
  );
  expect(await starting("one")).toBe("one");
  await rotate("two", "two", true);
  expect(await starting("two")).toBe("two");
});

test("a secret in the data folder is made once, and reported missing if deleted", async () => {
  const made = await starting(null);
  expect(await starting(null)).toBe(made);
  rmSync(join(dataDir, "app-secret"));
  await expect(starting(null)).rejects.toThrow(
    `This database's secret is missing. Restore the file ${dataDir}/app-secret, or start with the earlier APP_SECRET. If`,
  );
  expect(readdirSync(dataDir)).toEqual([]);
});
