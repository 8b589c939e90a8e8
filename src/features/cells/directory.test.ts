import { sql } from "kysely";
import { expect, onTestFinished, vi } from "vitest";
import { tablesOfRange } from "#db/cell-identity.ts";
import { openDatabase, openPool } from "#db/database.ts";
import { migrate } from "#db/migrate.ts";
import {
  confirmEmailChange,
  inspectEmailChange,
  keepOldEmail,
  requestLink,
  signInByPasskey,
} from "#features/auth/contract.ts";
import { makeSignInLink } from "#features/auth/sign-in-links.ts";
import { listCells, listConflicts } from "#features/cells/cells.ts";
import {
  assignNetwork,
  cellOf,
  cellOfSignIn,
  ownCell,
  releaseNetwork,
} from "#features/cells/directory.ts";
import { cellMetrics } from "#features/cells/metrics.ts";
import { createAdmin, createNetwork } from "#features/networks/networks.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { WebhookReceiver } from "#tests/support/webhook-receiver.ts";

/*
 * One database that is the cell "east"; what "west" publishes is written as its replication would write it.
 * tests/cells.rehearsal.ts joins two databases.
 */

const idRange = { first: 2_000_001, last: 3_000_000 };

const test = appTest({ asOwner: true, cell: "east" });

test.beforeAll(async ({ app: { db, connectionString } }) => {
  await keep({ idRange, cell: "east" }, connectionString);
  const west = { name: "west", firstId: 3_000_001, lastId: 4_000_000 };
  await db.insertInto("cells").values(west).execute();
});

type Identity = Parameters<typeof migrate>[1] & {};

const keep = (identity: Partial<NonNullable<Identity["identity"]>>, address: string) =>
  migrate(address, { identity: { idRange: null, cell: null, cellAddress: null, ...identity } });

const aNetwork = () =>
  createNetwork(app.db, {
    name: "Harbor County",
    timeZone: "America/New_York",
    permitsMatterEditing: false,
  });

const anAdmin = (networkId: number, email: string) =>
  createAdmin(app.db, { networkId, name: "Dana Whitfield", email, password: null });

const westClaims = (kind: "network" | "email" | "passkey", key: string, ofNetwork = 1) =>
  app.db.insertInto("directory").values({ kind, key, cell: "west", ofNetwork }).execute();

const entriesOf = async (network: number) =>
  (
    await app.db
      .selectFrom("directory")
      .select(["kind", "key", "cell"])
      .where("ofNetwork", "=", network)
      .orderBy("kind")
      .execute()
  ).map(({ kind, key, cell }) => `${kind} ${key}: ${cell}`);

test("a new cell gives ids of its range alone", async () => {
  const network = await aNetwork();
  expect(network).toBeGreaterThanOrEqual(idRange.first);
  expect(await anAdmin(network, "range@example.org")).toBeGreaterThanOrEqual(idRange.first);
});

