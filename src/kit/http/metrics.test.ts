import { expect } from "vitest";
import { app, appTest } from "#tests/support/app-test.ts";

const test = appTest({ metricsToken: "a-token-of-metrics" });

const metrics = (headers: Record<string, string>, remoteAddress: string) =>
  app.server.inject({ url: "/metrics", headers, remoteAddress });

test("this machine reads response metrics, by route and never by address", async () => {
  await app.server.inject({ url: "/attorneys/7?search=someone" });
  const answer = await metrics({}, "127.0.0.1");
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain(
    'http_request_duration_seconds_count{method="GET",route="/attorneys/:id",status="401"} 1',
  );
  expect(answer.body).not.toContain("someone");
});

test("counters, and only counters, are named as such", async () => {
  const { body } = await metrics({}, "127.0.0.1");
  const types = new Map(
    [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  for (const name of ["gaps", "deliveries", "rejected", "drops"])
    expect([name, types.get(`cable_${name}_total`)]).toEqual([name, "counter"]);
  const misnamed = [...types].filter(
    ([name, type]) => name.endsWith("_total") !== (type === "counter"),
  );
  expect(misnamed).toEqual([]);
  expect(body).toMatch(/^cable_deliveries_total 0$/m);
  expect((await metrics({}, "127.0.0.1")).body).toMatch(/^cable_deliveries_total 0$/m);
});

test("others need the token", async () => {
  expect((await metrics({}, "192.0.2.7")).statusCode).toBe(403);
  expect((await metrics({ authorization: "Bearer something-else" }, "192.0.2.7")).statusCode).toBe(
    403,
  );
  const known = { authorization: "Bearer a-token-of-metrics" };
  expect((await metrics(known, "192.0.2.7")).statusCode).toBe(200);
});

test("a request that a proxy passed on does not count as this machine's", async () => {
  const passedOn = { "x-forwarded-for": "192.0.2.7" };
  expect((await metrics(passedOn, "127.0.0.1")).statusCode).toBe(403);
});
