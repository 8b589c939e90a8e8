import { afterAll, expect } from "vitest";
import { listPlans } from "#dues/plans/plans.list.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type ProductProcess, startProduct } from "#tests/support/product-process.ts";
import { headersOf, RawConnection } from "#tests/support/raw-http.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Ten thousand requests queued at one process before the first is answered: each gets an answer or a 503, and
 * the process survives, bounds its memory and recovers.
 */

const connections = 500;
const requestsEach = 20;
const maxMemoryMiB = 400;

let network: MadeNetwork;
let product: ProductProcess;

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  product = await startProduct(app);
});
afterAll(async () => {
  product.kill();
});

/** The heads of the answers on a connection. */
const headsOf = ({ text }: RawConnection) => text.match(/HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/g) ?? [];

test("ten thousand requests at the same time get an answer or a 503, and nothing breaks", async () => {
  const admin = await signedIn(app, "admin", network);
  const head = `GET ${listPlans.path} HTTP/1.1\r\n${headersOf(admin)}`;
  const requests = [
    ...Array.from({ length: requestsEach - 1 }, () => `${head}\r\n`),
    `${head}Connection: close\r\n\r\n`,
  ].join("");
  const crowd = await Promise.all(
    Array.from({ length: connections }, () => RawConnection.open(product.port)),
  );
  for (const connection of crowd) connection.write(requests);
  await Promise.all(crowd.map((connection) => connection.closed));

  const heads = crowd.flatMap(headsOf);
  expect(heads).toHaveLength(connections * requestsEach);
  const statuses = new Set(heads.map((one) => Number(one.slice(9, 12))));
  expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
  const turnedAway = heads.filter((one) => !one.startsWith("HTTP/1.1 200"));
  expect(turnedAway.filter((one) => !/\r\nretry-after: [1-9]\d*\r\n/i.test(one))).toEqual([]);
  expect(product.isRunning()).toBe(true);
  expect(product.maxMemory()).toBeLessThan(maxMemoryMiB);
});

test("and the process recovers", async () => {
  const admin = await signedIn(app, "admin", network);
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const url = `http://127.0.0.1:${product.port}${listPlans.path}`;
  for (let time = 0; time < 20; time += 1)
    expect((await fetch(url, { headers: { cookie } })).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${product.port}/readyz`)).status).toBe(200);
});
