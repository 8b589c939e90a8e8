import { sql } from "kysely";
import { afterAll, expect, onTestFinished, vi } from "vitest";
import {
  adminIdentifier,
  anAdminSocket,
  aSocket,
  cableOf,
  cableOrigin,
  CableSocket,
  commitChange,
  cookiesOf,
  refusalOfUpgrade,
  refusedUpgrade,
  sessionTokenOf,
} from "#tests/support/cable.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { rounds } from "#tests/support/rounds.ts";
import { anotherApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { recordMatter } from "#referrals/matters/contract.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/** A second server on the same database, like another process. */
let beside: RunningApp;
let network: MadeNetwork;
let identifier: string;

const test = appTest({ asOwner: true });
test.beforeAll(async () => {
  beside = await anotherApp(app);
  network = await makeNetwork(app.db);
  identifier = adminIdentifier(network);
  await cableOf(app);
  await cableOf(beside);
});
afterAll(async () => {
  await beside.close();
});

const hint = (id: number | null) => ({ type: "subscriptions_changed", attorney_id: id });

async function subscribed(where: RunningApp, whose = network): Promise<CableSocket> {
  const socket = await anAdminSocket(where, whose);
  expect(await socket.subscribe(adminIdentifier(whose))).toBe(true);
  return socket;
}

async function heard(socket: CableSocket, id: number | null, whose = network): Promise<void> {
  await socket.frame(
    (frame) =>
      frame.identifier === adminIdentifier(whose) &&
      JSON.stringify(frame.message) === JSON.stringify(hint(id)),
  );
}

function hangUp(...sockets: CableSocket[]): void {
  for (const { socket } of sockets) socket.terminate();
}

test("a change reaches the network's administrators on both servers, but no other network's", async () => {
  const foreign = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, network);
  const debitId = await makeDebit(app.db, network, attorney);
  const sockets = [await subscribed(app), await subscribed(beside)];
  const outsider = await subscribed(app, foreign);
  const admin = await signedIn(app, "admin", network);
  await admin.call(adjustDebit, { body: { debit_id: debitId, amount: "1.00" } });
  for (const socket of sockets) await heard(socket, attorney.id);
  expect(sockets[0]?.texts).toContain(
    `{"identifier":${JSON.stringify(identifier)},"message":{"type":"subscriptions_changed","attorney_id":${attorney.id}}}`,
  );
  await commitChange(app.db, foreign.id, 5);
  await heard(outsider, 5, foreign);
  expect(outsider.deliveries(adminIdentifier(foreign))).toEqual([hint(5)]);
  hangUp(...sockets, outsider);
});

test("another administrator of the network gets the same message", async () => {
  const socket = await subscribed(app);
  const userId = await makeAdmin(app.db, network);
  const admin = { ...network.admin, userId };
  const colleague = await aSocket(app, await signedIn(app, "admin", { ...network, admin }));
  const own = JSON.stringify({ channel: "LrsSubscriptionsChannel", user_id: userId });
  expect(await colleague.subscribe(own)).toBe(true);
  expect(await colleague.subscribe(identifier)).toBe(false);
  await commitChange(app.db, network.id, 22);
  await heard(socket, 22);
  await colleague.frame((frame) => frame.identifier === own && frame.type === undefined);
  expect(colleague.deliveries(own)).toEqual([hint(22)]);
  hangUp(socket, colleague);
});

test("a new referral without an attorney reaches administrators, but no attorney", async () => {
  const attorney = await makeAttorney(app.db, network);
  const lawyer = await signedIn(app, attorney, network);
  const socket = await subscribed(beside);
  const dashboard = await aSocket(app, lawyer);
  const own = JSON.stringify({ channel: "AttorneyDashboardChannel", attorney_id: attorney.id });
  expect(await dashboard.subscribe(own)).toBe(true);
  const admin = await signedIn(app, "admin", network);
  await admin.call(recordMatter, { body: { first_name: "Jane", last_name: "Doe" } });
  await heard(socket, null);
  await commitChange(app.db, network.id, attorney.id);
  await dashboard.frame((frame) => frame.identifier === own && frame.type === undefined);
  expect(dashboard.deliveries(own)).toEqual([hint(attorney.id)]);
  hangUp(socket, dashboard);
});

