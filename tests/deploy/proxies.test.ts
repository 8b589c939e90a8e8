import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type ConnectionOptions } from "node:tls";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { serverIsStopping } from "#kit/http/shutdown.ts";
import { installed } from "#tests/support/installed.ts";
import { shippedCaddy, shippedNginx, type ShippedProxy } from "#tests/support/installed-proxies.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { ask, TwoProcesses } from "#tests/support/two-processes.ts";

/*
 * deploy/nginx.conf and deploy/Caddyfile, run with the installed proxies, in front of two processes that do
 * what the path says and count requests.
 */

const shipped = (name: string) => readFileSync(join(projectFolder, "deploy", name), "utf8");

test("the shipped nginx.conf retries a request only if no process has begun it", () => {
  const file = shipped("nginx.conf");
  expect(file.match(/proxy_next_upstream\w* .*;/g)).toEqual([
    "proxy_next_upstream http_502 non_idempotent;",
  ]);
  expect(file.match(/X-When-Stopping .*;/g)).toEqual([
    `X-When-Stopping ${serverIsStopping.status};`,
  ]);
  expect(file).toMatch(/if \(\$upstream_connect_time !~ "-\$"\) \{\s+return 502;/);
});

test("the shipped Caddyfile sends a request to another process only if the first was not reached", () => {
  expect(shipped("Caddyfile")).toMatch(/lb_retry_match \{\s+not path \/\*\s+\}/);
});

const methods = inBriefOr(["POST"], ["GET", "POST"]);

const proxies = [
  ...installed("nginx").map((program) => ({ name: "nginx" as const, program })),
  ...installed("caddy").map((program) => ({ name: "caddy" as const, program })),
];

describe.each(proxies)("$name, as it is shipped,", ({ name, program }) => {
  let both: TwoProcesses;
  let proxy: ShippedProxy;
  const isNginx = name === "nginx";

  beforeAll(async () => {
    // On a kept connection that died, Caddy sends a GET again over a new one.
    both = await TwoProcesses.start({ keepsConnections: isNginx });
    const change = (text: string) =>
      text.replace("proxy_read_timeout 60s;", "proxy_read_timeout 1s;");
    proxy = isNginx
      ? await shippedNginx(program, both.ports, { change })
      : await shippedCaddy(program, both.ports);
  });
  afterAll(async () => {
    await proxy.close();
    both.close();
  });
  beforeEach(async () => await both.areBothReached(proxy.port));

  test.each(methods)("passes a 503 on to the client that sent the %s", async (method) => {
    const busy = { status: 503, retryAfter: "2", body: "busy" };
    for (let round = 0; round < 6; round += 1)
      expect(await ask(proxy.port, method, "/busy")).toEqual(busy);
    expect(both.asked).toEqual(Array(6).fill(`${method} /busy`));
    expect(await ask(proxy.port, "GET", "/good")).toMatchObject({ status: 200 });
  });

  test.each(methods)(
    "sends a %s to one process only, even if the process dies of it",
    async (method) => {
      expect(await ask(proxy.port, method, "/dies")).toMatchObject({ status: 502 });
      expect(both.asked).toEqual([`${method} /dies`]);
    },
  );

  test("redirects pages from port 80 to TLS and accepts nothing else there, neither a form nor a token", async () => {
    const host = "dues.example.org";
    expect(await ask(proxy.plainPort, "GET", "/dashboard?view=x", { host })).toMatchObject({
      status: 301,
      location: "https://dues.example.org/dashboard?view=x",
    });
    for (const [method, headers] of [
      ["POST", { host }],
      ["GET", { host, authorization: "Bearer rn_1" }],
    ] as const)
      expect((await ask(proxy.plainPort, method, "/session", headers)).status).toBe(403);
    expect(both.asked).toEqual([]);
  });

  test("sends requests of a process that is down to the other", async () => {
    // Not a POST through Caddy: before 2.11.2 it has closed the body by the time it tries the other.
    const sent = isNginx ? ["GET", "POST", "GET", "POST", "GET", "POST"] : Array(4).fill("GET");
    await both.withoutFirst(async () => {
      for (const method of sent)
        expect([method, (await ask(proxy.port, method, "/good")).status]).toEqual([method, 200]);
      expect(both.asked).toHaveLength(sent.length);
    });
  });

  test.runIf(!isNginx)(
    "never asks the server to hand requests back, whatever a browser claims",
    async () => {
      both.stopping = both.first;
      for (const method of ["GET", "POST", "GET", "POST"])
        expect((await ask(proxy.port, method, "/good")).status).toBe(200);
      expect(both.asked).not.toContain("handed back");
    },
  );

  describe.runIf(isNginx)("which knows more,", () => {
    test.each(methods)("sends a %s to one process only, even if it is slow", async (method) => {
      expect((await ask(proxy.port, method, "/late")).status).toBeGreaterThanOrEqual(502);
      expect(both.asked).toEqual([`${method} /late`]);
    });

    test.each(methods)("sends the other process a %s that one hands back", async (method) => {
      both.stopping = both.first;
      const answers: unknown[] = [];
      const isHandedBack = async () => {
        answers.push(await ask(proxy.port, method, "/good"));
        return both.asked.includes("handed back");
      };
      await vi.waitUntil(isHandedBack, { timeout: 20_000 });
      expect(answers).toEqual(answers.map(() => expect.objectContaining({ status: 200 })));
      const begun = both.asked.filter((line) => line === `${method} /good`);
      expect(begun).toHaveLength(answers.length);
    });

    test("uses TLS 1.2 and 1.3, with ciphers that stay secret if a key is stolen", async () => {
      const withTls = await shippedNginx(program, both.ports, { tls: true });
      onTestFinished(() => withTls.close());
      const agreed = async (options: ConnectionOptions) => {
        const socket = connect({
          port: withTls.port,
          rejectUnauthorized: false,
          ciphers: "ALL:@SECLEVEL=0",
          ...options,
        });
        const isAgreed = once(socket, "secureConnect").then(
          () => true,
          () => false,
        );
        const isEnded = once(socket, "close").then(() => false);
        const version = (await Promise.race([isAgreed, isEnded])) ? socket.getProtocol() : null;
        socket.destroy();
        return version;
      };
      const isThere = async () => (await agreed({})) === "TLSv1.3";
      await vi.waitUntil(isThere, { timeout: 30_000 });
      expect(await agreed({ maxVersion: "TLSv1.2" })).toBe("TLSv1.2");
      for (const weak of ["AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384"])
        expect(await agreed({ maxVersion: "TLSv1.2", ciphers: `${weak}:@SECLEVEL=0` })).toBeNull();
      expect(await agreed({ minVersion: "TLSv1", maxVersion: "TLSv1.1" })).toBeNull();
    });
  });
});
