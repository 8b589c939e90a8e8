import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect } from "vitest";
import { latestSettings, secretsOf } from "#cards/settings/card-accounts.ts";
import { payByCard } from "#cards/contract.ts";
import { rotateSecret } from "#main/app-secret/secret-rotation.ts";
import { countRecoveryCodes, stepOfCode } from "#access/sign-in/authenticator-app.ts";
import { showSession } from "#kit/contract/session.ts";
import { decryptedSecret } from "#outgoing/webhooks/webhook-secrets.ts";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, takesCards, cardPaymentContext } from "#tests/support/card-network.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { anotherApp } from "#tests/support/running-app.ts";
import { codeOf, giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { anEndpoint } from "#tests/support/webhook-receiver.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const newSecret = randomBytes(24).toString("base64url");

const test = cardTest();

/** A network's keys in a database without a running server. */
async function keysAlone(encryptedUnder: string[]) {
  const database = await aTestDatabase();
  const pool = openPool({ connectionString: database.connectionString, connections: 2 });
  const db = openDatabase(pool);
  const networks: MadeNetwork[] = [];
  for (const secret of encryptedUnder) {
    const network = await makeNetwork(db);
    await takesCards({ db, secret }, network, "anet");
    networks.push(network);
  }
  const read = async (index: number, secret: string) => {
    const row = await latestSettings(db, networks[index]?.id ?? 0);
    return row && secretsOf({ ...cardPaymentContext(app, sandboxes), secret }, row);
  };
  const rotate = (skipsUnreadable = false, secrets = { oldSecret: "old", newSecret: "new" }) =>
    inTransaction(db, (tx) => rotateSecret(tx, { ...secrets, skipsUnreadable }));
  const close = async () => {
    await pool.end();
    await database.drop();
  };
  return { db, networks, read, rotate, close };
}

test("keys encrypted with the old secret are read with the new one, and no longer with the old", async () => {
  const keys = await keysAlone(["old", "old"]);
  const before = await keys.read(0, "old");
  expect(await keys.rotate()).toMatchObject({ reencrypted: 2, alreadyDone: 0, unreadable: 0 });
  expect(await keys.read(0, "new")).toEqual(before);
  await expect(keys.read(1, "old")).rejects.toThrow("cannot be read with this APP_SECRET");
  const trace = await keys.db.selectFrom("auditEntries").select(["action", "recordType"]).execute();
  expect(trace).toEqual(
    [1, 2].map(() => ({ action: "re-encrypted", recordType: "card settings" })),
  );
  expect(await keys.rotate()).toMatchObject({ reencrypted: 0, alreadyDone: 2 });
  await keys.close();
});

test("webhooks' secrets are re-encrypted too, the previous one included", async () => {
  const keys = await keysAlone([]);
  const network = await makeNetwork(keys.db);
  const { secret } = await anEndpoint({ db: keys.db, secret: "old" }, network, {
    url: "https://example.org/hooks",
  });
  await keys.db
    .updateTable("webhookEndpoints")
    .set({
      encryptedOldSecret: sql<string>`encrypted_secret`,
      oldSecretExpiresAt: sql<string>`now() + interval '1 hour'`,
    })
    .execute();
  expect(await keys.rotate()).toMatchObject({ reencrypted: 2, unreadable: 0 });
  const row = await keys.db.selectFrom("webhookEndpoints").selectAll().executeTakeFirstOrThrow();
  for (const encrypted of [row.encryptedSecret, row.encryptedOldSecret ?? ""])
    expect(decryptedSecret(row, encrypted, "new")).toBe(secret);
  await keys.close();
});

test("nothing changes if neither secret decrypts something, unless it is skipped", async () => {
  const keys = await keysAlone(["old", "lost"]);
  await expect(keys.rotate()).rejects.toThrow(/neither secret decrypts network \d+, card settings/);
  expect(await keys.read(0, "old")).toBeDefined();
  expect(await keys.rotate(true)).toMatchObject({ reencrypted: 1, unreadable: 1 });
  expect(await keys.read(0, "new")).toBeDefined();
  await keys.close();
});

test("authenticator apps and recovery codes are re-encrypted too", async () => {
  const { db, networks, rotate, close } = await keysAlone(["old"]);
  const [{ admin } = await makeNetwork(db)] = networks;
  const { secret, recoveryCodes } = await giveAuthenticatorApp({ db, secret: "old" }, admin);
  expect(await rotate()).toMatchObject({ reencrypted: 3, alreadyDone: 0, unreadable: 0 });
  const code = await codeOf(secret);
  const stored = await db
    .selectFrom("twoFactors")
    .select(["secret", "backupCodes"])
    .executeTakeFirstOrThrow();
  expect(await stepOfCode(stored.secret, code, "new")).not.toBeNull();
  expect(await countRecoveryCodes(stored.backupCodes, "new")).toBe(recoveryCodes.length);
  await expect(countRecoveryCodes(stored.backupCodes, "old")).rejects.toThrow("tag");
  expect(await rotate()).toMatchObject({ reencrypted: 0, alreadyDone: 3 });
  await close();
});

test("it is refused while a server runs on the database", async () => {
  const rotation = { oldSecret: app.secret, newSecret, skipsUnreadable: false };
  const rotating = inTransaction(app.db, (tx) => rotateSecret(tx, rotation));
  await expect(rotating).rejects.toThrow("servers are running on this database");
});

test("afterwards everybody signs in again, and card payments work as before", async () => {
  const debtor = await aDebtor(app, "stripe");
  const isSignedIn = async () => (await debtor.visitor.call(showSession)).user !== null;
  expect(await isSignedIn()).toBe(true);
  await app.server.close(); // as its operator does
  const rotation = { oldSecret: app.secret, newSecret, skipsUnreadable: false };
  // Its connection to the database may take a moment to end.
  const rotated = () => inTransaction(app.db, (tx) => rotateSecret(tx, rotation)).catch(String);
  await expect.poll(rotated).toMatchObject({ sessionsEnded: 1 });

  const next = await anotherApp(app, { secret: newSecret, sandboxes: sandboxes.addresses });
  const old = debtor.visitor;
  const cookie = [...old.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const asked = await next.server.inject({ url: "/session", headers: { cookie } });
  expect(asked.json().object).toEqual({ user: null });
  const visitor = await signedIn(next, debtor.attorney, debtor.network);
  const token = await tokenFrom("stripe", {
    visitor,
    sandboxes,
    amount: "50.00",
    card: cardOf("stripe"),
  });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  expect((await visitor.ask(payByCard, { body })).status).toBe(200);
  await next.close();
});
