import { sql } from "kysely";
import { expect, vi } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import * as contract from "#access/tokens/contract.ts";
import { attorneyImports, editAttorney, showAttorney } from "#people/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { hashOfApiToken, newApiToken } from "#kit/http/api-tokens.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import { goodRequest, nameOf, recordsOf } from "#tests/interface/good-requests.ts";
import { admin, app, network, peopleTest } from "#tests/support/app-test.ts";
import { cableOf, cableOrigin, refusedUpgrade } from "#tests/support/cable.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { ApiProgram, aProgram } from "#tests/support/program.ts";
import { anotherApp, liftTimeLimits } from "#tests/support/running-app.ts";
import { addressOf, signedIn } from "#tests/support/visitor.ts";
import { todayInNewYork } from "#tests/support/today.ts";

/* What an API token permits, to whom, and for how long. */

const test = peopleTest(() => anAppBesideSandboxes(), { network: {} });

const aPlan = (name: string) => ({
  body: { name, payment_amount: "50", payment_frequency_in_months: 1 },
});

async function aToken(body: object = {}) {
  const made = await admin.call(contract.makeApiToken, {
    body: { name: `Accounting ${Math.random()}`, scope: "write", ...body },
  });
  return { ...made, program: new ApiProgram(app, made.token) };
}

test("a token acts as an administrator without a session or CSRF token, and the activity names it", async () => {
  const { program, token } = await aToken({ name: "Accounting export" });
  expect(token).toMatch(/^rn_[0-9A-Za-z]{49}$/);
  const reply = await program.ask(createPlan, aPlan("Dues"));
  expect(reply).toMatchObject({ status: 200 });
  expect(reply.headers["set-cookie"]).toBeUndefined();
  const { items } = await admin.call(listActivity);
  expect(items[0]).toMatchObject({ action: "defined", who: "Token “Accounting export”" });
  expect(items[1]).toMatchObject({ action: "made", recordName: "Accounting export" });
});

test("a token is shown once: the list, the activity and the database do not have it", async () => {
  const { token } = await aToken();
  const shown = await admin.ask(contract.listApiTokens);
  expect(shown.text).toContain(token.slice(-4));
  expect(shown.text + (await admin.ask(listActivity)).text).not.toContain(token.slice(3, -4));
  const { rows } = await sql<{ text: string }>`
    select t::text as text from api_tokens t union all select e::text from audit_entries e`.execute(
    app.db,
  );
  expect(rows.map(({ text }) => text).join()).not.toContain(token.slice(3, -4));
});

test("a stolen token stops working in every process once it is revoked or has expired", async () => {
  const other = await anotherApp(app);
  try {
    const revoked = await aToken();
    const expired = await aToken({ expires_on: todayInNewYork() });
    const thieves = [revoked, expired].flatMap(({ token }) =>
      [app, other].map((process) => new ApiProgram(process, token)),
    );
    for (const thief of thieves) expect((await thief.ask(listPlans)).status).toBe(200);
    await admin.call(contract.revokeApiToken, { params: { id: revoked.id } });
    await sql`update api_tokens set expires_at = now() where id = ${expired.id}`.execute(app.db);
    for (const thief of thieves) {
      const reply = await thief.ask(createPlan, aPlan("Stolen"));
      expect([reply.status, reply.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
      expect(reply.message).toBe("This API token is unknown, revoked or expired.");
    }
    const { items } = await admin.call(contract.listApiTokens);
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      [expired.id, "expired"],
      [revoked.id, "revoked"],
    ]);
  } finally {
    await other.close();
  }
});

