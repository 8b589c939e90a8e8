import { once } from "node:events";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { sql } from "kysely";
import {
  aSocket,
  cableOf,
  cableOrigin,
  cableProtocols,
  CableSocket,
  cookiesOf,
  refusedUpgrade,
  sessionTokenOf,
} from "#tests/support/cable.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;
let admin: Visitor;
let url: string;
let headers: Record<string, string>;

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  url = await cableOf(app);
  headers = { origin: cableOrigin, cookie: cookiesOf(admin) };
});

test.each([
  [cableProtocols, "actioncable-v1-json"],
  [["a-token", "actioncable-unsupported", "actioncable-v1-json"], "actioncable-v1-json"],
  [["actioncable-unsupported"], "actioncable-unsupported"],
])("from the protocols %j the server chooses %s", async (offered, chosen) => {
  const socket = new WebSocket(url, offered, { headers });
  await once(socket, "open");
  expect(socket.protocol).toBe(chosen);
  socket.terminate();
});

test("a protocol that the server does not speak is never chosen", async () => {
  const none = new WebSocket(url, [], { headers });
  await once(none, "open");
  expect(none.protocol).toBe("");
  none.terminate();
  const unknown = new WebSocket(url, ["soap"], { headers });
  // The client library fails if none of its protocols was chosen.
  const [problem] = await once(unknown, "error");
  expect(String(problem)).toContain("no subprotocol");
});

test("welcome is the first frame", async () => {
  const socket = await aSocket(app, admin);
  expect(socket.texts[0]).toBe('{"type":"welcome"}');
  socket.socket.terminate();
});

test("a subscribe sent as soon as the socket opens is confirmed after the welcome", async () => {
  const identifier = JSON.stringify({
    channel: "LrsSubscriptionsChannel",
    user_id: network.admin.userId,
  });
  const early = new CableSocket(url, headers);
  early.socket.on("open", () => early.send({ command: "subscribe", identifier }));
  await early.frame((frame) => frame.type === "confirm_subscription");
  expect(early.said().map((frame) => frame.type)).toEqual(["welcome", "confirm_subscription"]);
  early.socket.terminate();
});

async function signedInFor(change: (token: string) => Promise<unknown>): Promise<string> {
  const visitor = await signedIn(app, "admin", network);
  await change(sessionTokenOf(visitor));
  return cookiesOf(visitor);
}

test.each<[string, () => Promise<string>]>([
  ["no cookie", async () => cookiesOf(aVisitor(app))],
  ["a forged cookie", async () => cookiesOf(admin).replace(/token=./, "token=x")],
  [
    "an expired session",
    () =>
      signedInFor((token) =>
        sql`update sessions set expires_at = now() - interval '1 second' where token = ${token}`.execute(
          app.db,
        ),
      ),
  ],
  [
    "a session that has ended",
    () => signedInFor((token) => sql`delete from sessions where token = ${token}`.execute(app.db)),
  ],
])("with %s the client gets one unauthorized frame and stops", async (_, cookie) => {
  const socket = new CableSocket(url, { origin: cableOrigin, cookie: await cookie() });
  expect(await socket.closed).toBe(1000);
  expect(socket.texts).toEqual(['{"type":"disconnect","reason":"unauthorized","reconnect":false}']);
});

test.each([
  "https://evil.example",
  "null",
  "",
  "http://localhost:3000.evil.example",
  "http://evil-localhost:3000",
  "http://localhost:3001",
  "http://localhost",
  "https://localhost:3000",
  "http://localhost:3000/",
])("a socket from the origin %j is refused", async (origin) => {
  expect(await refusedUpgrade(url, { ...headers, origin })).toBe(403);
});

test("a socket without an origin is refused", async () => {
  const { origin: _, ...rest } = headers;
  expect(await refusedUpgrade(url, rest)).toBe(403);
});

test("an upgrade at any other address is not found", async () => {
  expect(await refusedUpgrade(url.replace("/cable", "/session"), headers)).toBe(404);
  expect(await refusedUpgrade(url.replace("/cable", "/cables"), headers)).toBe(404);
});

test("the address may have a trailing slash and a query", async () => {
  expect(await refusedUpgrade(`${url}/?v=1`, headers)).toBe(101);
});

test("a plain request is told to upgrade", async () => {
  const answer = await fetch(url.replace("ws:", "http:"));
  expect(answer.status).toBe(426);
  expect(answer.headers.get("upgrade")).toBe("websocket");
});

test("a socket that resets during the handshake does not harm the server", async () => {
  const hasty = new WebSocket(url, cableProtocols, { headers });
  hasty.on("error", () => undefined);
  hasty.terminate();
  const after = await aSocket(app, admin);
  expect(after.texts[0]).toBe('{"type":"welcome"}');
  after.socket.terminate();
});
