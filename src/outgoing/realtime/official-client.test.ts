import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import {
  anAdminSocket,
  aSocket,
  cableOf,
  cableOrigin,
  commitChange,
  cookiesOf,
} from "#tests/support/cable.ts";
import {
  type Client,
  officialClient,
  subscribe,
  type Told,
} from "#tests/support/official-client.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aRelayTo } from "#tests/support/relay.ts";
import { anotherApp } from "#tests/support/running-app.ts";
import { aServerProcess } from "#tests/support/server-process.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * The unmodified client package against our server. It may take up to 17 s to reconnect, so the tests run
 * concurrently.
 */

let network: MadeNetwork;
let url: string;
let params: { channel: string; user_id: number };

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  url = await cableOf(app);
  params = { channel: "LrsSubscriptionsChannel", user_id: network.admin.userId };
});

const timeout = { timeout: 120_000, interval: 20 };

async function clientOf(visitor: Visitor, address = url): Promise<Client> {
  return officialClient(address, { origin: cableOrigin, cookie: cookiesOf(visitor) });
}

async function adminClient(address = url): Promise<Client> {
  return await clientOf(await signedIn(app, "admin", network), address);
}

/** Wait for a confirmation after the first `after` events. */
async function connected(told: Told, after = 0): Promise<void> {
  await vi.waitUntil(() => told.events.slice(after).includes("connected"), timeout);
}

/** Commit a change and wait until it arrives. */
async function hearing(told: Told, id: number): Promise<void> {
  await commitChange(app.db, network.id, id);
  const sought = JSON.stringify(hint(id)); // other tests make changes too
  await vi.waitUntil(
    () => told.messages.some((message) => JSON.stringify(message) === sought),
    timeout,
  );
}

const hint = (id: number) => ({ type: "subscriptions_changed", attorney_id: id });

test.concurrent("an idle client keeps its one socket and gets a ping every 3 s", async () => {
  const client = await adminClient();
  const { told } = subscribe(client, params);
  const turnedAway = await clientOf(aVisitor(app));
  const refused = subscribe(turnedAway, params);
  await connected(told);
  const socket = await anAdminSocket(app, network);
  const pings = () => socket.frames.filter((frame) => frame.type === "ping");
  const times = () =>
    socket.frames.flatMap((frame, index) =>
      frame.type === "ping" ? [socket.times[index] ?? 0] : [],
    );
  /** Pings since the last stall of a busy machine long enough for the client to call the connection stale (6 s). */
  const sinceSilence = () => {
    const all = times();
    const silence = all.findLastIndex((time, index) => time - (all[index - 1] ?? time) > 5_500);
    return all.slice(Math.max(0, silence));
  };
  // On a busy machine one ping may be late; the next is on time.
  const isOnTime = () => {
    const [first = 0, last = 0] = [sinceSilence()[0], sinceSilence().at(-1)];
    return Math.abs((last - first) / (sinceSilence().length - 1) - 3_000) < 500;
  };
  let sockets = 0;
  await vi.waitUntil(() => {
    // Half a second after a stall, the client opens another socket.
    if (sinceSilence().length <= 2) sockets = client.sockets.length;
    return sinceSilence().length >= 5 && isOnTime();
  }, timeout);
  const seconds = pings().map((ping) => Number(ping.message));
  expect(seconds.every(Number.isInteger)).toBe(true);
  const late = seconds.map((second, index) => (times()[index] ?? 0) / 1000 - second);
  expect(Math.min(...late)).toBeGreaterThan(-1);
  expect(Math.min(...late)).toBeLessThan(3);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  expect(client.sockets).toHaveLength(sockets);
  expect(new Set(client.sent).size).toBe(1); // repeated every half second until confirmed
  // In the same time, a client that is not signed in has tried once and stopped.
  expect(turnedAway.sockets).toHaveLength(1);
  expect(turnedAway.sockets[0]?.readyState).toBe(3);
  expect(refused.told.events).not.toContain("connected");
  client.consumer.disconnect();
  socket.socket.terminate();
});

test.concurrent("twin subscriptions share one, and each gets the messages", async () => {
  const client = await adminClient();
  const first = subscribe(client, { ...params, twin: true });
  const second = subscribe(client, { ...params, twin: true });
  await connected(first.told);
  await connected(second.told);
  const late = subscribe(client, { ...params, twin: true });
  await connected(late.told);
  await hearing(first.told, 31);
  expect(second.told.messages).toContainEqual(hint(31));
  expect(late.told.messages).toContainEqual(hint(31));
  second.subscription.unsubscribe();
  late.subscription.unsubscribe();
  const sent = client.sent.length;
  await hearing(first.told, 32);
  expect(client.sent.filter((text) => text.includes("unsubscribe"))).toEqual([]);
  expect(client.sent).toHaveLength(sent);
  client.consumer.disconnect();
});

test.concurrent("another administrator's channel is rejected", async () => {
  const client = await adminClient();
  const { told } = subscribe(client, { ...params, user_id: params.user_id + 1 });
  await vi.waitUntil(() => told.events.includes("rejected"), timeout);
  expect(told.events).not.toContain("connected");
  client.consumer.disconnect();
});

