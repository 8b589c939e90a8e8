import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { PoolClient } from "pg";
import { expect, vi } from "vitest";
import { Envelope } from "#kit/contract/envelope.ts";
import { inspectLink } from "#access/sign-in/contract.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { builtWebFolder } from "#main/app.ts";
import { cookiesOf } from "#tests/support/cable.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { headersOf, portOf, RawConnection } from "#tests/support/raw-http.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Someone who is not signed in, and may write to the webhook paths as processors do, must not keep others
 * from being served: neither with bodies that never arrive, nor with requests that wait.
 */

let network: MadeNetwork;
let admin: Visitor;
let port: number;

const test = appTest({ webFolder: builtWebFolder, trustedProxies: 1 });
test.beforeAll(async () => {
  await liftTimeLimits(app);
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  port = await portOf(app);
});

const load = () => app.server.load();

/** Start a request whose body does not end. */
async function beginBody(head: string, path = "/webhooks/stripe/1"): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  connection.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  );
  return connection;
}

const beginMany = async (count: number, head: (number: number) => string) =>
  await Promise.all(Array.from({ length: count }, (_, number) => beginBody(head(number))));

/** All that a person needs from a server under attack. */
async function peopleAreServed(): Promise<void> {
  const pageOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  const html = { accept: "text/html" };
  expect(await pageOf("/sign-in", html)).toBe(200);
  expect(await pageOf("/admin/attorneys", { ...html, cookie: cookiesOf(admin) })).toBe(200);
  expect(await pageOf(listPlans.path, { cookie: cookiesOf(admin) })).toBe(200);
}

test("a thousand slow bodies to a webhook path from one address do not block others", async () => {
  const slow = await beginMany(1_000, () => "");
  await vi.waitUntil(() => load().abortedBodies === 900, 90_000);
  expect(load()).toMatchObject({ receivingBodies: 100, inFlight: 0 });
  await peopleAreServed();
  await vi.waitUntil(() => slow.filter(({ status }) => status === 408).length === 900, 90_000);
  const [first] = slow.filter(({ status }) => status === 408);
  expect(Envelope.strict().parse(JSON.parse(first?.text.split("\r\n\r\n")[1] ?? ""))).toEqual({
    success: false,
    object: null,
    message: "The request took too long to arrive. Send it again.",
  });
  for (const { socket } of slow) socket.destroy();
  await vi.waitUntil(() => load().receivingBodies === 0, 90_000);
});

test("those of one IPv6 network count together, and the total of all addresses is limited too", async () => {
  const before = load().abortedBodies;
  const together = await beginMany(110, (number) => `X-Forwarded-For: 2001:db8::${number}\r\n`);
  await vi.waitUntil(() => load().abortedBodies - before === 10, 90_000);
  expect(load().receivingBodies).toBe(100);
  const own = await beginBody(headersOf(admin), "/session");
  const many = await beginMany(200, (number) => `X-Forwarded-For: 198.51.100.${number}\r\n`);
  await vi.waitUntil(() => load().abortedBodies - before === 60, 90_000);
  expect(load().receivingBodies).toBe(251); // the administrator's is still waited for
  expect(own.status).toBe(0);
  await peopleAreServed();
  for (const { socket } of [...together, ...many, own]) socket.destroy();
  await vi.waitUntil(() => load().receivingBodies === 0, 90_000);
});

