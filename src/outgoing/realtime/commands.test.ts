import { once } from "node:events";
import { get } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect } from "vitest";
import {
  adminIdentifier,
  anAdminSocket,
  aSocket,
  cableOf,
  cableOrigin,
  type CableSocket,
  commitChange,
  cookiesOf,
} from "#tests/support/cable.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;
let identifier: string;
let socket: CableSocket;

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  identifier = adminIdentifier(network);
});
beforeEach(async () => void (socket = await anAdminSocket(app, network)));
afterEach(() => socket.socket.terminate());

const subscribe = (one = identifier) => ({ command: "subscribe", identifier: one });
const unsubscribe = (one = identifier) => ({ command: "unsubscribe", identifier: one });

const hint = (id: number) => ({ type: "subscriptions_changed", attorney_id: id });

/** Commit changes and wait until the last one arrives under another identifier. */
async function changesHeard(attorneyIds: number[]): Promise<void> {
  const fence = identifier.replace("{", '{"fence":1,');
  await socket.subscribe(fence);
  for (const id of attorneyIds) await commitChange(app.db, network.id, id);
  const last = JSON.stringify(hint(attorneyIds.at(-1) ?? 0));
  await socket.frame(
    (frame) => frame.identifier === fence && JSON.stringify(frame.message) === last,
  );
}

test("a subscription is confirmed with its identifier, byte for byte, and nothing else", async () => {
  const odd = `{ "user_id" : ${network.admin.userId}, "channel":"LrsSubscriptionsChannel" }`;
  expect(await socket.subscribe(odd)).toBe(true);
  expect(socket.texts).toContain(JSON.stringify({ identifier: odd, type: "confirm_subscription" }));
});

test("the same identifier in another spelling is a separate subscription", async () => {
  const other = identifier.replace(":", ": ");
  expect(await socket.subscribe(identifier)).toBe(true);
  expect(await socket.subscribe(other)).toBe(true);
  await changesHeard([7]);
  expect(socket.deliveries(identifier)).toEqual([hint(7)]);
  expect(socket.deliveries(other)).toEqual([hint(7)]);
});

test("subscribing again is confirmed again and delivered once", async () => {
  for (let time = 0; time < 2; time += 1) expect(await socket.subscribe(identifier)).toBe(true);
  for (let time = 0; time < 4; time += 1) socket.send(subscribe());
  await changesHeard([8]);
  expect(socket.deliveries(identifier)).toEqual([hint(8)]);
  const confirmations = socket.frames.filter(
    (frame) => frame.identifier === identifier && frame.type === "confirm_subscription",
  );
  expect(confirmations).toHaveLength(6);
});

test("commands in one burst are handled in order", async () => {
  for (const command of [subscribe(), unsubscribe(), subscribe()]) socket.send(command);
  await changesHeard([9]);
  expect(socket.deliveries(identifier)).toEqual([hint(9)]);
});

test("unsubscribing is not answered and ends deliveries until the next subscribe", async () => {
  await socket.subscribe(identifier);
  socket.send(unsubscribe());
  socket.send(unsubscribe("unknown"));
  await changesHeard([10]);
  expect(socket.deliveries(identifier)).toEqual([]);
  expect(socket.frames.filter((frame) => frame.identifier === identifier)).toHaveLength(1);
  expect(await socket.subscribe(identifier)).toBe(true);
  await changesHeard([11]);
  expect(socket.deliveries(identifier)).toEqual([hint(11)]);
});

test("nobody can subscribe to another person's channel", async () => {
  const colleague = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, network);
  const refused = [
    { channel: "LrsSubscriptionsChannel", user_id: colleague.admin.userId },
    { channel: "LrsSubscriptionsChannel", user_id: String(network.admin.userId) },
    { channel: "LrsSubscriptionsChannel", user_id: null },
    { channel: "LrsSubscriptionsChannel" },
    { channel: "DataExportsChannel", user_id: colleague.admin.userId },
    { channel: "AttorneyDashboardChannel", attorney_id: attorney.id },
    { channel: "lrssubscriptionschannel", user_id: network.admin.userId },
    { channel: "__proto__", user_id: network.admin.userId },
    { channel: "constructor", user_id: network.admin.userId },
    { channel: ["LrsSubscriptionsChannel"], user_id: network.admin.userId },
  ].map((one) => JSON.stringify(one));
  for (const one of refused) expect([one, await socket.subscribe(one)]).toEqual([one, false]);
  await changesHeard([attorney.id]);
  expect(refused.flatMap((one) => socket.deliveries(one))).toEqual([]);
});

