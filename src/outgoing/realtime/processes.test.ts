import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { afterAll, expect, onTestFinished } from "vitest";
import { adminIdentifier, CableSocket, cookiesOf } from "#tests/support/cable.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { aServerProcess, type ServerProcess } from "#tests/support/server-process.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Separate processes on one database, as deployed: a change in one reaches all. */

let network: MadeNetwork;
let admin: Visitor;
let first: ServerProcess;
let second: ServerProcess;

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  [first, second] = await Promise.all([aServerProcess(app, "web"), aServerProcess(app, "web")]);
});
afterAll(async () => {
  for (const { child } of [first, second]) child.kill("SIGKILL");
});

async function connected({ port }: ServerProcess, visitor: Visitor): Promise<CableSocket> {
  const socket = new CableSocket(`ws://127.0.0.1:${port}/cable`, {
    origin: `http://localhost:${port}`,
    cookie: cookiesOf(visitor),
  });
  await socket.frame((frame) => frame.type === "welcome");
  expect(await socket.subscribe(adminIdentifier(network))).toBe(true);
  return socket;
}

async function post({ port }: ServerProcess, path: string, body: object, visitor = admin) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      cookie: cookiesOf(visitor),
      "x-csrf-token": visitor.csrf,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

test("a change made through one server reaches sockets of another", async () => {
  const attorney = await makeAttorney(app.db, network);
  const debit = await makeDebit(app.db, network, attorney);
  const socket = await connected(second, admin);
  const from = socket.frames.length;
  await post(first, "/lrs_subscription_debit_adjustments/", { debit_id: debit, amount: "0.01" });
  const frame = await socket.frame(({ message }) => isHint(message), from);
  expect(frame.message).toEqual({ type: "subscriptions_changed", attorney_id: attorney.id });
  socket.socket.terminate();
});

const isHint = (message: unknown) => typeof message === "object";

test("a worker's changes reach the sockets of servers", async () => {
  const attorney = await makeAttorney(app.db, network);
  await makeEnrolment(app.db, attorney, await makePlan(app.db, network));
  const socket = await connected(first, admin);
  const worker = await aServerProcess(app, "worker");
  onTestFinished(() => void worker.child.kill("SIGKILL"));
  // Earlier changes may still arrive, with their attorney's id.
  const billed = { type: "subscriptions_changed", attorney_id: null };
  await socket.frame(({ message }) => isDeepStrictEqual(message, billed));
  worker.child.kill("SIGTERM");
  expect(await once(worker.child, "exit")).toEqual([0, null]);
  socket.socket.terminate();
});

test("signing out through one server closes the socket at another", async () => {
  const leaving = await signedIn(app, "admin", network);
  const socket = await connected(second, leaving);
  await post(first, "/api/auth/sign-out", {}, leaving);
  expect(await socket.closed).toBe(1000);
  expect(socket.texts.at(-1)).toBe('{"type":"disconnect","reason":"remote","reconnect":false}');
});

test("a server that is stopped tells every socket to reconnect and exits cleanly", async () => {
  const sockets = await Promise.all([1, 2, 3].map(() => connected(first, admin)));
  const ended = once(first.child, "exit");
  first.child.kill("SIGTERM");
  for (const socket of sockets) {
    expect(await socket.closed).toBe(1000);
    expect(socket.texts.at(-1)).toBe(
      '{"type":"disconnect","reason":"server_restart","reconnect":true}',
    );
  }
  expect(await ended).toEqual([0, null]);
});
