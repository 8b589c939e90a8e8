import { expect } from "vitest";
import { migrate } from "#db/migrate.ts";
import { assignNetwork, cellOf, cellOfSignIn, releaseNetwork } from "#features/cells/directory.ts";
import { createAdmin, createNetwork } from "#features/networks/networks.ts";
import { database, databaseTest, db } from "#tests/support/database-test.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

/* One database that is the cell "east"; what "west" publishes is written as its replication would write it. */

const range = { first: 2_000_001, last: 3_000_000 };
const east = { idRange: range, cell: "east", cellAddress: null };

const test = databaseTest({ asOwner: true });

const keep = (identity: Partial<typeof east>, address = database.ownerConnectionString) =>
  migrate(address, { identity: { idRange: null, cell: null, cellAddress: null, ...identity } });

const aNetwork = (name = "Harbor County") =>
  createNetwork(db, { name, timeZone: "America/New_York", permitsMatterEditing: false });

const anAdmin = (networkId: number, email: string) =>
  createAdmin(db, { networkId, name: "Dana Whitfield", email, password: null });

const claims = (cell: string, kind: "network" | "email" | "passkey", key: string, ofNetwork = 1) =>
  db.insertInto("directory").values({ kind, key, cell, ofNetwork }).execute();

const entries = async (ofNetwork: number) =>
  await db
    .selectFrom("directory")
    .select(["kind", "key", "cell"])
    .where("ofNetwork", "=", ofNetwork)
    .orderBy("cell")
    .orderBy("kind")
    .orderBy("key")
    .execute();

test.beforeAll(async () => {
  await keep(east);
  await db
    .insertInto("cells")
    .values({ name: "west", firstId: 3_000_001, lastId: 4_000_000 })
    .execute();
});

test("a new cell gives ids of its range alone, and refuses more than there are", async () => {
  const id = await aNetwork();
  expect(id).toBeGreaterThanOrEqual(range.first);
  expect(await anAdmin(id, "range@example.org")).toBeGreaterThanOrEqual(range.first);
  const small = await aTestDatabase();
  await keep({ idRange: { first: 11, last: 12 } }, small.ownerConnectionString);
});

test("whoever makes, renames or removes an account has entered it", async () => {
  const id = await aNetwork();
  const userId = await anAdmin(id, "dana@example.org");
  await db
    .insertInto("passkeys")
    .values({
      userId,
      publicKey: "key",
      credentialId: "credential",
      counter: 0,
      deviceType: "singleDevice",
      backedUp: false,
    })
    .execute();
  const network = { kind: "network", key: String(id), cell: "east" };
  const passkey = { kind: "passkey", key: "credential", cell: "east" };
  expect(await entries(id)).toEqual([
    { kind: "email", key: "dana@example.org", cell: "east" },
    network,
    passkey,
  ]);
  await db.updateTable("users").set({ email: "d@example.org" }).where("id", "=", userId).execute();
  await db.updateTable("users").set({ name: "Dana" }).where("id", "=", userId).execute();
  expect(await entries(id)).toEqual([
    { kind: "email", key: "d@example.org", cell: "east" },
    network,
    passkey,
  ]);
  await db.deleteFrom("users").where("id", "=", userId).execute();
  expect(await entries(id)).toEqual([network]);
});

test("an address that another cell has is refused as one that an account here has", async () => {
  const id = await aNetwork();
  await claims("west", "email", "taken@example.org");
  await expect(anAdmin(id, "taken@example.org")).rejects.toThrow(
    "This email address already belongs to an account.",
  );
});

test("a moved network's people are led to its cell, though their accounts are still here", async () => {
  const id = await aNetwork();
  await anAdmin(id, "moved@example.org");
  expect(await cellOfSignIn(db, "moved@example.org")).toBe("east");
  await claims("west", "email", "moved@example.org", id);
  await claims("west", "network", String(id), id);
  await releaseNetwork(db, id);
  expect(await cellOfSignIn(db, "moved@example.org")).toBe("west");
  expect(await cellOf(db, "network", String(id))).toBe("west");
  await assignNetwork(db, id, "east"); // as when the move is called off
  expect(await cellOfSignIn(db, "moved@example.org")).toBe("east");
  await expect(assignNetwork(db, id, "west")).rejects.toThrow(
    "The network was to be assigned to west, and this database is that of east.",
  );
});