test.concurrent.each([
  ["cut", ["disconnected", "connected"]],
  // The client drops a stale socket without a `disconnected` event.
  ["silence", ["connected"]],
] as const)(
  "after a connection's %s the client reconnects automatically and gets messages again",
  async (accident, events) => {
    const relay = await aRelayTo(Number(new URL(url).port));
    const client = await adminClient(`ws://127.0.0.1:${relay.port}/cable`);
    const { told } = subscribe(client, params);
    await connected(told);
    const before = told.events.length;
    relay[accident]();
    await connected(told, before);
    expect([...new Set(told.events.slice(before))]).toEqual(events);
    await hearing(told, accident === "cut" ? 33 : 34);
    client.consumer.disconnect();
    relay.close();
  },
);

test.concurrent("a server that restarts says so, and its clients reconnect", async () => {
  const first = await anotherApp(app);
  const address = await cableOf(first);
  const client = await adminClient(address);
  const { told } = subscribe(client, params);
  await connected(told);
  const witness = await anAdminSocket(first, network);
  const before = told.events.length;
  await first.close();
  expect(await witness.closed).toBe(1000);
  expect(witness.texts.at(-1)).toBe(
    '{"type":"disconnect","reason":"server_restart","reconnect":true}',
  );
  const second = await anotherApp(app);
  await second.server.listen({ port: Number(new URL(address).port), host: "127.0.0.1" });
  await connected(told, before);
  await hearing(told, 35);
  client.consumer.disconnect();
  await second.close();
});

test.concurrent("clients reconnect to a server that was suspended, and refetch", async ({
  onTestFinished,
}) => {
  const server = await aServerProcess(app, "web");
  onTestFinished(() => void server.child.kill("SIGKILL"));
  const visitor = await signedIn(app, "admin", network);
  const client = officialClient(`ws://127.0.0.1:${server.port}/cable`, {
    origin: `http://localhost:${server.port}`,
    cookie: cookiesOf(visitor),
  });
  const { told } = subscribe(client, params);
  await connected(told);
  server.child.kill("SIGSTOP");
  const before = told.events.length;
  await commitChange(app.db, network.id, 37);
  await vi.waitUntil(() => client.sockets.length > 1, timeout); // it has dropped the connection
  server.child.kill("SIGCONT");
  await connected(told, before); // a screen refetches on this
  await hearing(told, 38);
  expect(told.events).not.toContain("rejected");
  client.consumer.disconnect();
});

test.concurrent("a client that was suspended refetches when it wakes, and gets messages again", async ({
  onTestFinished,
}) => {
  const visitor = await signedIn(app, "admin", network);
  const client = spawn(
    process.execPath,
    [
      fileURLToPath(new URL("../../../tests/support/client-process.ts", import.meta.url)),
      url,
      cableOrigin,
      cookiesOf(visitor),
      JSON.stringify(params),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void client.kill("SIGKILL"));
  const said: string[] = [];
  createInterface(client.stdout).on("line", (line) => said.push(line));
  await vi.waitUntil(() => said.includes('"connected"'), timeout);
  client.kill("SIGSTOP");
  const awake = await anAdminSocket(app, network);
  const pings = () => awake.frames.filter((frame) => frame.type === "ping").length;
  await vi.waitUntil(() => pings() >= 3, timeout); // long enough for a client to call the connection stale
  const before = said.length;
  await commitChange(app.db, network.id, 39);
  client.kill("SIGCONT");
  const heard = (line: string) => said.slice(before).includes(line);
  await vi.waitUntil(() => heard('"connected"') || heard(JSON.stringify(hint(39))), timeout);
  await vi.waitUntil(
    async () => {
      await commitChange(app.db, network.id, 40); // until it has reconnected
      return heard(JSON.stringify(hint(40)));
    },
    { ...timeout, interval: 500 },
  );
  expect(client.exitCode).toBeNull();
  awake.socket.terminate();
});

test.concurrent("a client refused because of too many sockets waits, and connects once there is room", async () => {
  const limited = await anotherApp(app, { rateLimits: true });
  const address = await cableOf(limited);
  const colleague = await makeNetwork(app.db);
  const visitor = await signedIn(app, "admin", colleague);
  const others = await Promise.all(Array.from({ length: 100 }, () => aSocket(limited, visitor)));
  const client = await clientOf(visitor, address);
  const { told } = subscribe(client, { ...params, user_id: colleague.admin.userId });
  const refused = () => limited.server.cable().refused;
  await vi.waitUntil(() => refused() >= 2, timeout); // it tried again
  expect(client.sockets).toHaveLength(refused());
  expect(told.events).not.toContain("connected");
  for (const { socket } of others) socket.terminate();
  await vi.waitUntil(() => told.events.includes("connected"), timeout);
  client.consumer.disconnect();
  await limited.close();
});

test.concurrent("signing out stops the client", async () => {
  const visitor = await signedIn(app, "admin", network);
  const client = await clientOf(visitor);
  const { told } = subscribe(client, params);
  await connected(told);
  const before = told.events.length;
  await visitor.send("POST", "/api/auth/sign-out", {});
  await vi.waitUntil(() => told.events.includes("disconnected", before), timeout);
  const opened = client.sockets.length; // a slow machine may have needed more than one
  await hearingElsewhere(36);
  expect(told.messages).not.toContainEqual(hint(36));
  expect(client.sockets).toHaveLength(opened);
});

async function hearingElsewhere(id: number): Promise<void> {
  const client = await adminClient();
  const { told } = subscribe(client, params);
  await connected(told);
  await hearing(told, id);
  client.consumer.disconnect();
}
