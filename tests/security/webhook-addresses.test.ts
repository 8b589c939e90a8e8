import type { LookupAddress } from "node:dns";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  listWebhookEndpoints,
  removeWebhookEndpoint,
  renewWebhookSecret,
  testWebhookEndpoint,
} from "#outgoing/webhooks/contract.ts";
import { postWebhook } from "#outgoing/webhooks/post-webhook.ts";
import {
  publicAddressesOnly,
  isPublicAddress,
  type AddressPolicy,
} from "#outgoing/webhooks/public-address.ts";
import { newWebhookSecret } from "#outgoing/webhooks/webhook-secrets.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aProgram } from "#tests/support/program.ts";
import { loopbackOnly, WebhookReceiver } from "#tests/support/webhook-receiver.ts";

/* A webhook sends the server to an address that somebody else chose: never into a private network. */

const test = appTest({ network: {} });
let receiver: WebhookReceiver;
beforeAll(async () => void (receiver = await WebhookReceiver.start()));
afterAll(async () => await receiver.close());

/** From the registries of special-purpose addresses, each with its first, its last or one within. */
const privateAddresses = [
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.254",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:a00:1",
  "64:ff9b::a00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:4136::1",
  "2001:db8::1",
  "2002:a00:1::1",
  "2002:7f00:1::",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "not an address",
  "",
];
const publicAddresses = [
  "8.8.8.8",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::8a",
  "2001:4860:4860::8888",
];

test("every private, local, shared, tunnelled and reserved address is distinguished from a public one", () => {
  expect(privateAddresses.filter((address) => isPublicAddress(address))).toEqual([]);
  expect(publicAddresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

const notPublic = "The address is not public: its name is unknown or belongs to a private network.";

const post = (url: string, reach: AddressPolicy) =>
  postWebhook(
    { url, id: "msg_1", body: "{}", secrets: [newWebhookSecret()], sentAt: new Date() },
    reach,
  );
/** A stand-in for DNS with these names; lookups are counted. */
function resolving(...answers: string[][]): { asked: number; resolve: AddressPolicy["resolve"] } {
  const counted = { asked: 0, resolve: (() => undefined) as AddressPolicy["resolve"] };
  counted.resolve = (_name, _options, answer) => {
    const found = answers[Math.min(counted.asked, answers.length - 1)] ?? [];
    counted.asked += 1;
    const addresses: LookupAddress[] = found.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    answer(null, addresses);
  };
  return counted;
}

describe("a name", () => {
  test.each(["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"])(
    "that resolves to %s is not connected to",
    async (address) => {
      const { resolve } = resolving([address]);
      const reach = { ...publicAddressesOnly, resolve, allowsHttp: true };
      const outcome = await post(`http://hooks.example.org:${receiver.port}/`, reach);
      expect(outcome).toMatchObject({ isTaken: false, status: null });
      expect(outcome.problem).toBe(notPublic);
      expect(receiver.received).toEqual([]);
    },
  );

  test("that resolves to a public and a private address is not connected to", async () => {
    const { resolve } = resolving(["8.8.8.8", "127.0.0.1"]);
    const reach = { ...publicAddressesOnly, resolve, allowsHttp: true };
    const { problem } = await post(`http://hooks.example.org:${receiver.port}/`, reach);
    expect(problem).toBe(notPublic);
  });

  test.each(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "ESERVFAIL", null])(
    "that does not exist (%s) is answered like one of our own network",
    async (code) => {
      const unknown: AddressPolicy["resolve"] = (name, _options, answer) =>
        answer(code ? Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code }) : null, []);
      const outcomes = await Promise.all(
        [unknown, resolving(["10.0.0.1"]).resolve, resolving(["8.8.8.8", "10.0.0.1"]).resolve].map(
          async (resolve) =>
            post("https://db.internal.example/", { ...publicAddressesOnly, resolve }),
        ),
      );
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
        new Set([
          JSON.stringify({ isTaken: false, status: null, problem: notPublic, secondsToWait: 0 }),
        ]),
      );
    },
  );

  test("that is refused takes as long as any other, however long its lookup took", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    const refused: string[] = [];
    const slow: AddressPolicy["resolve"] = (_name, _options, answer) =>
      void setTimeout(() => answer(new Error("unknown"), []), 400);
    const posts = [
      ["slow", slow],
      ["private", resolving(["10.0.0.1"]).resolve],
    ] as const;
    const all = posts.map(async ([name, resolve]) => {
      const outcome = await post("https://db.internal.example/", {
        ...publicAddressesOnly,
        resolve,
      });
      refused.push(name);
      return outcome.problem;
    });
    await vi.advanceTimersByTimeAsync(publicAddressesOnly.refusesAfterMs - 1);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(all)).toEqual([notPublic, notPublic]);
    vi.useRealTimers();
  });

  test("that changes its address after the lookup gains nothing: it is looked up once", async () => {
    // Here loopback stands for what is allowed, and a documentation address for a private one.
    const names = resolving(["127.0.0.1"], ["192.0.2.1"]);
    const reach = { ...loopbackOnly, resolve: names.resolve };
    const outcome = await post(`http://hooks.example.org:${receiver.port}/rebound`, reach);
    expect(outcome).toMatchObject({ isTaken: true, status: 204 });
    expect(names.asked).toBe(1);
    expect(receiver.received.splice(0)).toMatchObject([
      { path: "/rebound", headers: { host: `hooks.example.org:${receiver.port}` } },
    ]);
    const later = await post(`http://hooks.example.org:${receiver.port}/rebound`, reach);
    expect(later.problem).toBe(notPublic); // no connection from an earlier lookup is reused
    expect(receiver.received).toEqual([]);
  });
});