test("an invalid token is refused, whatever session comes with it", async () => {
  const wrong = newApiToken();
  for (const authorization of [
    "Bearer",
    "Bearer ",
    "bearer x",
    `Bearer ${wrong}`,
    `Bearer ${wrong.slice(0, -1)}`,
    `Bearer  rn_${"0".repeat(49)}`,
    `Bearer ${"x".repeat(8000)}`,
  ]) {
    const headers = { authorization };
    const reply = await admin.sendRaw({ method: "GET", url: listPlans.path, headers });
    expect([authorization, reply.status]).toEqual([authorization, 401]);
  }
  expect(hashOfApiToken(wrong)).toMatch(/^[0-9a-f]{64}$/);
});

test("a session sent with a token is ignored", async () => {
  const stranger = await makeNetwork(app.db);
  const program = await aProgram(app, stranger);
  const cookie = `${sessionCookieName(false)}=${admin.cookies.get(sessionCookieName(false))}`;
  await admin.call(createPlan, aPlan("Of the session's network"));
  const reply = await program.sendRaw({
    method: "GET",
    url: listPlans.path,
    headers: { cookie, "x-csrf-token": admin.csrf },
  });
  expect(reply.object).toEqual([]);
});

test("a token of one network finds and changes nothing of another", async () => {
  const other = await makeNetwork(app.db, { permitsMatterEditing: true });
  const stranger = await makeAttorney(app.db, other, { firstName: "Strange", lastName: "Rr" });
  const theirs = await recordsOf(app as CardWorld, other, stranger);
  const marked = Object.fromEntries(
    Object.entries(theirs).map(([name, id]) => [name, typeof id === "number" ? 987_654_321 : id]),
  ) as typeof theirs;
  const entries = async () =>
    (await sql`select id from audit_entries where network_id = ${other.id}`.execute(app.db)).rows;
  const before = await entries();
  const program = await aProgram(app, network);
  let asked = 0;
  for (const { endpoint, isForPrograms, isBare } of app.server.endpoints) {
    if (!isForPrograms) continue;
    const reply = await program.sendRaw(program.requestOf(endpoint, goodRequest(endpoint, theirs)));
    expect([nameOf(endpoint), reply.text.includes("Strange")]).toEqual([nameOf(endpoint), false]);
    if (isBare || !JSON.stringify(goodRequest(endpoint, marked)).includes("987654321")) continue;
    asked += 1;
    expect([nameOf(endpoint), reply.status]).toEqual([nameOf(endpoint), 404]);
  }
  expect(asked).toBeGreaterThan(20);
  expect(await entries()).toEqual(before);
});

test("a token with read permission makes every reading call, and no other", async () => {
  const attorney = await makeAttorney(app.db, network);
  const ids = await recordsOf(app as CardWorld, network, attorney);
  const reader = await aProgram(app, network, { scope: "read" });
  const calls = app.server.endpoints.filter(({ isForPrograms }) => isForPrograms);
  expect(calls.length).toBeGreaterThan(60);
  for (const { endpoint } of calls) {
    const url = addressOf(endpoint.path, goodRequest(endpoint, ids));
    const reply = await reader.sendRaw({ method: endpoint.method, url, payload: "{]" });
    const isRead = endpoint.method === "GET";
    expect([url, reply.status]).toEqual([url, isRead ? 200 : 403]);
    if (!isRead) expect(reply.message).toMatch(/token is read-only/);
    else expect((await reader.sendRaw({ method: "HEAD", url })).status).toBe(200);
  }
});

test("calls that need a person refuse every token, before anything is read", async () => {
  const program = await aProgram(app, network);
  const calls = app.server.endpoints.filter(({ isForPrograms }) => !isForPrograms);
  const names = calls.map(({ endpoint }) => nameOf(endpoint));
  expect(names).toEqual(
    expect.arrayContaining([
      "GET /session",
      "POST /account/password",
      "POST /administrators",
      "POST /administrators/:id/removal",
      "POST /api_tokens",
      "POST /api_tokens/:id/revoke",
      "POST /api/auth/sign-in/email",
      "POST /api/auth/sign-out",
      "POST /attorneys/:id/invitation",
      "POST /attorneys/invite",
      "POST /sign_in_links/request",
      "POST /saved_filters",
      "PATCH /legal_networks/card_settings",
    ]),
  );
  for (const { endpoint, allow } of calls) {
    const url = endpoint.path.replace(":id", "1");
    const reply = await program.sendRaw({ method: endpoint.method, url, payload: "{]" });
    expect([url, reply.status, reply.message]).toEqual([
      url,
      403,
      allow === "attorney"
        ? "Only an attorney may do this."
        : "An API token cannot do this. A person must sign in.",
    ]);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  }
});

