import { beforeEach, describe, expect } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { changePassword } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { addressesAt } from "#sandboxes/processors.ts";
import { answersIn } from "#tests/support/page-answers.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, type Reply, signedIn, Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;
let admin: Visitor;
let lawyer: Visitor;

const sandbox = "http://127.0.0.1:1";
const test = appTest({ webFolder: builtWebFolder, sandboxes: addressesAt(sandbox) });
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
});
beforeEach(async () => {
  admin = await signedIn(app, "admin", network);
  lawyer = await signedIn(app, await makeAttorney(app.db, network), network);
});

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const open = (visitor: Visitor, url: string) =>
  visitor.sendRaw({ method: "GET", url, headers: html });

const metaOf = (page: Reply, name: string) =>
  new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(page.text)?.[1];

/** The directives of a page's Content-Security-Policy. */
function policyOf(page: Reply): Record<string, string> {
  const directives = String(page.headers["content-security-policy"]).split("; ");
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = "", ...values] = directive.split(" ");
      return [name, values.join(" ")];
    }),
  );
}

const administratorsPages = [
  "/admin",
  "/admin/attorneys",
  "/admin/attorneys/1",
  "/admin/matters",
  "/admin/matters/1",
  "/admin/subscriptions",
  "/admin/reports",
  "/admin/settings",
];

