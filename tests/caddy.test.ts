import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installed } from "#tests/support/installed.ts";
import { shippedCaddy, type ShippedProxy } from "#tests/support/installed-proxies.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { ask, TwoProcesses } from "#tests/support/two-processes.ts";

/* deploy/Caddyfile, as tests/nginx.test.ts does it for nginx: through Caddy itself, where it is installed. */

test("the shipped Caddyfile sends a request to another process only where none was reached", () => {
  const shipped = readFileSync(join(projectFolder, "deploy/Caddyfile"), "utf8");
  expect(shipped).toMatch(/lb_retry_match \{\s+not path \/\*\s+\}/);
});

const methods = inBriefOr(["POST"], ["GET", "POST"]);

describe.each(installed("caddy"))("%s, as it is shipped,", (program) => {
  let both: TwoProcesses;
  let caddy: ShippedProxy;

  beforeAll(async () => {
    // On a kept connection that has died Caddy sends a GET once more, over a new one.
    both = await TwoProcesses.start({ keepsConnections: false });
    caddy = await shippedCaddy(program, both.ports);
  });
  afterAll(async () => {
    await caddy.close();
    both.close();
  });
  beforeEach(async () => await both.areBothReached(caddy.port));

  test.each(methods)("passes a 503 on to whoever sent the %s", async (method) => {
    const busy = { status: 503, retryAfter: "2", body: "busy" };
    expect(await ask(caddy.port, method, "/busy")).toEqual(busy);
    expect(both.asked).toEqual([`${method} /busy`]);
  });

  test.each(methods)("sends a %s to one process, though it dies of it", async (method) => {
    expect(await ask(caddy.port, method, "/dies")).toMatchObject({ status: 502 });
    expect(both.asked).toEqual([`${method} /dies`]);
  });

  test("asks for nothing to be handed back, whatever a browser claims", async () => {
    both.stopping = both.first;
    for (const method of ["GET", "POST", "GET", "POST"])
      expect((await ask(caddy.port, method, "/good")).status).toBe(200);
    expect(both.asked).not.toContain("handed back");
  });

  test("leads pages from port 80 to TLS, and takes nothing else there: neither a form nor a token", async () => {
    const host = "dues.example.org";
    expect(await ask(caddy.plainPort, "GET", "/dashboard?view=x", { host })).toMatchObject({
      status: 301,
      location: "https://dues.example.org/dashboard?view=x",
    });
    for (const [method, headers] of [
      ["POST", { host }],
      ["GET", { host, authorization: "Bearer rn_1" }],
    ] as const)
      expect((await ask(caddy.plainPort, method, "/session", headers)).status).toBe(403);
    expect(both.asked).toEqual([]);
  });

  // Not a POST: before 2.11.2 Caddy has closed its body by the time it tries the other.
  test("sends a GET that a process which is not there was to have to the other", async () => {
    await both.withoutFirst(async () => {
      for (let round = 0; round < 4; round += 1)
        expect(await ask(caddy.port, "GET", "/good")).toMatchObject({ status: 200 });
      expect(both.asked).toHaveLength(4);
    });
  });
});
