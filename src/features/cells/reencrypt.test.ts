import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect } from "vitest";
import { allSecrets, encryptedColumns } from "#features/cards/settings/encrypted-secrets.ts";
import { guardNetwork } from "#features/cells/guard.ts";
import { reencryptNetwork } from "#features/cells/reencrypt.ts";
import { app } from "#tests/support/app-test.ts";
import { makeFullNetwork } from "#tests/support/full-network.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";

const test = cellTest();

const newSecret = randomBytes(24).toString("base64url");

/** Each column's values of a network, as they are stored. */
async function storedIn(networkId: number): Promise<Map<string, string | null>> {
  const stored = new Map<string, string | null>();
  for (const name of encryptedColumns) {
    const [table = "", column = ""] = name.split(".");
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(${sql.ref(column)}, ' ') as text from ${sql.table(table)}
      where network_id = ${networkId}`.execute(app.db);
    stored.set(name, rows[0]?.text ?? null);
  }
  return stored;
}

const openedWith = async (networkId: number, secret: string) =>
  await Promise.all((await allSecrets(app.db, networkId)).map((one) => one.decrypt(secret)));

test("every column with something encrypted is known by its name", async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and column_name ~ 'secret|encrypted|cipher|backup_codes'
    order by name`.execute(app.db);
  const expires = "webhook_endpoints.old_secret_expires_at";
  const ofDatabase = "installation.secret_check_value";
  expect(
    rows.map(({ name }) => name).filter((name) => ![expires, ofDatabase].includes(name)),
  ).toEqual(encryptedColumns);
});

test("everything of an arriving network is encrypted under the cell's own secret, past its guard", async () => {
  const [network, other] = [await makeFullNetwork(app), await makeFullNetwork(app)];
  await sql`
    update webhook_endpoints set encrypted_old_secret = encrypted_secret, old_secret_expires_at = now() + interval '1 hour'
    where network_id = ${network.id}`.execute(app.db);
  const plain = await openedWith(network.id, app.secret);
  const before = await storedIn(network.id);
  const others = await storedIn(other.id);
  await moveNetworkTo(owner.db, network.id, "arriving");
  await guardNetwork(owner.pool, network.id);

  const wrong = { oldSecret: "another", newSecret };
  await expect(reencryptNetwork(owner.db, network.id, wrong)).rejects.toThrow(
    "Nothing was changed: neither cell's secret opens network",
  );
  expect(await storedIn(network.id)).toEqual(before);
  const secrets = { oldSecret: app.secret, newSecret };
  const done = await reencryptNetwork(owner.db, network.id, secrets);
  expect(done).toEqual({ reencrypted: encryptedColumns.length, alreadyDone: 0 });
  const after = await storedIn(network.id);
  expect([...before.values()]).not.toContain(null);
  expect(encryptedColumns.filter((name) => after.get(name) === before.get(name))).toEqual([]);
  expect(await openedWith(network.id, newSecret)).toEqual(plain);
  expect(await openedWith(network.id, app.secret)).toEqual(plain.map(() => null));
  expect(await storedIn(other.id)).toEqual(others);
  expect(await reencryptNetwork(owner.db, network.id, secrets)).toEqual({
    reencrypted: 0,
    alreadyDone: encryptedColumns.length,
  });
});
