import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Envelope } from "#kit/contract/envelope.ts";
import { elavonSessionToken } from "#cards/contract.ts";
import { downloadExport } from "#kit/list/reports-contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import { goodRequest, recordsOf, servedCalls } from "#tests/interface/good-requests.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aDebtor, takesCards } from "#tests/support/card-network.ts";
import { anotherApp } from "#tests/support/running-app.ts";
import { addressOf, signedIn, Visitor } from "#tests/support/visitor.ts";

/* What another site can make a signed-in person's browser send. */

let app: CardWorld;
let network: MadeNetwork;
let admin: Visitor;

beforeAll(async () => {
  app = await anAppBesideSandboxes({ asOwner: true }); // which may set the database read-only
  network = await makeNetwork(app.db);
  await takesCards(app, network, "stripe");
  admin = await signedIn(app, "admin", network);
});
afterAll(async () => await app.close());

/** Every address that may change something, from the router: `POST /attorneys`. */
function writesOfRouter(): string[] {
  const above: string[] = [];
  return app.server
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] =
        /^((?:[│ ] {3})*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
      above.splice(indent.length / 4, above.length, part);
      const writing = methods.split(", ").filter((one) => !["GET", "HEAD", ""].includes(one));
      return writing.map((method) => `${method} ${withoutSlash(above.join(""))}`);
    });
}

const withoutSlash = (path: string) => path.replace(/\/$/, "");

test("every call that may change something needs the CSRF token, except three", () => {
  const calls = app.server.endpoints.map(
    ({ endpoint }) => `${endpoint.method} ${withoutSlash(endpoint.path)}`,
  );
  const writes = writesOfRouter();
  expect(writes.length).toBeGreaterThan(30);
  expect(writes.filter((one) => !calls.includes(one)).toSorted()).toEqual([
    "POST /csp-reports", // only counted, without a person
    "POST /payflow/return", // changes nothing: it forwards the posted data to our own page
    "POST /webhooks/:processor/:network", // authenticated by its signature
  ]);
});

test.each([
  ["a form", "application/x-www-form-urlencoded", "name=Dues&payment_amount=50"],
  ["a form of plain text that reads as JSON", "text/plain", '{"name":"Dues","x=":""}'],
  ["a form with files", "multipart/form-data; boundary=x", "--x--"],
  ["a beacon", "text/plain;charset=UTF-8", '{"name":"Dues"}'],
  ["JSON, if the browser let it", "application/json", '{"name":"Dues"}'],
])("%s from another site does nothing", async (_, type, payload) => {
  const url = listPlans.path;
  const origin = "https://evil.example";
  const headers = { "content-type": type, origin };
  expect((await admin.sendRaw({ method: "POST", url, headers, payload })).status).toBe(403);
  expect(await admin.call(listPlans)).toEqual([]);
});

test("another site cannot read any answer, and its preflight is refused", async () => {
  const origin = "https://evil.example";
  const asked = await admin.sendRaw({
    method: "OPTIONS",
    url: listPlans.path,
    headers: { origin, "access-control-request-method": "POST" },
  });
  const read = await admin.sendRaw({ method: "GET", url: listPlans.path, headers: { origin } });
  for (const { headers } of [asked, read]) {
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
  }
});

test("an unsigned webhook changes nothing and reveals nothing", async () => {
  for (const url of [`/webhooks/stripe/${network.id}`, "/webhooks/stripe/999999"]) {
    const payload = '{"id":"evt_1","type":"charge.succeeded"}';
    const headers = { "content-type": "application/json", "stripe-signature": "t=1,v1=00" };
    const reply = await admin.sendRaw({ method: "POST", url, headers, payload });
    expect([url, reply.status]).toEqual([url, url.endsWith("999999") ? 404 : 401]);
  }
});

test.each([
  ["cross-site", 403],
  ["same-site", 403],
  ["cross-site, same-origin", 403],
  ["same-origin", 200],
  ["none", 200],
  [undefined, 200],
])("opening a card session by GET is refused to other sites (%s)", async (site, status) => {
  const { visitor } = await aDebtor(app, "elavon");
  const sessions = async () =>
    (await sql<{ id: number }>`select id from card_sessions`.execute(app.db)).rows.length;
  const before = await sessions();
  const reply = await visitor.sendRaw({
    method: "GET",
    url: addressOf(elavonSessionToken.path, { query: { amount: "5.00" } }),
    headers: site === undefined ? {} : { "sec-fetch-site": site },
  });
  expect(reply.status).toBe(status);
  expect((await sessions()) - before).toBe(status === 200 ? 1 : 0);
  // The good answer has no envelope (specification §7), and says the same.
  expect(Envelope.partial().parse(JSON.parse(reply.text)).success).toBe(status === 200);
});

test("no other GET changes anything: all work on a read-only database", async () => {
  const other = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, other);
  const ids = await recordsOf(app, other, attorney);
  const lawyer = await signedIn(app, attorney, other);
  const manager = await signedIn(app, "admin", other);
  const name = new URL(app.connectionString).pathname.slice(1);
  await sql`alter database ${sql.raw(name)} set default_transaction_read_only = on`.execute(app.db);
  const reading = await anotherApp(app, { sandboxes: app.sandboxes.addresses });
  try {
    const gets = servedCalls(app).filter(({ endpoint }) => endpoint.method === "GET");
    expect(gets.length).toBeGreaterThan(20);
    for (const { endpoint, allow } of gets) {
      // The first download is recorded: afterwards Today no longer lists that report.
      if ([elavonSessionToken.path, downloadExport.path].includes(endpoint.path)) continue;
      const caller = new Visitor(reading);
      for (const [cookie, value] of (allow === "attorney" ? lawyer : manager).cookies)
        caller.cookies.set(cookie, value);
      const url = addressOf(endpoint.path, goodRequest(endpoint, ids));
      expect([url, (await caller.sendRaw({ method: "GET", url })).status]).toEqual([url, 200]);
    }
  } finally {
    await reading.close();
    const writing = app.db.transaction().setAccessMode("read write");
    await writing.execute((tx) =>
      sql`alter database ${sql.raw(name)} reset default_transaction_read_only`.execute(tx),
    );
  }
});