test("a token cannot change a sign-in email address, neither by a call nor by a file", async () => {
  const attorney = await makeAttorney(app.db, network, { barNumber: "B77" });
  await givePassword(app.db, (await makeAccount(app.db, network, attorney)).userId);
  const program = await aProgram(app, network);
  const edited = { params: { id: attorney.id }, body: { email: "thief@example.com" } };
  expect((await program.ask(editAttorney, edited)).status).toBe(403);
  const body = `first name,last name,email,bar no\nGrace,Hopper,thief@example.com,B77`;
  const query = { file_name: "panel.csv" };
  const { digest } = await program.call(attorneyImports.preview, { query, body });
  const imported = { query: { ...query, digest }, body };
  expect((await program.ask(attorneyImports.importing, imported)).status).toBe(403);
  const { email } = await admin.call(showAttorney, { params: { id: attorney.id } });
  expect(email).toBe(attorney.email);
});

test("a token opens no socket", async () => {
  const { token } = await aToken();
  const url = await cableOf(app);
  const headers = { origin: cableOrigin, authorization: `Bearer ${token}` };
  expect(await refusedUpgrade(url, headers)).toBe(403);
});

test("each use is recorded, at most once a minute", async () => {
  const { id, program } = await aToken();
  const lastUse = async () =>
    (await admin.call(contract.listApiTokens)).items.find((one) => one.id === id)?.lastUsedAt;
  expect(await lastUse()).toBeNull();
  await program.call(listPlans);
  await vi.waitUntil(lastUse);
  const first = await lastUse();
  await program.call(listPlans);
  expect(await lastUse()).toBe(first);
});

test("token names are unique in a network, and a revoked token's name can be used again", async () => {
  const { id, name } = await aToken();
  const again = { body: { name: name.toUpperCase(), scope: "read" } };
  expect((await admin.ask(contract.makeApiToken, again)).status).toBe(409);
  await admin.call(contract.revokeApiToken, { params: { id } });
  expect((await admin.ask(contract.makeApiToken, again)).status).toBe(200);
  const past = { body: { name: "Past", scope: "read", expires_on: "2020-01-01" } };
  expect((await admin.ask(contract.makeApiToken, past)).errors[0]?.path).toBe("expires_on");
});

test("a token has 600 requests a minute, and an address as many with wrong tokens", async () => {
  const limited = await anotherApp(app, { rateLimits: true });
  try {
    await liftTimeLimits(limited);
    const program = new ApiProgram(limited, (await aToken()).token);
    const ask = async (by: ApiProgram, times: number) => {
      const replies = await Promise.all(Array.from({ length: times }, () => by.ask(listPlans)));
      return new Set(replies.map(({ status }) => status));
    };
    for (let batch = 0; batch < 5; batch += 1)
      expect(await ask(program, 120)).toEqual(new Set([200]));
    expect(await ask(program, 2)).toEqual(new Set([429]));
    const guesser = new ApiProgram(limited, newApiToken());
    for (let batch = 0; batch < 5; batch += 1)
      expect(await ask(guesser, 120)).toEqual(new Set([401]));
    expect(await ask(guesser, 2)).toEqual(new Set([429]));
    expect((await (await signedIn(limited, "admin", network)).ask(showSession)).status).toBe(200);
  } finally {
    await limited.close();
  }
});
