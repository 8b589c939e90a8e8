import { describe, expect, test } from "vitest";
import { readConfig } from "#kit/ops/config.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

const external = {
  DATABASE_URL: "postgres://someone@db.example/dues",
  APP_SECRET: "s".repeat(32),
};

describe("a range of ids", () => {
  test("goes from one id to another, or has ten million ids", () => {
    const ranges = ["2000000001-3000000000", "10000001", "1"].map(
      (ID_RANGE) => readConfig({ ID_RANGE }).idRange,
    );
    expect(ranges).toEqual([
      { first: 2_000_000_001, last: 3_000_000_000 },
      { first: 10_000_001, last: 20_000_000 },
      { first: 1, last: 10_000_000 },
    ]);
    for (const ID_RANGE of ["0", "2-1", "5-5", "1-", "a"])
      expect(() => readConfig({ ID_RANGE })).toThrow("ID_RANGE must be two whole numbers");
  });
});

describe("an empty environment", () => {
  test("gives the defaults: embedded database, demo, both roles, limits on", () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: "127.0.0.1",
      databaseUrl: null,
      dataDir: ".data",
      roles: { web: true, worker: true },
      appSecret: null,
      demo: true,
      rateLimits: true,
      sandboxPort: 3001,
      publicUrl: "http://localhost:3000",
    });
  });

  test("is the same with empty variables", () => {
    expect(readConfig({ PORT: "", HOST: "", DEMO: "", APP_SECRET: "" })).toEqual(readConfig({}));
  });
});