test("an attorney gets messages only about their own record", async () => {
  const [attorney, other] = [
    await makeAttorney(app.db, network),
    await makeAttorney(app.db, network),
  ];
  const own = await aSocket(app, await signedIn(app, attorney, network));
  const channel = "AttorneyDashboardChannel";
  const ownIdentifier = JSON.stringify({ channel, attorney_id: attorney.id });
  expect(await own.subscribe(ownIdentifier)).toBe(true);
  expect(await own.subscribe(JSON.stringify({ channel, attorney_id: other.id }))).toBe(false);
  expect(await own.subscribe(identifier)).toBe(false);
  await commitChange(app.db, network.id, other.id);
  await commitChange(app.db, network.id, null, "exports");
  await commitChange(app.db, network.id, attorney.id);
  await commitChange(app.db, network.id, null);
  await own.frame((frame) => JSON.stringify(frame.message ?? "").includes("null"));
  expect(own.deliveries(ownIdentifier)).toEqual([
    hint(attorney.id),
    { type: "subscriptions_changed", attorney_id: null },
  ]);
  own.socket.terminate();
});

test("an identifier that names no channel is never confirmed", async () => {
  for (const text of ["nope{", "[]", "null", "7", '"x"', "{}", ""])
    expect(await socket.subscribe(text)).toBe(false);
  for (const other of [7, { channel: "LrsSubscriptionsChannel" }, null, ["x"], undefined])
    socket.send({ command: "subscribe", identifier: other });
  await socket.settled();
  expect(socket.frames.some((frame) => frame.type === "confirm_subscription")).toBe(false);
  expect(await socket.subscribe(identifier)).toBe(true);
});

test("a frame that is not a command is ignored", async () => {
  const before = socket.frames.length;
  for (const text of ["not JSON", "[]", "null", "{}", "", '{"command":"dance"}', '"subscribe"'])
    socket.socket.send(text);
  socket.socket.send(Buffer.from(JSON.stringify(subscribe())), { binary: true });
  const actions = [{ data: '{"action":"dance"}' }, { data: "nope{" }, { data: 7 }, {}];
  for (const action of actions) socket.send({ command: "message", identifier, ...action });
  await socket.settled();
  expect(socket.said(before).map((frame) => frame.type)).toEqual(["reject_subscription"]);
  expect(await socket.subscribe(identifier)).toBe(true);
});

test("a message in fragments is put together", async () => {
  const text = JSON.stringify(subscribe());
  socket.socket.send(text.slice(0, 20), { fin: false });
  socket.socket.send(text.slice(20), { fin: true });
  const confirmed = await socket.frame((frame) => frame.type === "confirm_subscription");
  expect(confirmed.identifier).toBe(identifier);
});

test("a WebSocket ping is answered with the same payload", async () => {
  const pong = once(socket.socket, "pong");
  socket.socket.ping("hello");
  expect(String((await pong)[0])).toBe("hello");
});

test("a close is echoed", async () => {
  socket.socket.close(1000);
  expect(await socket.closed).toBe(1000);
});

/** A raw socket, upgraded and welcomed. */
async function aRawSocket(): Promise<Socket> {
  const request = get((await cableOf(app)).replace("ws:", "http:"), {
    headers: {
      origin: cableOrigin,
      cookie: cookiesOf(await signedIn(app, "admin", network)),
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.alloc(16).toString("base64"),
      "sec-websocket-protocol": "actioncable-v1-json",
    },
  });
  return await new Promise((resolve) => request.on("upgrade", (_, raw) => resolve(raw)));
}

/** One client frame, masked with zeros. */
const frameOf = (opcode: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);

