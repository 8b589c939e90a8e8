import { Agent, type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cableOf, cookiesOf, refusedUpgrade } from "#tests/support/cable.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn } from "#tests/support/visitor.ts";

let app: RunningApp;
let cable: string;
let agent: Agent;

beforeEach(async () => {
  app = await anApp();
  cable = await cableOf(app);
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(async () => {
  agent.destroy();
  await app.close();
});

const never = new AbortController().signal;

/** Call as a proxy does, over one connection while it is kept alive. */
function call(
  path: string,
  { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<IncomingMessage> {
  const method = body === undefined ? "GET" : "POST";
  const port = Number(new URL(cable).port);
  return new Promise((resolve, reject) => {
    request({ port, method, path, headers, agent }, (answer) => resolve(answer.resume()))
      .on("error", reject)
      .end(body);
  });
}

test("a stopping process is not ready, still answers, and closes its connections", async () => {
  expect((await call("/session")).headers.connection).toBe("keep-alive");
  const skip = new AbortController();
  const left = app.server.drain(600_000, skip.signal);

  expect((await call("/readyz")).statusCode).toBe(503);
  expect((await call("/healthz")).statusCode).toBe(200);
  const answer = await call("/session");
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, "close"]);

  skip.abort();
  await left;
  await expect(call("/session")).rejects.toThrow(/ECONNREFUSED/);
});

test("a request is returned to a proxy that can resend it, then nothing listens", async () => {
  const network = await makeNetwork(app.db);
  const debit = await makeDebit(app.db, network, await makeAttorney(app.db, network));
  const admin = await signedIn(app, "admin", network);
  const increase = {
    body: JSON.stringify({ debit_id: debit, direction: "increase", amount: "1.00" }).padEnd(
      200_000,
    ),
    headers: {
      cookie: cookiesOf(admin),
      "x-csrf-token": admin.csrf,
      "content-type": "application/json",
      "x-when-stopping": "502",
    },
  };
  expect((await call("/session", { headers: increase.headers })).statusCode).toBe(200);
  const left = app.server.drain(600_000, never);

  const answer = await call("/lrs_subscription_debit_adjustments/", increase);
  expect([answer.statusCode, answer.headers.connection]).toEqual([502, "close"]);
  expect((await standingOf(app.db, debit)).balance).toBe(5_000);

  await left; // not after ten minutes: the proxy knows, and sends nothing more to this process
  await expect(call("/session")).rejects.toThrow(/ECONNREFUSED/);
});

test("a socket is returned to such a proxy, too", async () => {
  const headers = { origin: "http://localhost:3000", "x-when-stopping": "502" };
  const left = app.server.drain(600_000, never);
  expect(await refusedUpgrade(cable, headers)).toBe(502);
  await left;
});
