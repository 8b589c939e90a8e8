import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort, projectFolder } from "#tests/support/launched.ts";

/*
 * deploy/nginx.conf, before two processes that do what the path says and count what they are asked:
 * through nginx itself, where it is installed.
 */

const shipped = readFileSync(join(projectFolder, "deploy/nginx.conf"), "utf8");
const programs = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "nginx"))
  .filter((path) => existsSync(path))
  .slice(0, 1);

test("the shipped nginx.conf hands a request on only where no process was reached", () => {
  expect(shipped.match(/proxy_next_upstream\w* .*;/g)).toEqual(["proxy_next_upstream off;"]);
  expect(shipped).toMatch(/if \(\$upstream_connect_time != "-"\) \{\s+return 502;/);
});

describe.each(programs)("%s, as it is shipped,", (program) => {
  const asked: string[] = [];
  let folder: string;
  let port: number;
  let nginx: ChildProcess;
  let first: Server;
  let second: Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "referral-network-nginx-"));
    [first, second] = [await aProcess(asked), await aProcess(asked)];
    port = await freePort();
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const site = shipped
      .replace("127.0.0.1:3000", `127.0.0.1:${portOf(first)}`)
      .replace("127.0.0.1:3001", `127.0.0.1:${portOf(second)}`)
      .replace(/server \{\s+listen 80;[^}]*\}/, "")
      .replace(/listen 443[^;]*;/, `listen 127.0.0.1:${port};`)
      .replaceAll(/ssl_certificate\w* .*;/g, "")
      .replace("proxy_read_timeout 60s;", "proxy_read_timeout 1s;");
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
       events {} http { access_log off; ${paths.join(" ")} ${site} }`,
    );
    nginx = spawn(program, ["-c", file, "-p", folder, "-e", "stderr"], { stdio: "inherit" });
    await goesWell();
  });
  afterAll(async () => {
    nginx.kill("SIGTERM");
    await once(nginx, "exit");
    for (const server of [first, second]) server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    // Whoever has failed is left out for a second.
    await goesWell();
    asked.length = 0;
  });

  const ask = (method: string, path: string) =>
    new Promise<{ status: number; retryAfter: string | undefined; body: string }>(
      (resolve, reject) => {
        const sent = request({ port, method, path, agent: false }, (answer) => {
          let body = "";
          answer.setEncoding("utf8").on("data", (text: string) => (body += text));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              retryAfter: answer.headers["retry-after"],
              body,
            }),
          );
        });
        sent.on("error", reject).end(method === "GET" ? undefined : "{}");
      },
    );

  const goesWell = async () =>
    await vi.waitUntil(async () => (await ask("GET", "/good").catch(() => null))?.status === 200, {
      timeout: 20_000,
    });

  test.each(["GET", "POST"])("passes a 503 on to whoever sent the %s", async (method) => {
    const busy = { status: 503, retryAfter: "2", body: "busy" };
    for (let round = 0; round < 6; round += 1) expect(await ask(method, "/busy")).toEqual(busy);
    expect(asked).toEqual(Array(6).fill(`${method} /busy`));
    expect(await ask("GET", "/good")).toMatchObject({ status: 200 });
  });

  test.each(["GET", "POST"])("sends a %s to one process, though it dies of it", async (method) => {
    expect(await ask(method, "/dies")).toMatchObject({ status: 502 });
    expect(asked).toEqual([`${method} /dies`]);
  });

  test.each(["GET", "POST"])("sends a %s to one process, though it is late", async (method) => {
    expect((await ask(method, "/late")).status).toBeGreaterThanOrEqual(502);
    expect(asked).toEqual([`${method} /late`]);
  });

  test("sends what a process that is not there was to have to the other", async () => {
    const gone = portOf(first);
    first.close();
    first.closeAllConnections();
    for (const method of ["GET", "POST", "GET", "POST", "GET", "POST"])
      expect([method, (await ask(method, "/good")).status]).toEqual([method, 200]);
    expect(asked).toHaveLength(6);
    first = await aProcess(asked, gone);
  });
});

/** A process of the product's, as far as a proxy can tell. */
async function aProcess(asked: string[], port = 0): Promise<Server> {
  const server = createServer((from, to) => {
    from.resume();
    asked.push(`${from.method} ${from.url}`);
    if (from.url === "/dies") from.socket.destroy();
    else if (from.url === "/busy") to.writeHead(503, { "Retry-After": "2" }).end("busy");
    else if (from.url === "/good") to.end("good");
  });
  await new Promise<void>((resume) => server.listen(port, "127.0.0.1", resume));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The process does not listen.");
  return address.port;
}