describe("an IP address in the URL, without a lookup,", () => {
  test.each(["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0177.0.0.1"])(
    "%s is not connected to",
    async (host) => {
      const reach = { ...publicAddressesOnly, allowsHttp: true };
      const { isTaken, problem } = await post(`http://${host}:${receiver.port}/`, reach);
      expect(isTaken).toBe(false);
      expect(problem).toBe(notPublic);
      expect(receiver.received).toEqual([]);
    },
  );
});

test("nothing is posted without TLS", async () => {
  const { problem } = await post("http://example.org/", publicAddressesOnly);
  expect(problem).toBe("The address does not begin with https://.");
});

test("a webhook to such an address is refused when entered, if its spelling shows it", async () => {
  const types = ["debit.created"];
  const refused = [
    "http://example.org/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://localhost/",
    "https://hooks.localhost:8443/",
    "https://192.168.1.1:8443/hook",
    "https://me:secret@example.org/",
    "https://example.org:22/",
    "https://example.org:80/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "https://",
    "example.org",
    "",
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00:ec2::254]/",
  ];
  for (const url of refused) {
    const reply = await admin.ask(addWebhookEndpoint, { body: { url, event_types: types } });
    expect([url, reply.status, reply.errors[0]?.path]).toEqual([url, 422, "url"]);
  }
  const body = { url: "https://example.org:8443/hooks", event_types: types };
  const { id } = await admin.call(addWebhookEndpoint, { body });
  const change = { params: { id }, body: { url: "https://10.0.0.1/" } };
  expect((await admin.ask(changeWebhookEndpoint, change)).status).toBe(422);
});

test("a name is not looked up when entered: one of our own network and an unknown one get the same answer", async () => {
  const shapes = new Set<string>();
  for (const host of ["localhost.localdomain", "db.internal.example", "nobody-knows.invalid"]) {
    const body = { url: `https://${host}/`, event_types: ["debit.created"] };
    const { status, errors, object } = await admin.ask(addWebhookEndpoint, { body });
    shapes.add(JSON.stringify([status, errors, Object.keys(object)]));
  }
  expect(shapes.size).toBe(1);
});

describe("a webhook's address and secret", () => {
  const changes = async () => {
    const body = { url: "https://example.org/hooks", event_types: ["debit.created"] };
    const params = { id: (await admin.call(addWebhookEndpoint, { body })).id };
    return [
      [addWebhookEndpoint, { body }],
      [changeWebhookEndpoint, { params, body: { url: "https://elsewhere.example.org/" } }],
      [changeWebhookEndpoint, { params, body: { active: false } }],
      [renewWebhookSecret, { params }],
      [testWebhookEndpoint, { params }],
      [removeWebhookEndpoint, { params }],
    ] as const;
  };

  test("cannot be changed by any token", async () => {
    const program = await aProgram(app, network);
    for (const [endpoint, asked] of await changes()) {
      const reply = await program.ask(endpoint, asked);
      expect([reply.status, reply.message]).toEqual([
        403,
        "An API token cannot do this. A person must sign in.",
      ]);
    }
    const [listed] = await program.call(listWebhookEndpoints);
    expect(listed).toMatchObject({ url: "https://example.org/hooks", active: true });
    expect(listed).not.toHaveProperty("secret");
  });

  test("need a person who has just entered the password or a code", async () => {
    const all = await changes();
    await app.db
      .updateTable("sessions")
      .set({ confirmedAt: sql<string>`now() - interval '11 minutes'` })
      .where("userId", "=", network.admin.userId)
      .execute();
    for (const [endpoint, asked] of all)
      expect(await admin.ask(endpoint as Endpoint, asked)).toMatchObject({
        status: 403,
        errors: [{ path: "confirmation" }],
      });
    expect(await admin.call(listWebhookEndpoints)).toHaveLength(1);
  });
});
