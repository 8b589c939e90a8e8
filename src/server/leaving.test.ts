import { Agent, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cableOf } from "#tests/support/cable.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;
let port: number;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  app = await anApp();
  port = Number(new URL(await cableOf(app)).port);
});
afterAll(async () => {
  agent.destroy();
  await app.close();
});

function get(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, path, agent }, (answer) => resolve(answer.resume()))
      .on("error", reject)
      .end();
  });
}

test("a process about to end is not ready, goes on answering, and asks for new connections", async () => {
  expect((await get("/session")).headers.connection).toBe("keep-alive");
  const hurry = new AbortController();
  const left = app.server.leave(600_000, hurry.signal);

  expect((await get("/readyz")).statusCode).toBe(503);
  expect((await get("/healthz")).statusCode).toBe(200);
  const answer = await get("/session");
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, "close"]);

  hurry.abort();
  await left;
  await app.server.close();
  await expect(get("/session")).rejects.toThrow(/ECONNREFUSED/);
});
