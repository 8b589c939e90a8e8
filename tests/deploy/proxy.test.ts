import { request } from "node:http";
import { afterAll, expect } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { signIn, signOut } from "#access/sign-in/contract.ts";
import { csrfToken, newVisitorSecret, visitorCookieName } from "#kit/http/csrf.ts";
import { aBalancer, type Balancer } from "#tests/support/balancer.ts";
import { cableOf, CableSocket, cookiesOf, refusedUpgrade } from "#tests/support/cable.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Behind a proxy that ends TLS, as with TRUST_PROXY=1 and PUBLIC_URL=https://…. */

const publicUrl = "https://dues.example.test";

let network: MadeNetwork;
let proxy: Balancer;

const test = appTest({
  webFolder: builtWebFolder,
  publicUrl,
  origins: [publicUrl],
  trustedProxies: 1,
  rateLimits: true,
});
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
  const { port } = new URL(await cableOf(app));
  proxy = await aBalancer([Number(port)], "https");
  await proxy.knows(Number(port));
});
afterAll(async () => {
  proxy.close();
});

/** Sign in from the network with an address forged in the header that proxies append to. */
async function signInThroughProxy(pretended: string, password: string) {
  const visitorSecret = newVisitorSecret();
  const body = JSON.stringify({ email: network.admin.email, password });
  return await new Promise<{ status: number; cookies: string[] }>((resolve, reject) => {
    request({
      port: proxy.port,
      method: "POST",
      path: signIn.path,
      headers: {
        host: "dues.example.test",
        "content-type": "application/json",
        "x-forwarded-for": pretended,
        cookie: `${visitorCookieName(true)}=${visitorSecret}`,
        "x-csrf-token": csrfToken({ sessionToken: null, visitorSecret }, app.secret),
      },
    })
      .on("response", (answer) => {
        answer.resume();
        resolve({
          status: answer.statusCode ?? 0,
          cookies: answer.headers["set-cookie"] ?? [],
        });
      })
      .on("error", reject)
      .end(body);
  });
}

test("the session cookie is for TLS only, and opens a socket from the public origin only", async () => {
  const { status, cookies } = await signInThroughProxy("203.0.113.1", testPassword);
  expect(status).toBe(200);
  expect(cookies.toSorted()).toEqual([
    expect.stringMatching(
      /^__Host-referral-network\.device=[^;]*; Max-Age=\d+; Path=\/; HttpOnly; Secure;/,
    ),
    expect.stringMatching(/^__Host-referral-network\.session_token=.*; Path=\/; HttpOnly; Secure;/),
  ]);
  const visitor = aVisitor(app);
  const [pair = ""] = cookies.toSorted()[1]?.split(";") ?? [];
  visitor.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));

  const url = `ws://127.0.0.1:${proxy.port}/cable`;
  const cookie = cookiesOf(visitor);
  const socket = new CableSocket(url, { origin: publicUrl, cookie });
  expect(await socket.frame((frame) => frame.type !== undefined)).toEqual({ type: "welcome" });
  socket.socket.terminate();
  for (const origin of ["https://elsewhere.example", `http://127.0.0.1:${proxy.port}`])
    expect(await refusedUpgrade(url, { origin, cookie })).toBe(403);
});

test("failed sign-ins count for the address that the proxy saw, whatever the caller claims", async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1)
    statuses.push((await signInThroughProxy(`203.0.113.${attempt}`, "wrong")).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  const rows = await app.db.selectFrom("signInFailures").select("addressAndEmail").execute();
  expect(new Set(rows.map((row) => row.addressAndEmail))).toEqual(
    new Set([
      `127.0.0.1 ${network.admin.email}`,
      `account ${network.admin.email}`,
      "address 127.0.0.1",
    ]),
  );
});

test.for([
  ["IPv4", (port: number) => `192.0.2.7:${port}`],
  ["IPv6", (port: number) => `[2001:db8::${port}]:${port}`],
] as const)("a port that a proxy adds to an %s address is ignored", async ([, from]) => {
  const { email } = (await makeNetwork(app.db)).admin;
  const visitor = aVisitor(app);
  const body = { email, password: "wrong" };
  const statuses: number[] = [];
  for (let port = 4001; port <= 4011; port += 1) {
    const headers = { "content-type": "application/json", "x-csrf-token": visitor.csrf };
    const reply = await visitor.sendRaw({
      method: "POST",
      url: signIn.path,
      headers: { ...headers, "x-forwarded-for": `198.51.100.1, ${from(port)}` },
      payload: JSON.stringify(body),
    });
    statuses.push(reply.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
});

test("a session's address is recorded without the port that a proxy adds", async () => {
  const another = await makeNetwork(app.db);
  await givePassword(app.db, another.admin.userId);
  const visitor = aVisitor(app);
  const { status } = await visitor.sendRaw({
    method: "POST",
    url: signIn.path,
    headers: {
      "content-type": "application/json",
      "x-csrf-token": visitor.csrf,
      "x-forwarded-for": "[2001:db8::9]:51234",
    },
    payload: JSON.stringify({ email: another.admin.email, password: testPassword }),
  });
  expect(status).toBe(200);
  const recorded = app.db.selectFrom("sessions").select("ipAddress");
  expect(await recorded.where("userId", "=", another.admin.userId).execute()).toEqual([
    { ipAddress: "2001:db8::9" },
  ]);
});

test("signing out deletes the cookie and the pages that the browser has cached", async () => {
  const visitor = await signedIn(app, "admin", network);
  const { status, headers } = await visitor.send("POST", signOut.path, {});
  expect(status).toBe(200);
  expect(headers["clear-site-data"]).toBe('"cache"');
  expect(String(headers["set-cookie"])).toMatch(
    /^__Host-referral-network\.session_token=; Max-Age=0; Path=\/; HttpOnly; Secure/,
  );
});

test("pages say where to report what their policy blocks", async () => {
  const { headers } = await app.server.inject({
    url: "/sign-in",
    headers: { accept: "text/html" },
  });
  expect(headers["reporting-endpoints"]).toBe('csp="/csp-reports"');
  expect(headers["content-security-policy"]).toMatch(/; report-uri \/csp-reports; report-to csp$/);
});

test("answers tell browsers to use TLS for two years, for all subdomains too", async () => {
  const answer = await app.server.inject({ url: "/session" });
  expect(answer.headers["strict-transport-security"]).toBe("max-age=63072000; includeSubDomains");
});