test.each([
  ["text that is not UTF-8", 0x1, Buffer.from([0xff, 0xfe]), 1007],
  ["an unknown opcode", 0x3, Buffer.from("x"), 1002],
])("%s closes only its own socket", async (_, opcode, payload, code) => {
  const raw = await aRawSocket();
  raw.write(frameOf(opcode, payload));
  const received = Buffer.concat(await raw.toArray());
  const close = received.lastIndexOf(Buffer.from([0x88])); // the close frame
  expect(received.readUInt16BE(close + 2)).toBe(code);
  expect(await socket.subscribe(identifier)).toBe(true);
});

test("a command of 32 KiB is accepted; one above the limit closes only its own socket", async () => {
  socket.send({ ...subscribe(), padding: "x".repeat(32 * 1024) });
  const confirmed = await socket.frame((frame) => frame.type === "confirm_subscription");
  expect(confirmed.identifier).toBe(identifier);
  const other = await anAdminSocket(app, network);
  socket.send(subscribe("x".repeat(65 * 1024)));
  expect(await socket.closed).toBe(1009);
  expect(await other.subscribe(identifier)).toBe(true);
  other.socket.terminate();
});

/** The administrator's identifier, padded with a letter up to about `bytes`. */
function identifierOf(bytes: number, letter: string): string {
  const room = bytes - Buffer.byteLength(identifier.replace("{", '{"padding":"",'));
  const padding = letter.repeat(Math.floor(room / Buffer.byteLength(letter)));
  return identifier.replace("{", `{"padding":"${padding}",`);
}

test.each(["x", "é"])(
  "an identifier has at most 512 bytes (of %s); a longer one is rejected and not stored",
  async (letter) => {
    // With two-byte letters the total may only reach 511.
    const most = Math.max(...[511, 512].map((one) => Buffer.byteLength(identifierOf(one, letter))));
    expect(await socket.subscribe(identifierOf(most, letter))).toBe(true);
    const longer = identifierOf(most + 2, letter);
    expect(await socket.subscribe(longer)).toBe(false);
    await changesHeard([12]);
    expect(socket.deliveries(longer)).toEqual([]);
  },
);

test("a client that keeps sending too long identifiers is told to stop and closed", async () => {
  const before = app.server.cable().drops["long identifiers"];
  const longer = identifierOf(600, "x");
  for (let time = 0; time < 9; time += 1) expect(await socket.subscribe(longer)).toBe(false);
  expect(await socket.subscribe(identifier)).toBe(true);
  socket.send(subscribe(longer));
  expect(await socket.closed).toBe(1000);
  expect(socket.texts.at(-1)).toBe(
    '{"type":"disconnect","reason":"invalid_request","reconnect":false}',
  );
  expect(app.server.cable().drops["long identifiers"]).toBe(before + 1);
});

test("a message in thousands of fragments closes only its own socket", async () => {
  for (let piece = 0; piece < 2_000; piece += 1) socket.socket.send("x", { fin: false });
  expect(await socket.closed).toBe(1008);
  const other = await anAdminSocket(app, network);
  expect(await other.subscribe(identifier)).toBe(true);
  other.socket.terminate();
});

const numbered = (index: number) => identifier.replace("{", `{"n":${index},`);

test("the fifty-first subscription is rejected until another one is unsubscribed", async () => {
  for (let index = 0; index < 50; index += 1)
    expect(await socket.subscribe(numbered(index))).toBe(true);
  expect(await socket.subscribe(numbered(50))).toBe(false);
  expect(await socket.subscribe(numbered(0))).toBe(true);
  socket.send(unsubscribe(numbered(0)));
  expect(await socket.subscribe(numbered(50))).toBe(true);
});

test("a client that sends hundreds of commands in a burst is disconnected", async () => {
  for (let index = 0; index < 300; index += 1) socket.send(unsubscribe(String(index)));
  expect(await socket.closed).toBe(1006);
});

test("a client that sends hundreds of pings in a burst is disconnected", async () => {
  for (let index = 0; index < 300; index += 1) socket.socket.ping();
  expect(await socket.closed).toBe(1006);
});