describe("what follows from the variables", () => {
  test("the sandboxes listen beside PORT by default", () => {
    expect(readConfig({ PORT: "4000" })).toMatchObject({ port: 4000, sandboxPort: 4001 });
    expect(readConfig({ PORT: "4000", SANDBOX_PORT: "5000" }).sandboxPort).toBe(5000);
  });

  test("an external database gets no demo unless asked", () => {
    expect(readConfig(external).demo).toBe(false);
    expect(readConfig({ ...external, DEMO: "1" }).demo).toBe(true);
    expect(readConfig({ DEMO: "0" }).demo).toBe(false);
  });

  test("an address that others reach gets no demo unless asked", () => {
    for (const HOST of ["0.0.0.0", "::", "192.168.1.5", "dues.example"]) {
      expect(readConfig({ HOST }).demo).toBe(false);
      expect(readConfig({ HOST, DEMO: "1" }).demo).toBe(true);
    }
    for (const HOST of ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
      expect(readConfig({ HOST }).demo).toBe(true);
  });

  test("nor does a server behind a public proxy, even on loopback", () => {
    for (const PUBLIC_URL of [
      "https://dues.example",
      "http://192.168.1.5:3000",
      "http://0.0.0.0",
    ]) {
      expect(readConfig({ PUBLIC_URL }).demo).toBe(false);
      expect(readConfig({ PUBLIC_URL, DEMO: "1" }).demo).toBe(true);
    }
    for (const PUBLIC_URL of ["http://localhost:8080", "https://127.0.0.1", "http://[::1]:3000/"])
      expect(readConfig({ PUBLIC_URL }).demo).toBe(true);
  });

  test("which setting makes it reachable for others", () => {
    const PUBLIC_URL = "https://dues.example/";
    expect(readConfig({}).reachedBy).toBeNull();
    expect(readConfig({ PUBLIC_URL }).reachedBy).toBe("PUBLIC_URL https://dues.example");
    expect(readConfig({ PUBLIC_URL, HOST: "0.0.0.0" }).reachedBy).toBe("HOST 0.0.0.0");
  });

  test.each([
    ["web", { web: true, worker: false }],
    ["worker", { web: false, worker: true }],
    ["worker,web", { web: true, worker: true }],
  ])("ROLES=%s", (ROLES, roles) => {
    expect(readConfig({ ROLES }).roles).toEqual(roles);
  });

  test("this machine's three names are equal origins only if no other machine reaches it", () => {
    const names = ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"];
    for (const PUBLIC_URL of names)
      expect(readConfig({ PUBLIC_URL }).origins.toSorted()).toEqual(names.toSorted());
    for (const HOST of ["0.0.0.0", "192.168.1.5"])
      expect(readConfig({ PUBLIC_URL: names[0], HOST }).origins).toEqual([names[0]]);
    for (const PUBLIC_URL of ["https://localhost:8080", "http://192.168.1.5:8080"])
      expect(readConfig({ PUBLIC_URL }).origins).toEqual([PUBLIC_URL]);
  });

  test("links lead to the public address, the only origin for signing in", () => {
    expect(readConfig({ PUBLIC_URL: "https://dues.example/" })).toMatchObject({
      publicUrl: "https://dues.example",
      origins: ["https://dues.example"],
    });
  });

  test.each([
    ["https://dues.example//", "https://dues.example"],
    ["HTTPS://Dues.Example:443", "https://dues.example"],
    ["http://[::1]:8080/", "http://[::1]:8080"],
  ])("%s leads to %s", (PUBLIC_URL, publicUrl) => {
    expect(readConfig({ PUBLIC_URL })).toMatchObject({
      publicUrl,
      origins: expect.arrayContaining([publicUrl]),
    });
  });

  test("behind proxies a stopping process waits a quarter of its time for them to notice", () => {
    const PUBLIC_URL = "https://dues.example";
    expect(readConfig({}).stop).toEqual({ drainMs: 0, timeoutMs: 40_000 });
    expect(readConfig({ TRUST_PROXY: "2", PUBLIC_URL })).toMatchObject({
      trustedProxies: 2,
      stop: { drainMs: 10_000 },
    });
    expect(readConfig({ TRUST_PROXY: "1", PUBLIC_URL, STOP_SECONDS: "60" }).stop).toEqual({
      drainMs: 15_000,
      timeoutMs: 60_000,
    });
  });

  test.each(["127.0.0.1", "127.0.0.2", "localhost", "::1"])("limits may be off on %s", (HOST) => {
    expect(readConfig({ HOST, RATE_LIMITS: "0" }).rateLimits).toBe(false);
    const PUBLIC_URL = "http://localhost:8080";
    expect(readConfig({ HOST, PUBLIC_URL, RATE_LIMITS: "0" }).rateLimits).toBe(false);
  });
});

describe("is refused in one sentence that names the variable", () => {
  test.each([
    ["PORT", "0"],
    ["PORT", "65536"],
    ["PORT", "http"],
    ["PORT", "-1"],
    ["PORT", "30.5"],
    ["SANDBOX_PORT", "99999"],
    ["DATABASE_URL", "mysql://db/dues"],
    ["ROLES", "web,web,worker"],
    ["ROLES", "jobs"],
    ["APP_SECRET", "too short"],
    ["DEMO", "yes"],
    ["RATE_LIMITS", "off"],
    ["PUBLIC_URL", "dues.example"],
    ["PUBLIC_URL", "javascript:alert(1)"],
    ["TRUST_PROXY", "yes"],
    ["TRUST_PROXY", "10"],
    ["DATABASE_DIRECT_URL", "mysql://db/dues"],
    ["DATABASE_CONNECTIONS", "9"],
    ["DATABASE_CONNECTIONS", "1001"],
    ["STOP_SECONDS", "0"],
  ])("%s=%s", (name, value) => {
    const reading = () => readConfig({ [name]: value });
    expect(reading).toThrow(StartupProblem);
    expect(reading).toThrow(new RegExp(`^${name} must [^\\n]+\\.$`));
  });

  describe("PUBLIC_URL with", () => {
    test.each([
      ["a path", "https://dues.example/lrs"],
      ["a path and a trailing slash", "https://dues.example/lrs/"],
      ["an encoded path", "https://dues.example/%2F"],
      ["a query", "https://dues.example?network=1"],
      ["an empty query", "https://dues.example/?"],
      ["a fragment", "https://dues.example#top"],
      ["an empty fragment", "https://dues.example/#"],
      ["a user", "https://someone@dues.example"],
      ["a password", "https://someone:secret@dues.example"],
      ["an empty user", "https://@dues.example"],
      ["a backslash", String.raw`https://dues.example\lrs`],
    ])("%s", (_, value) => {
      const reading = () => readConfig({ PUBLIC_URL: value });
      expect(reading).toThrow(StartupProblem);
      expect(reading).toThrow(
        `PUBLIC_URL must be an http or https address without a path, query, fragment, user or password, such as https://dues.example.org.`,
      );
    });
  });

  test("an external database without a secret", () => {
    expect(() => readConfig({ DATABASE_URL: external.DATABASE_URL })).toThrow(/^APP_SECRET must/);
  });

  test("a direct address without the pooler's address", () => {
    expect(() => readConfig({ DATABASE_DIRECT_URL: external.DATABASE_URL })).toThrow(
      /^DATABASE_URL must be set/,
    );
  });

  test("a proxy without the address at which browsers reach it", () => {
    expect(() => readConfig({ TRUST_PROXY: "1" })).toThrow(/^PUBLIC_URL must be set/);
  });

  test.each(["0.0.0.0", "192.168.1.5", "dues.example", "::"])("limits off on %s", (HOST) => {
    expect(() => readConfig({ HOST, RATE_LIMITS: "0" })).toThrow(
      `RATE_LIMITS=0 is refused, because HOST ${HOST} can be reached from other machines. It is only for load tests on a loopback address.`,
    );
  });

  test.each(["https://dues.example", "http://192.168.1.5"])("limits off at %s", (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL, RATE_LIMITS: "0" })).toThrow(
      `RATE_LIMITS=0 is refused, because PUBLIC_URL ${PUBLIC_URL} can be reached from other machines`,
    );
  });
});