test("a body that comes in pieces while others are slow is received whole", async () => {
  const slow = await beginMany(200, (number) => `X-Forwarded-For: 198.51.100.${number}\r\n`);
  await vi.waitUntil(() => load().receivingBodies === 200, 90_000);
  const body = JSON.stringify({ name: "Dues", payment_amount: 5, payment_frequency_in_months: 1 });
  const connection = await RawConnection.open(port);
  connection.write(
    `POST ${createPlan.path} HTTP/1.1\r\n${headersOf(admin)}Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await vi.waitUntil(() => load().receivingBodies === 201, 90_000);
  for (const piece of body.match(/.{1,20}/g) ?? []) connection.write(piece);
  await connection.closed;
  expect(connection.status).toBe(200);
  expect(await admin.call(listPlans)).toMatchObject([{ name: "Dues" }]);
  for (const { socket } of slow) socket.destroy();
  await vi.waitUntil(() => load().receivingBodies === 0, 90_000);
});

test("a body that is never finished frees its memory once its sender has gone", async () => {
  const slow = await beginMany(20, () => "");
  await vi.waitUntil(() => load().receivingBodies === 20, 90_000);
  for (const { socket } of slow) socket.destroy();
  await vi.waitUntil(() => load().receivingBodies === 0, 90_000);
  expect(load().inFlight).toBe(0);
});

test("unread answers do not occupy a place", async () => {
  const unread = new Set<ServerResponse>();
  const count = (_: unknown, answer: ServerResponse) => {
    unread.add(answer);
    answer.on("close", () => unread.delete(answer));
  };
  app.server.server.on("request", count);
  const lazy = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(port)));
  const page = "GET /sign-in HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n";
  for (const connection of lazy) connection.socket.pause();
  // As many as it takes: how much unread data a connection holds differs between systems.
  for (let round = 0; round < 500 && unread.size < 200; round += 1) {
    for (const connection of lazy) connection.write(page.repeat(20));
    await nextTurn();
  }
  await expect.poll(() => unread.size).toBeGreaterThanOrEqual(200);
  await expect.poll(() => load().inFlight).toBe(0);
  await peopleAreServed();
  app.server.server.off("request", count);
  for (const { socket } of lazy) socket.destroy();
});

/** Take all connections to the database, so that whatever needs one waits. */
async function holdDatabase(): Promise<() => void> {
  const held: PoolClient[] = [];
  for (let index = 0; index < (app.pool.options.max ?? 0); index += 1)
    held.push(await app.pool.connect());
  return () => {
    for (const client of held.splice(0)) client.release();
  };
}

/** Send without waiting for the answer. */
function ask(path: string, headers: Record<string, string>, body?: object) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? "POST" : "GET",
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Wait for the answers. The server itself counts refused requests. */
async function answered(asked: Promise<Response>[]): Promise<Set<number>> {
  return new Set((await Promise.all(asked)).map(({ status }) => status));
}

test("a burst of a hundred webhooks is accepted", async () => {
  const release = await holdDatabase();
  const { refused } = load();
  const burst = Array.from({ length: 100 }, () => ask("/webhooks/stripe/1", {}, { id: "evt_1" }));
  await vi.waitUntil(() => load().inFlight === 100, 90_000);
  release();
  expect(await answered(burst)).toContain(404); // the network has no such processor
  expect(load().refused).toBe(refused);
});

test("waiting requests on the webhook path leave places for people, whatever their address", async () => {
  const release = await holdDatabase();
  try {
    const { refused } = load();
    const webhooks = (address: string, count: number) =>
      Array.from({ length: count }, () =>
        ask("/webhooks/stripe/1", { "x-forwarded-for": address }, { id: "evt_1" }),
      );
    const one = webhooks("203.0.113.1", 200);
    await vi.waitUntil(() => load().inFlight === 150 && load().refused - refused === 50, 90_000);
    const others = [...webhooks("203.0.113.2", 150), ...webhooks("203.0.113.3", 10)];
    await vi.waitUntil(() => load().refused - refused === 60, 90_000);
    expect(load().inFlight).toBe(300);
    expect((await ask("/sign-in", { accept: "text/html" })).status).toBe(200);
    const own = Array.from({ length: 300 }, () =>
      ask(listPlans.path, { cookie: cookiesOf(admin) }),
    );
    await vi.waitUntil(() => load().inFlight === 600, 90_000);
    release();
    expect(await answered(own)).toContain(200);
    expect(await answered([...one, ...others])).toContain(404);
    expect(load().refused - refused).toBe(60);
    const turnedAway = (await Promise.all(one)).find(({ status }) => status === 503);
    expect(turnedAway?.headers.get("retry-after")).toBe("2");
  } finally {
    release();
  }
});

test("waiting visitors leave places for people and for processors", async () => {
  const release = await holdDatabase();
  try {
    const { refused } = load();
    const visitor = aVisitor(app);
    const waiting = Array.from({ length: 400 }, (_, number) =>
      ask(
        inspectLink.path,
        {
          "x-forwarded-for": `203.0.113.${number % 4}`,
          cookie: cookiesOf(visitor),
          "x-csrf-token": visitor.csrf,
        },
        { token: "x".repeat(32) },
      ),
    );
    await vi.waitUntil(() => load().refused - refused === 100, 90_000);
    expect(load().inFlight).toBe(300);
    const webhook = ask("/webhooks/stripe/1", {}, { id: "evt_1" });
    const own = ask(listPlans.path, { cookie: cookiesOf(admin) });
    await vi.waitUntil(() => load().inFlight === 302, 90_000);
    release();
    await answered([webhook, own, ...waiting]);
    expect(load().refused - refused).toBe(100);
  } finally {
    release();
  }
});

test("an ended session gets no place among signed-in people", async () => {
  const attorney = await makeAttorney(app.db, network);
  const left = await signedIn(app, attorney, network);
  const ended = cookiesOf(left);
  expect((await left.send("POST", "/api/auth/sign-out", {})).status).toBe(200);
  const visitor = aVisitor(app);
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const held = app.db.transaction().execute(async (tx) => {
    await sql`lock table sign_in_links in access exclusive mode`.execute(tx);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const headers = {
    cookie: `${cookiesOf(visitor)}; ${ended}`,
    "x-csrf-token": visitor.csrf,
  };
  const asked = ask(inspectLink.path, headers, { token: "x".repeat(32) });
  try {
    await expect.poll(load).toMatchObject({ inFlight: 1, withoutSession: 1 });
  } finally {
    release.resolve();
    await Promise.all([held, asked]);
  }
});