test("a change that is rolled back reaches nobody", async () => {
  const socket = await subscribed(app);
  const admin = await signedIn(app, "admin", network);
  const refused = await admin.ask(adjustDebit, { body: { debit_id: 999_999, amount: "1.00" } });
  expect(refused.status).toBe(404);
  await commitChange(app.db, network.id, 6);
  await heard(socket, 6);
  expect(socket.deliveries(identifier)).toEqual([hint(6)]);
  hangUp(socket);
});

test("sixty changes in a row arrive in order, each once", async () => {
  const sockets = [await subscribed(beside), await subscribed(app)];
  const ids = Array.from({ length: 60 }, (_, index) => 100_000 + index);
  for (const id of ids) await commitChange(app.db, network.id, id);
  for (const socket of sockets) {
    await heard(socket, ids.at(-1) ?? 0);
    expect(socket.deliveries(identifier)).toEqual(ids.map(hint));
  }
  hangUp(...sockets);
});

test("a change of many records is one message", async () => {
  const socket = await subscribed(app);
  await commitChange(app.db, network.id, null);
  await commitChange(app.db, network.id, 13);
  await heard(socket, 13);
  expect(socket.deliveries(identifier)).toEqual([hint(null), hint(13)]);
  hangUp(socket);
});

test("data exports have their own channel", async () => {
  const socket = await subscribed(app);
  const exports = adminIdentifier(network, "DataExportsChannel");
  expect(await socket.subscribe(exports)).toBe(true);
  await commitChange(app.db, network.id, null, "exports");
  await commitChange(app.db, network.id, 14);
  await heard(socket, 14);
  expect(socket.deliveries(exports)).toEqual([{ type: "data_exports_changed" }]);
  expect(socket.deliveries(identifier)).toEqual([hint(14)]);
  hangUp(socket);
});

test("fifty connections get each message once", async () => {
  const admin = await signedIn(app, "admin", network);
  const sockets = await Promise.all(Array.from({ length: 50 }, () => aSocket(app, admin)));
  await Promise.all(sockets.map((socket) => socket.subscribe(identifier)));
  await commitChange(beside.db, network.id, 15);
  await commitChange(beside.db, network.id, 16);
  await Promise.all(sockets.map((socket) => heard(socket, 16)));
  for (const socket of sockets) expect(socket.deliveries(identifier)).toEqual([hint(15), hint(16)]);
  hangUp(...sockets);
});

test("signing out closes the socket on another server before any later change arrives", async () => {
  const leaving = await signedIn(app, "admin", network);
  const socket = await aSocket(beside, leaving);
  await socket.subscribe(identifier);
  const witness = await subscribed(beside);
  expect((await leaving.send("POST", "/api/auth/sign-out", {})).status).toBe(200);
  await commitChange(app.db, network.id, 17);
  await heard(witness, 17);
  expect(await socket.closed).toBe(1000);
  expect(socket.texts.at(-1)).toBe('{"type":"disconnect","reason":"remote","reconnect":false}');
  expect(socket.deliveries(identifier)).toEqual([]);
  hangUp(witness);
});

test("a user whose role changes is signed out everywhere", async () => {
  const demoted = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, demoted);
  const socket = await subscribed(beside, demoted);
  await sql`update users set role = 'attorney', attorney_id = ${attorney.id}
    where id = ${demoted.admin.userId}`.execute(app.db);
  expect(await socket.closed).toBe(1000);
});

test("an expired session's socket gets nothing more and is closed by the next ping", async () => {
  const visitor = await signedIn(app, "admin", network);
  await sql`update sessions set expires_at = now() + interval '40 seconds'
    where token = ${sessionTokenOf(visitor)}`.execute(app.db);
  const socket = await aSocket(app, visitor);
  await socket.subscribe(identifier);
  const witness = await subscribed(app);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 41_000 });
  onTestFinished(() => void vi.useRealTimers());
  await commitChange(app.db, network.id, 18);
  await heard(witness, 18);
  expect(await socket.closed).toBe(1000);
  expect(socket.texts.at(-1)).toBe('{"type":"disconnect","reason":"remote","reconnect":false}');
  expect(socket.deliveries(identifier)).toEqual([]);
  hangUp(witness);
});

