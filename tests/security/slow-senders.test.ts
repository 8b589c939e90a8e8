import { setInterval } from "node:timers/promises";
import { expect } from "vitest";
import { Envelope } from "#kit/contract/envelope.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { headersOf, portOf, RawConnection } from "#tests/support/raw-http.ts";
import { anApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Slow-loris: requests that arrive a byte at a time, or never, must not tie up the server. */

let admin: Visitor;
let port: number;

const test = appTest({ arrivalTimeoutMs: 2_000 });
test.beforeAll(async () => {
  admin = await signedIn(app, "admin", await makeNetwork(app.db));
  port = await portOf(app);
});

/** Send a byte now and then until the server closes the connection. */
async function sendSlowly(connection: RawConnection, piece: string): Promise<void> {
  for await (const _ of setInterval(50)) if (!connection.write(piece)) return;
}

/** The message of the answer, out of its envelope. */
const messageOf = ({ text }: RawConnection) =>
  Envelope.strict().parse(JSON.parse(text.split("\r\n\r\n")[1] ?? "")).message;

const tooSlow = [408, "The request took too long to arrive. Send it again."];

test("headers that never end time out", async () => {
  const connection = await RawConnection.open(port);
  connection.write("GET /session HTTP/1.1\r\nHost: localhost\r\n");
  await Promise.all([sendSlowly(connection, "X-A: b\r\n"), connection.closed]);
  expect([connection.status, messageOf(connection)]).toEqual(tooSlow);
});

test("a body that never ends times out", async () => {
  const connection = await RawConnection.open(port);
  const type = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{";
  connection.write(`POST /lrs_subscriptions/ HTTP/1.1\r\n${headersOf(admin)}${type}`);
  await Promise.all([sendSlowly(connection, " "), connection.closed]);
  expect([connection.status, messageOf(connection)]).toEqual(tooSlow);
});

test("a silent connection times out", async () => {
  const connection = await RawConnection.open(port);
  await connection.closed;
  expect(connection.write("GET /session HTTP/1.1\r\n")).toBe(false);
});

test("three hundred of them at the same time do not block anybody else", async () => {
  const slow = await Promise.all(Array.from({ length: 300 }, () => RawConnection.open(port)));
  for (const connection of slow) connection.write("POST /session HTTP/1.1\r\nHost: loc");
  const answer = await fetch(`http://127.0.0.1:${port}/session`);
  expect(answer.status).toBe(200);
  await Promise.all(slow.map((connection) => connection.closed));
  expect(slow.map((connection) => connection.status)).toEqual(slow.map(() => 408));
});

test("no request waits longer than half a minute in the product", async () => {
  const usual = await anApp();
  const { requestTimeout, headersTimeout } = usual.server.server;
  await usual.close();
  expect([requestTimeout, headersTimeout]).toEqual([30_000, 15_000]);
});