test("every table of networks whose rows are known by their id alone has its ids of the range", async () => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index x join pg_class c on c.oid = x.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0] and a.attidentity <> ''
    where x.indisprimary and x.indnkeyatts = 1 and (c.relname = 'networks' or exists (
      select from pg_attribute n where n.attrelid = c.oid and n.attname = 'network_id'))`.execute(
    app.db,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(tablesOfRange.toSorted());
});

test("a database keeps its range and its name, and takes no range in which its ids lie", async () => {
  const database = await aTestDatabase();
  onTestFinished(() => database.drop());
  const address = database.ownerConnectionString;
  await expect(keep({ cell: "north" }, address)).rejects.toThrow(
    "ID_RANGE must be set with CELL: ids of different cells must not be the same.",
  );
  await keep({}, address);
  const few = { idRange: { first: 1, last: 2 } };
  await expect(keep(few, database.connectionString)).rejects.toThrow(
    /which serves requests, may not change it/,
  );
  await keep(few, address);
  await keep(few, database.connectionString); // as every process that serves does when it starts
  await expect(keep({ idRange: { first: 1, last: 3 } }, address)).rejects.toThrow(
    "ID_RANGE is 1-3, and this database was given 1-2 before: it keeps that for good.",
  );

  const grown = await aTestDatabase();
  onTestFinished(() => grown.drop());
  const pool = openPool({ connectionString: grown.ownerConnectionString, connections: 2 });
  onTestFinished(() => pool.end());
  const db = openDatabase(pool);
  await sql`insert into networks (name, time_zone) values ('Old', 'UTC')`.execute(db);
  await expect(
    keep({ idRange: { first: 1, last: 9 } }, grown.ownerConnectionString),
  ).rejects.toThrow("such as 1 in networks. Choose a range in which none of its ids lie.");
  await keep({ idRange: { first: 11, last: 12 } }, grown.ownerConnectionString);
  const make = () =>
    createNetwork(db, { name: "New", timeZone: "UTC", permitsMatterEditing: false });
  expect([await make(), await make()]).toEqual([11, 12]);
  await expect(make()).rejects.toMatchObject({ code: "2200H" });
});

test("whoever makes, renames or removes an account has entered it", async () => {
  const network = await aNetwork();
  const userId = await anAdmin(network, "dana@example.org");
  await sql`
    insert into passkeys (user_id, public_key, credential_id, counter, device_type, backed_up)
    values (${userId}, 'key', 'credential', 0, 'singleDevice', false)`.execute(app.db);
  const rest = [`network ${network}: east`, "passkey credential: east"];
  expect(await entriesOf(network)).toEqual(["email dana@example.org: east", ...rest]);
  await app.db
    .updateTable("users")
    .set({ email: "d@example.org" })
    .where("id", "=", userId)
    .execute();
  expect(await entriesOf(network)).toEqual(["email d@example.org: east", ...rest]);
  await app.db.deleteFrom("users").where("id", "=", userId).execute();
  expect(await entriesOf(network)).toEqual([`network ${network}: east`]);
});

test("an address that another cell has is refused as one that an account here has", async () => {
  const network = await aNetwork();
  await westClaims("email", "taken@example.org");
  const sentence = "This email address already belongs to an account.";
  await expect(anAdmin(network, "taken@example.org")).rejects.toThrow(sentence);
});

test("a moved network's people are led to its cell, though their accounts are still here", async () => {
  const network = await aNetwork();
  await anAdmin(network, "moved@example.org");
  expect(await cellOfSignIn(app.db, "moved@example.org")).toBe("east");
  await westClaims("email", "moved@example.org", network);
  await westClaims("network", String(network), network);
  expect(await listConflicts(app.db)).toEqual([
    { kind: "email", key: "moved@example.org", cells: ["east", "west"] },
    { kind: "network", key: String(network), cells: ["east", "west"] },
  ]);
  expect(await figures()).toContainEqual({ directoryConflicts: 2 });

  await releaseNetwork(app.db, network);
  expect(await cellOfSignIn(app.db, "moved@example.org")).toBe("west");
  expect(await cellOf(app.db, "network", String(network))).toBe("west");
  expect(await listConflicts(app.db)).toEqual([]);
  await assignNetwork(app.db, network, "east"); // as when the move is called off
  expect(await cellOfSignIn(app.db, "moved@example.org")).toBe("east");
  await expect(assignNetwork(app.db, network, "west")).rejects.toThrow(
    "The network was to be assigned to west, and this database is that of east.",
  );
  await app.db.deleteFrom("directory").where("cell", "=", "west").execute();
});

const figures = async () => {
  const read = await Promise.all(cellMetrics.map((query) => sql.raw(query.sql).execute(app.db)));
  return read.flatMap(({ rows }) => rows);
};

test("figures tell of the other cells, and how much of the range is used", async () => {
  await aNetwork();
  expect(await figures()).toEqual([
    { label: "west", cellIsHeard: 0, cellBytesBehind: null },
    { idRangeUsed: expect.closeTo(0, 2) },
    { directoryConflicts: 0 },
  ]);
});

test("the cells are listed, this one first, and what is heard of them", async () => {
  expect(await ownCell(app.db)).toBe("east");
  expect(await listCells(app.db)).toMatchObject([
    { name: "east", isOwn: true, firstId: idRange.first },
    { name: "west", isOwn: false, isJoined: false, heardSeconds: null, bytesBehind: null },
  ]);
});

const signIn = (email: string, query = "") =>
  aVisitor(app).send("POST", `/api/auth/sign-in/email${query}`, { email, password: "a guess" });

test("who has an account in another cell is led there once, by a cookie", async () => {
  await westClaims("email", "maya@example.org");
  const led = await signIn("Maya@example.org");
  expect(led).toMatchObject({
    status: 307,
    headers: {
      location: "/api/auth/sign-in/email?led=1",
      "set-cookie": "cell=west; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax",
    },
  });
  // Where the proxy does not know the cell, or that cell does not know the account any more.
  expect((await signIn("maya@example.org", "?led=1")).status).toBe(401);
  const body = { email: "maya@example.org" };
  const link = await aVisitor(app).send(requestLink.method, requestLink.path, body);
  expect(link.status).toBe(307);
});

test("addresses without an account are led as well, so that nobody learns which have one", async () => {
  const addresses = Array.from({ length: 40 }, (_, at) => `nobody-${at}@example.org`);
  const cellsOf = () => Promise.all(addresses.map((one) => cellOfSignIn(app.db, one)));
  const cells = await cellsOf();
  expect(new Set(cells)).toEqual(new Set(["east", "west"]));
  expect(await cellsOf()).toEqual(cells);
  expect((await signIn(addresses[cells.indexOf("west")] ?? "")).status).toBe(307);
  expect((await signIn(addresses[cells.indexOf("east")] ?? "")).status).toBe(401);
});

test("a link leads to the cell that serves its network by then", async () => {
  const networkId = await aNetwork();
  const userId = await anAdmin(networkId, "link@example.org");
  const by = { networkId, userId: null, name: "Operator" };
  const making = { publicUrl: "http://localhost:3000", by, from: null };
  const { url } = await makeSignInLink(app.db, { networkId, userId }, "invitation", making);
  const token = url.split("#")[1] ?? "";
  expect(token).toMatch(new RegExp(`^${networkId}_[\\w-]{43}$`));
  const inspect = () => aVisitor(app).send("POST", "/sign_in_links/inspect", { token });
  expect(await inspect()).toMatchObject({ status: 200, object: { email: "link@example.org" } });
  await westClaims("network", String(networkId), networkId);
  await releaseNetwork(app.db, networkId);
  expect(await inspect()).toMatchObject({
    status: 307,
    headers: { location: "/sign_in_links/inspect?led=1" },
  });
  // One that confirms an address has such a code, too.
  for (const { path } of [inspectEmailChange, confirmEmailChange, keepOldEmail])
    expect((await aVisitor(app).send("POST", path, { token })).status).toBe(307);
});

test("who is signed in when the network moves is led after it", async () => {
  const network = await makeNetwork(app.db);
  const admin = await signedIn(app, "admin", network);
  const other = await signedIn(app, "admin", await makeNetwork(app.db));
  await westClaims("network", String(network.id), network.id);
  expect((await admin.send("GET", "/session")).status).toBe(200);
  await releaseNetwork(app.db, network.id);
  // As a stranger's link might have it, which must not lead to the stranger's host.
  let location: unknown;
  const isLed = async () => {
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const led = await app.server.inject({ url: "//evil.example/session", headers: { cookie } });
    location = led.headers.location;
    return led.statusCode === 307;
  };
  await vi.waitUntil(isLed, { timeout: 30_000 });
  expect(location).toBe("/evil.example/session");
  expect((await admin.send("GET", "/session?a=b")).status).toBe(307);
  expect(admin.cookies.get("cell")).toBe("west");
  expect((await other.send("GET", "/session")).status).toBe(200);
});

test("a passkey of another cell is asked for once more there", async () => {
  await westClaims("passkey", "synced-passkey");
  const answer = await aVisitor(app).ask(signInByPasskey, {
    body: { response: { id: "synced-passkey" } },
  });
  expect(answer).toMatchObject({
    status: 422,
    message:
      "This browser did not know yet where your account is; now it does. Use your passkey once more.",
  });
  expect(String(answer.headers["set-cookie"])).toContain("cell=west;");
});

test("a processor's notice is handed on to the network's cell, byte for byte", async () => {
  const west = await WebhookReceiver.start();
  onTestFinished(() => west.close());
  west.mood = { status: 401, body: '{"success":false}' };
  const notify = (headers: Record<string, string> = {}) =>
    app.server.inject({
      method: "POST",
      url: "/webhooks/stripe/3000001",
      headers: { "content-type": "application/json", "stripe-signature": "t=1", ...headers },
      payload: '{ "id":  "evt_1" }',
    });
  expect((await notify()).statusCode).toBe(404);
  await westClaims("network", "3000001", 3_000_001);
  expect(await notify()).toMatchObject({
    statusCode: 503,
    headers: expect.objectContaining({ "retry-after": "60" }),
  });
  await app.db
    .updateTable("cells")
    .set({ address: `http://127.0.0.1:${west.port}` })
    .where("name", "=", "west")
    .execute();
  expect(await notify()).toMatchObject({ statusCode: 401, body: '{"success":false}' });
  expect(west.received).toMatchObject([
    {
      path: "/webhooks/stripe/3000001",
      body: '{ "id":  "evt_1" }',
      headers: { "stripe-signature": "t=1", "x-handed-on": "1" },
    },
  ]);
  expect((await notify({ "x-handed-on": "1" })).statusCode).toBe(404);
});