async function cutListeners(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'referral-network listener'`.execute(
    app.db,
  );
}

/** End a visitor's session without the trigger's notification, as if the LISTEN connection were down. */
async function endUnheard(visitor: Visitor): Promise<void> {
  await app.db.transaction().execute(async (tx) => {
    await sql`alter table sessions disable trigger tell_ended`.execute(tx);
    const { numAffectedRows } = await sql`
      delete from sessions where token = ${sessionTokenOf(visitor)}`.execute(tx);
    expect(numAffectedRows).toBe(1n);
    await sql`alter table sessions enable trigger tell_ended`.execute(tx);
  });
}

test("after a lost LISTEN connection, everyone is told to refetch and ended sessions are closed", async () => {
  const ended = await signedIn(app, "admin", network);
  const endedSocket = await aSocket(app, ended);
  await endedSocket.subscribe(identifier);
  const socket = await subscribed(app);
  const before = app.server.cable().gaps;
  await endUnheard(ended);
  await cutListeners();
  await vi.waitUntil(() => app.server.cable().gaps > before, 60_000);
  await heard(socket, null);
  expect(await endedSocket.closed).toBe(1000);
  expect(endedSocket.deliveries(identifier)).toEqual([]);
  await commitChange(beside.db, network.id, 20);
  await heard(socket, 20);
  hangUp(socket);
});

/** Fifty subscriptions with long identifiers, so that one change is about 30 KB for this socket. */
async function subscribedWidely(where: RunningApp): Promise<CableSocket> {
  const socket = await anAdminSocket(where, network);
  const padding = "x".repeat(400);
  for (let number = 0; number < 50; number += 1) {
    const wide = identifier.replace("{", `{"n":${number},"padding":"${padding}",`);
    expect(await socket.subscribe(wide)).toBe(true);
  }
  return socket;
}

test("a client that does not read is disconnected, and others are not delayed", async () => {
  const lazy = await subscribedWidely(app);
  const other = await subscribed(app);
  lazy.socket.pause();
  const before = app.server.cable().drops["slow reader"];
  for (let id = 1; app.server.cable().drops["slow reader"] === before; id += 1) {
    await commitChange(app.db, network.id, 200_000 + id);
    if (id % 20 === 0) await heard(other, 200_000 + id); // more at once would be one message
    expect(id).toBeLessThan(2_000);
  }
  await commitChange(app.db, network.id, 21);
  await heard(other, 21);
  lazy.socket.resume();
  expect(await lazy.closed).toBe(1006);
  hangUp(other);
});

test("the unsent bytes of all sockets are limited; those with the most are disconnected first", async () => {
  const limited = await anotherApp(app, { maxQueuedBytes: 256 * 1024 });
  const lazy = [await subscribedWidely(limited), await subscribedWidely(limited)];
  const other = await subscribed(limited);
  for (const { socket } of lazy) socket.pause();
  for (let id = 1; limited.server.cable().drops["slow reader"] < 2; id += 1) {
    await commitChange(app.db, network.id, 300_000 + id);
    if (id % 20 === 0) await heard(other, 300_000 + id);
    expect(id).toBeLessThan(2_000);
  }
  await commitChange(app.db, network.id, 23);
  await heard(other, 23);
  hangUp(...lazy, other);
  await limited.close();
});

test("many changes together are one message per subscription if there are many, else one each", async () => {
  const many = await subscribedWidely(app);
  const few = await subscribed(app);
  const ids = Array.from({ length: 41 }, (_, index) => 400_000 + index);
  await inTransaction(app.db, async (tx) => {
    for (const id of ids) notifyOnCommit(tx, network.id, id);
  });
  await heard(few, 400_040);
  expect(few.deliveries(identifier)).toEqual(ids.map(hint));
  await commitChange(app.db, network.id, 24);
  const last = JSON.stringify(hint(24));
  await many.frame((frame) => JSON.stringify(frame.message) === last);
  const own = many.frames.find(({ type }) => type === "confirm_subscription")?.identifier ?? "";
  expect(many.deliveries(own)).toEqual([hint(null), hint(24)]);
  hangUp(many, few);
});

test("a client that has not answered a ping for a minute is disconnected", async () => {
  const socket = await subscribed(app);
  const before = app.server.cable().drops.silent;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await socket.closed).toBe(1006);
  expect(app.server.cable().drops.silent).toBe(before + 1);
});

test("a change reaches two thousand sockets on one server (four hundred in the short run)", async () => {
  const each = rounds(100, 500);
  const networks = await Promise.all(Array.from({ length: 4 }, () => makeNetwork(app.db)));
  const sockets: CableSocket[] = [];
  for (const one of networks) {
    const visitor = await signedIn(app, "admin", one);
    for (let batch = 0; batch < each / 100; batch += 1) {
      const opened = Array.from({ length: 100 }, () => aSocket(app, visitor));
      sockets.push(...(await Promise.all(opened)));
    }
    const own = sockets.slice(-each);
    await Promise.all(own.map((socket) => socket.subscribe(adminIdentifier(one))));
  }
  await expect.poll(() => app.server.cable().sockets).toBe(4 * each); // sockets of earlier tests have closed by then
  for (const one of networks) await commitChange(beside.db, one.id, one.id);
  await Promise.all(
    networks.flatMap((one, index) =>
      sockets.slice(index * each, (index + 1) * each).map((socket) => heard(socket, one.id, one)),
    ),
  );
  hangUp(...sockets);
  await vi.waitUntil(() => app.server.cable().sockets === 0, 60_000);
});

test("an administrator can have a hundred sockets; the next is refused with a reason", async () => {
  const limited = await anotherApp(app, { rateLimits: true });
  const url = await cableOf(limited);
  const admin = await signedIn(limited, "admin", network);
  const own = await Promise.all(Array.from({ length: 100 }, () => aSocket(limited, admin)));
  const headers = { origin: cableOrigin, cookie: cookiesOf(admin) };
  const answer = await refusalOfUpgrade(url, headers);
  expect(answer).toEqual({
    status: 429,
    retryAfter: "30",
    body: {
      success: false,
      object: null,
      message: "You already have 100 open sockets. Close a page to open another.",
    },
  });
  expect(limited.server.cable()).toMatchObject({ sockets: 100, refused: 1 });
  for (const socket of own) expect(await socket.subscribe(identifier)).toBe(true);
  const colleague = await aSocket(
    limited,
    await signedIn(limited, await makeAttorney(app.db, network), network),
  );
  hangUp(...own.slice(1));
  await vi.waitUntil(() => limited.server.cable().sockets === 2, 60_000);
  expect(await refusedUpgrade(url, headers)).toBe(101);
  hangUp(...own, colleague);
  await limited.close();
});

test("sockets of one IPv6 network are counted together, those of another separately", async () => {
  const limited = await anotherApp(app, { rateLimits: true, trustedProxies: 1 });
  const url = await cableOf(limited);
  const admins = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await signedIn(limited, "admin", await makeNetwork(app.db)),
    ),
  );
  const from = (address: string, number: number) =>
    new CableSocket(url, {
      origin: cableOrigin,
      cookie: cookiesOf(admins[number % 10] ?? aVisitor(limited)),
      "x-forwarded-for": address,
    });
  const own: CableSocket[] = [];
  for (let batch = 0; batch < 10; batch += 1) {
    const opened = Array.from({ length: 100 }, (_, number) =>
      // some proxies add brackets and the caller's port
      from(
        number % 2 ? `2001:db8::${batch}:${number}` : `[2001:db8::${batch}:a]:${number}`,
        number,
      ),
    );
    await Promise.all(opened.map((socket) => socket.frame((frame) => frame.type === "welcome")));
    own.push(...opened);
  }
  const last = {
    origin: cableOrigin,
    cookie: cookiesOf(await signedIn(limited, "admin", network)),
  };
  expect(await refusedUpgrade(url, { ...last, "x-forwarded-for": "2001:db8::ffff" })).toBe(429);
  expect(await refusedUpgrade(url, { ...last, "x-forwarded-for": "2001:db8:0:1::1" })).toBe(101);
  hangUp(...own);
  await limited.close();
});

test("the number of upgrades waiting for authentication is limited", async () => {
  const waiting = await anotherApp(app, { maxPendingUpgrades: 10 });
  const url = await cableOf(waiting);
  const headers = { origin: cableOrigin, cookie: cookiesOf(await signedIn(app, "admin", network)) };
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = app.db.transaction().execute(async (tx) => {
    await sql`lock table sessions in access exclusive mode`.execute(tx);
    locked.resolve();
    await release.promise;
  });
  try {
    await locked.promise;
    const asked = Array.from({ length: 12 }, () => new CableSocket(url, headers));
    await vi.waitUntil(() => waiting.server.cable().refused === 2, 60_000);
    release.resolve();
    await expect.poll(() => refusedUpgrade(url, headers)).toBe(101);
    hangUp(...asked);
  } finally {
    release.resolve();
    await held;
    await waiting.close();
  }
});