describe("where an address leads", () => {
  const attorneysPages = ["/dashboard", "/account"];

  test("a visitor is redirected to the sign-in page, and back afterwards", async () => {
    const visitor = aVisitor(app);
    expect((await open(visitor, "/")).headers["location"]).toBe("/sign-in");
    for (const url of [
      ...attorneysPages,
      ...administratorsPages,
      "/receipts/1",
      "/statements/1?from=2026-01-01&to=2026-01-31",
      "/admin/attorneys?search=a&page=2",
    ]) {
      const { status, headers } = await open(visitor, url);
      expect([status, headers["location"]]).toEqual([
        302,
        `/sign-in?next=${encodeURIComponent(url)}`,
      ]);
    }
    expect((await open(visitor, "/sign-in")).status).toBe(200);
    expect((await open(visitor, "/sign-in?next=%2Fdashboard")).status).toBe(200);
    expect((await open(visitor, "/sign-in/link")).status).toBe(200);
  });

  test("an emailed link with an escaped # leads to its page for anyone, and its code to no other address", async () => {
    const code = "k3JZ-abc_9".repeat(4);
    for (const visitor of [aVisitor(app), admin, lawyer])
      for (const page of ["/sign-in/link", "/sign-in/address"])
        for (const escaped of ["%23", "%2523", "/%23"]) {
          const { status, headers } = await open(visitor, `${page}${escaped}${code}`);
          expect([status, headers["location"]]).toEqual([302, `${page}#${code}`]);
          const more = await open(visitor, `${page}${escaped}${code}?ref=mail`);
          expect(more.headers["location"]).toBe(`${page}#${code}`);
          const checked = await visitor.sendRaw({ method: "GET", url: `${page}${escaped}${code}` });
          expect(checked.headers["location"]).toBe(`${page}#${code}`);
        }
    const { headers } = await open(aVisitor(app), `/sign-in/link${code}`);
    expect(headers).not.toHaveProperty("location");
    expect(headers["referrer-policy"]).toBe("strict-origin");
  });

  test("each page can be opened by its address, with and without the trailing slash", async () => {
    for (const url of administratorsPages) {
      expect([url, (await open(admin, url)).status]).toEqual([url, 200]);
      expect([url, (await open(admin, `${url}/`)).status]).toEqual([url, 200]);
    }
    for (const url of attorneysPages)
      expect([url, (await open(lawyer, url)).status]).toEqual([url, 200]);
  });

  test("the front page and the other role's pages lead to the user's own", async () => {
    for (const url of ["/", "/sign-in", "/dashboard"])
      expect((await open(admin, url)).headers["location"]).toBe("/admin");
    for (const url of ["/", "/sign-in", ...administratorsPages])
      expect((await open(lawyer, url)).headers["location"]).toBe("/dashboard");
  });

  test("an unknown address is a 404 page in a browser", async () => {
    for (const visitor of [aVisitor(app), admin, lawyer]) {
      const page = await open(visitor, "/no/such/page");
      expect([page.status, page.headers["content-type"]]).toEqual([
        404,
        "text/html; charset=utf-8",
      ]);
    }
  });

  test("a program without an Accept header gets the page too", async () => {
    const page = await admin.sendRaw({ method: "GET", url: "/admin/settings" });
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("no address leads to another site", async () => {
    for (const url of ["//evil.example/", "/\\evil.example", "/sign-in?next=//evil.example"]) {
      const { status, headers } = await open(aVisitor(app), url);
      expect(String(headers["location"] ?? "/")).toMatch(/^\/(?![/\\])/);
      expect(status).toBeLessThan(500);
    }
  });
});

describe("what a page contains about itself", () => {
  test("the address of the realtime channel, and this browser's own CSRF token", async () => {
    const [one, other] = [
      await open(aVisitor(app), "/sign-in"),
      await open(aVisitor(app), "/sign-in"),
    ];
    expect(metaOf(one, "action-cable-url")).toBe("/cable");
    expect(metaOf(one, "csrf-token")).toMatch(/^[\w-]{43}$/);
    expect(metaOf(one, "csrf-token")).not.toBe(metaOf(other, "csrf-token"));
    expect(one.text).not.toContain("%");
  });

  test("a visitor without cookies can sign in with the sign-in page's token", async () => {
    const visitor = new Visitor(app);
    visitor.cookies.clear();
    const page = await open(visitor, "/sign-in");
    expect(String(page.headers["set-cookie"])).toMatch(
      /^referral-network\.visitor=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    visitor.csrf = metaOf(page, "csrf-token") ?? "";
    const { email } = network.admin;
    const reply = await visitor.send("POST", "/api/auth/sign-in/email", {
      email,
      password: testPassword,
    });
    expect(reply.status).toBe(200);
    expect((await visitor.call(showSession)).user).toMatchObject({ role: "admin" });
    // The page is still the one of before: its token goes on working, and so does the next page's.
    const wrong = { current_password: "not it", new_password: "long enough to do" };
    expect((await visitor.ask(changePassword, { body: wrong })).status).toBe(422);
    const next = await open(visitor, "/admin/attorneys");
    expect(metaOf(next, "csrf-token")).not.toBe(visitor.csrf);
    visitor.csrf = metaOf(next, "csrf-token") ?? "";
    expect((await visitor.ask(changePassword, { body: wrong })).status).toBe(422);
  });

  test("the token stays the same as long as the session does", async () => {
    const token = metaOf(await open(admin, "/admin/attorneys"), "csrf-token");
    expect(metaOf(await open(admin, "/admin/settings"), "csrf-token")).toBe(token);
    expect(token).toBe(admin.csrf);
  });
});

describe("what a page contains for its first screen", () => {
  const answerAt = async (visitor: Visitor, page: string, call: string) => {
    const answers = answersIn((await open(visitor, page)).text);
    return answers[call];
  };
  const directly = async (visitor: Visitor, url: string) =>
    JSON.parse((await visitor.sendRaw({ method: "GET", url })).text);

  /** The calls of the administrators' navigation, on every screen. */
  const pending = "/checks?page=1000000&per_page=1&status=pending";

  test("is the signed-in user, and the screen's first answers, as the calls give them", async () => {
    for (const [visitor, page, calls] of [
      [aVisitor(app), "/sign-in", ["/session"]],
      [lawyer, "/dashboard", ["/session", "/matters/mine/standing"]],
      [admin, "/admin/subscriptions", ["/session", "/lrs_subscriptions/"]],
      [admin, "/admin/attorneys", ["/session", "/attorneys?page=1&per_page=50"]],
    ] as const)
      for (const call of calls)
        expect([call, await answerAt(visitor, page, call)]).toEqual([
          call,
          await directly(visitor, call),
        ]);
  });

  test("is each person's own, and never cached", async () => {
    const other = await makeAttorney(app.db, network, { firstName: "Somebody", lastName: "Else" });
    const theirs = await signedIn(app, other, network);
    const [own, others] = [await open(lawyer, "/dashboard"), await open(theirs, "/dashboard")];
    expect(others.text).toContain("Somebody Else");
    expect(own.text).not.toContain("Somebody Else");
    expect(own.headers["cache-control"]).toBe("no-store");
    expect((await open(aVisitor(app), "/sign-in")).text).not.toContain("Somebody Else");
  });

  test("is nothing from another network, nor of a missing record", async () => {
    const elsewhere = await makeNetwork(app.db);
    const stranger = await makeAttorney(app.db, elsewhere, {
      firstName: "Total",
      lastName: "Stranger",
    });
    for (const id of [stranger.id, 999_999_999, "99999999999999999999"]) {
      const page = await open(admin, `/admin/attorneys/${id}`);
      expect(page.status).toBe(200); // the screen says that there is no such attorney
      expect(Object.keys(answersIn(page.text))).toEqual(["/session", pending]);
      expect(page.text).not.toContain("Stranger");
    }
  });

  test("is not a list if the address filters it", async () => {
    const page = await open(admin, "/admin/attorneys?search=a&page=2");
    expect(Object.keys(answersIn(page.text))).toEqual(["/session", pending]);
  });

  test("cannot end its tag, whatever a name contains, and keeps the whole name", async () => {
    const firstName = "</script><script>alert(1)</script><!--";
    const lastName = "$& $1 %NONCE% %ANSWERS% \u2028 \\ \" & > '";
    const mallory = await makeAttorney(app.db, network, { firstName, lastName });
    const page = await open(admin, `/admin/attorneys/${mallory.id}`);
    expect(answersIn(page.text)[`/attorneys/${mallory.id}`]?.object).toMatchObject({
      name: `${firstName} ${lastName}`,
    });
    expect(page.text.match(/<script/g)).toHaveLength(2); // the entry and the answers
    expect(page.text).not.toContain("<!--");
    expect(page.text).not.toContain("alert(1)</");
  });

  test("are the scripts and styles of the screen, each named once with the page's nonce", async () => {
    const page = await open(lawyer, "/dashboard");
    const nonce = /'nonce-([^']+)'/.exec(policyOf(page)["script-src"] ?? "")?.[1];
    const tags = [
      ...page.text.matchAll(
        /<(?:script|link)[^>]*(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"[^>]*>/g,
      ),
    ];
    const names = tags.map(([, name]) => name ?? "");
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => /\/DashboardScreen-[\w-]+\.(js|css)$/.test(name))).toHaveLength(
      2,
    );
    expect(names.filter((name) => name.includes("AttorneysScreen"))).toEqual([]);
    expect(tags.filter(([tag]) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    expect((await open(admin, "/admin/attorneys")).text).toMatch(/AttorneysScreen-[\w-]+\.js/);
  });
});

describe("a page's headers", () => {
  test("only allow our own scripts and styles, and nothing inline", async () => {
    const page = await open(admin, "/admin/attorneys");
    const policy = policyOf(page);
    expect(policy["default-src"]).toBe("'none'");
    expect(policy["script-src"]).toMatch(/^'self' 'nonce-[A-Za-z0-9+/]{24}'$/);
    expect(policy["style-src"]).toMatch(/^'self' 'nonce-[A-Za-z0-9+/]{24}'$/);
    expect(policy).toMatchObject({
      "base-uri": "'none'",
      "frame-ancestors": "'none'",
      "frame-src": "'none'",
      "form-action": "'self'",
      "connect-src": "'self'",
      "report-uri": "/csp-reports",
    });
    expect(page.headers["reporting-endpoints"]).toBeUndefined(); // browsers accept them only over TLS
    expect(JSON.stringify(policy)).not.toContain("unsafe");
    // The page has no inline script, only data, which browsers do not run.
    const inline = [...page.text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>/g)].map(([tag]) => tag);
    expect(inline).toEqual(['<script type="application/json" id="answers">']);
    expect(page.text).not.toMatch(/\son\w+=|\sstyle=/);
  });

  test("let the page with the card form load from the card processor, and no other page or person", async () => {
    await takesCards(app, network, "anet");
    const allows = (page: Reply) =>
      String(page.headers["content-security-policy"]).includes(sandbox);
    for (const url of ["/dashboard", "/dashboard/", "/dashboard?view=payments"])
      expect([url, allows(await open(lawyer, url))]).toEqual([url, true]);
    for (const url of [
      "/dashboard/referrals",
      "/dashboard/no-such-page",
      "/account",
      "/receipts/1",
      "/statements/1",
      "/no/such/page",
    ])
      expect([url, allows(await open(lawyer, url))]).toEqual([url, false]);
    for (const url of administratorsPages)
      expect([url, allows(await open(admin, url))]).toEqual([url, false]);
    expect(allows(await open(aVisitor(app), "/sign-in"))).toBe(false);
  });

  test("have a new nonce each time, which the page's own tags have", async () => {
    const [one, other] = [
      await open(admin, "/admin/attorneys"),
      await open(admin, "/admin/attorneys"),
    ];
    const nonceOf = (page: Reply) =>
      /'nonce-([^']+)'/.exec(policyOf(page)["script-src"] ?? "")?.[1];
    expect(nonceOf(one)).not.toBe(nonceOf(other));
    const tags = [...one.text.matchAll(/<script[^>]* nonce="([^"]*)"/g)].map(([, nonce]) => nonce);
    expect(new Set(tags)).toEqual(new Set([nonceOf(one)]));
  });

  test.each([
    "/admin/attorneys",
    "/session",
    "/nowhere",
    "/healthz",
    "/readyz",
    "/api/docs",
    "/api/docs.css",
    "/api/openapi.json",
  ])("of %s keep browsers careful, and name the characters of a text", async (url) => {
    const { headers } = await admin.sendRaw({ method: "GET", url });
    expect(headers["content-type"]).toMatch(/; charset=utf-8$/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "strict-origin-when-cross-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("payment=()"),
      "cache-control": "no-store",
    });
    for (const directive of ["default-src", "object-src", "base-uri", "frame-ancestors"])
      expect(headers["content-security-policy"]).toMatch(new RegExp(`(^|; )${directive} 'none'`));
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers["server"]).toBeUndefined();
  });

  test("an answer is never shared with other sites", async () => {
    const { headers } = await admin.sendRaw({
      method: "GET",
      url: "/session",
      headers: { origin: "https://evil.example" },
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("HEAD", () => {
  const head = (visitor: Visitor, url: string, headers = {}) =>
    visitor.sendRaw({ method: "HEAD", url, headers });
  /** The headers in common; nonces and ids are new each time. */
  const facts = ({ status, headers }: Reply) => [
    status,
    headers["content-type"],
    headers["content-length"] ?? "0",
    headers["location"],
    headers["cache-control"],
    headers["content-encoding"],
    Object.keys({ ...headers, "content-length": "0" }).toSorted(),
  ];

  test("of any page gets GET's headers, without the page", async () => {
    const visitor = aVisitor(app);
    for (const [by, urls] of [
      [visitor, ["/sign-in", "/sign-in/link", "/", "/admin", "/dashboard"]],
      [admin, [...administratorsPages, "/account", "/sign-in", "/dashboard", "/admin/nowhere"]],
      [lawyer, ["/dashboard", "/receipts/1", "/admin"]],
    ] as const)
      for (const url of urls) {
        const [page, only] = [await by.sendRaw({ method: "GET", url }), await head(by, url)];
        expect([url, ...facts(only)]).toEqual([url, ...facts(page)]);
        expect(only.text).toBe("");
      }
  });

  test("of an unknown address is 404, in a browser too", async () => {
    for (const headers of [html, {}])
      expect(await head(aVisitor(app), "/nowhere", headers)).toMatchObject({
        status: 404,
        text: "",
      });
  });

  test("of an app file gets GET's headers, without the file", async () => {
    const page = await open(aVisitor(app), "/sign-in");
    const files = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThan(1);
    for (const url of [...files.map((file) => file[1] ?? ""), "/assets/no-such-file.js"])
      for (const encoding of ["identity", "br"]) {
        const headers = { "accept-encoding": encoding };
        const file = await aVisitor(app).sendRaw({ method: "GET", url, headers });
        const only = await head(aVisitor(app), url, headers);
        expect([url, ...facts(only)]).toEqual([url, ...facts(file)]);
        expect(only.text).toBe("");
      }
  });

  test("with an API token opens no page", async () => {
    const reply = await head(aVisitor(app), "/admin", { authorization: "Bearer x" });
    expect(reply.status).toBe(401);
  });
});

describe("the app's files", () => {
  test("are not sent again to a browser that has them", async () => {
    const page = await open(aVisitor(app), "/sign-in");
    const url = /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? "";
    const get = (tag: string, encoding = "identity") =>
      aVisitor(app).sendRaw({
        method: "GET",
        url,
        headers: { "if-none-match": tag, "accept-encoding": encoding },
      });
    for (const encoding of ["identity", "br", "gzip"]) {
      const tag = String((await get('"another"', encoding)).headers["etag"]);
      const strong = tag.replace("W/", "");
      for (const given of [tag, strong, `W/"a", ${tag}`, `"a",${strong} , "b"`, "*"]) {
        const { status, text } = await get(given, encoding);
        expect([given, status, text]).toEqual([given, 304, ""]);
      }
      expect((await get('"a", W/"b"', encoding)).status).toBe(200);
    }
  });

  test("are cached for a year, since their names change with their content", async () => {
    const page = await open(aVisitor(app), "/sign-in");
    const scripts = [...page.text.matchAll(/src="(\/assets\/[^"]+)"/g)].map(([, url]) => url ?? "");
    expect(scripts.length).toBeGreaterThan(0);
    for (const url of scripts) {
      const { status, headers } = await aVisitor(app).sendRaw({ method: "GET", url });
      expect(status).toBe(200);
      expect(headers["cache-control"]).toContain("immutable");
      expect(headers["content-type"]).toMatch(/javascript; charset=utf-8$/);
    }
  });

  test("include images with their charset, which are not pages", async () => {
    const page = await open(aVisitor(app), "/sign-in");
    const icon = /href="(\/assets\/[^"]+\.svg)"/.exec(page.text)?.[1] ?? "";
    const { headers } = await aVisitor(app).sendRaw({ method: "GET", url: icon });
    expect(headers).toMatchObject({
      "content-type": "image/svg+xml; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    });
  });

  test("are compressed for clients that accept it", async () => {
    const page = await open(aVisitor(app), "/sign-in");
    const url = /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? "";
    for (const encoding of ["br", "gzip"]) {
      const { headers } = await aVisitor(app).sendRaw({
        method: "GET",
        url,
        headers: { "accept-encoding": encoding },
      });
      expect(headers["content-encoding"]).toBe(encoding);
    }
  });

  test.each([
    "/assets/../index.html",
    "/assets/%2e%2e/index.html",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e%2f%2e%2e%2fpackage.json",
    "/assets//etc/passwd",
    "/assets/no-such-file.js",
    "/assets/",
    "/assets/%00",
  ])("are all there is below /assets/: %s is not there", async (url) => {
    const { status, text } = await aVisitor(app).sendRaw({ method: "GET", url });
    expect([400, 403, 404]).toContain(status);
    expect(text).not.toMatch(/dependencies|root:|csrf-token/);
  });
});
