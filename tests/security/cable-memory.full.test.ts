import { once } from "node:events";
import { afterAll, expect } from "vitest";
import { WebSocket } from "ws";
import { listPlans } from "#dues/plans/plans.list.ts";
import {
  adminIdentifier,
  cableOrigin,
  cableProtocols,
  CableSocket,
  commitChange,
  cookiesOf,
} from "#tests/support/cable.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type ProductProcess, startProduct } from "#tests/support/product-process.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * One attorney with as many sockets, subscriptions and long identifiers as the channel permits must not crash
 * the process, which serves every network: its heap is 96 MiB here.
 */

const heapMiB = 96;
const maxMemoryMiB = 320;
const sockets = 100;
const subscriptions = 50;
const longestIdentifier = 512;

let network: MadeNetwork;
let attorney: MadeAttorney;
let visitor: Visitor;
let admin: Visitor;
let product: ProductProcess;

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  attorney = await makeAttorney(app.db, network);
  visitor = await signedIn(app, attorney, network);
  admin = await signedIn(app, "admin", network);
  product = await startProduct(app, [`--max-old-space-size=${heapMiB}`]);
});
afterAll(async () => {
  product.kill();
});

const cable = () => `ws://127.0.0.1:${product.port}/cable`;
const headersOf = (who: Visitor) => ({ origin: cableOrigin, cookie: cookiesOf(who) });

/** The attorney's own channel, with a numbered identifier of this many bytes. */
function identifierOf(bytes: number, number: number): string {
  const bare = { channel: "AttorneyDashboardChannel", attorney_id: attorney.id, n: number };
  const room = bytes - Buffer.byteLength(JSON.stringify({ ...bare, padding: "" }));
  return JSON.stringify({ ...bare, padding: "x".repeat(room) });
}

/** Another person's page: it is served and gets hints of changes. */
async function othersAreServed(): Promise<void> {
  const url = `http://127.0.0.1:${product.port}${listPlans.path}`;
  expect((await fetch(url, { headers: { cookie: cookiesOf(admin) } })).status).toBe(200);
  const socket = new CableSocket(cable(), headersOf(admin));
  await socket.frame((frame) => frame.type === "welcome");
  expect(await socket.subscribe(adminIdentifier(network))).toBe(true);
  await commitChange(app.db, network.id, attorney.id);
  await socket.frame((frame) => frame.message !== undefined && frame.type === undefined);
  socket.socket.terminate();
}

test("identifiers of sixty thousand bytes are not stored, and a socket that repeats them is closed", async () => {
  const closed = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = new WebSocket(cable(), cableProtocols, { headers: headersOf(visitor) });
      await once(socket, "open");
      const ended = once(socket, "close");
      let last = "";
      socket.on("message", (data) => (last = data instanceof Buffer ? data.toString() : ""));
      for (let number = 0; number < subscriptions; number += 1)
        socket.send(
          JSON.stringify({ command: "subscribe", identifier: identifierOf(60_000, number) }),
        );
      const [code] = await ended;
      return { code, last };
    }),
  );
  const expected = {
    code: 1000,
    last: '{"type":"disconnect","reason":"invalid_request","reconnect":false}',
  };
  expect(closed).toEqual(closed.map(() => expected));
  await othersAreServed();
  expect(product.isRunning()).toBe(true);
});

test("a hundred sockets with fifty of the longest identifiers get hints of a change, and so do others", async () => {
  const own = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = new CableSocket(cable(), headersOf(visitor));
      await socket.frame((frame) => frame.type === "welcome");
      return socket;
    }),
  );
  const identifiers = Array.from({ length: subscriptions }, (_, number) =>
    identifierOf(longestIdentifier, number),
  );
  for (const socket of own)
    expect(await Promise.all(identifiers.map((one) => socket.subscribe(one)))).not.toContain(false);
  for (let change = 0; change < 20; change += 1)
    await commitChange(app.db, network.id, attorney.id);
  await othersAreServed();
  const hint = { type: "subscriptions_changed", attorney_id: attorney.id };
  for (const socket of own)
    for (const one of identifiers)
      await socket.frame(
        (frame) =>
          frame.identifier === one && JSON.stringify(frame.message) === JSON.stringify(hint),
      );
  expect(product.isRunning()).toBe(true);
  expect(product.maxMemory()).toBeLessThan(maxMemoryMiB);
  for (const { socket } of own) socket.terminate();
});
