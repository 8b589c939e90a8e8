import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Registry } from "prom-client";
import { Temporal } from "temporal-polyfill";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import * as attorneys from "#people/contract.ts";
import { acceptLink, requestLink } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { recordMatter } from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { payByCard } from "#cards/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { requestExport } from "#kit/list/reports-contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { watchJobs } from "#kit/jobs/job-events.ts";
import { openLog } from "#kit/ops/log.ts";
import { startWorker } from "#main/worker.ts";
import { CableSocket, cableOf, cableOrigin, cookiesOf } from "#tests/support/cable.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * A day of real use at the most detailed log level: people sign in, search, record, pay, order and fail, jobs
 * run, the database refuses. Then the log is searched for everything that it must not contain.
 */

const person = {
  first_name: "Zebulon",
  last_name: "Quackenbush",
  email: "zebulon.quackenbush@example.test",
  phone: "(907) 555-0143",
  bar_number: "AK-77123",
  address_line_1: "17 Ptarmigan Lane",
  address_city: "Skagway",
  address_region: "AK",
  address_zip: "99840",
};
const client = { first_name: "Philippa", last_name: "Wombwell", note: "A custody dispute" };
const search = "wombwell custody";
const newPassword = "a new long password";
const declined = "4000000000000002";
const accepted = "4242424242424242";

/** All personal data and secrets in this test. */
const secrets: string[] = [
  ...Object.values(person).filter((value) => value !== person.address_region),
  ...Object.values(client),
  search,
  encodeURIComponent(search),
  testPassword,
  newPassword,
  accepted,
  declined,
  "CHK-4471",
  "9075550143",
];

interface Line {
  level: string;
  time: string;
  msg?: string;
  reqId?: string;
  route?: string;
  status?: number;
  task?: string;
}

const logLines: string[] = [];
const logTo = { write: (line: string) => void logLines.push(line) };
const lines = () => logLines.map((line): Line => JSON.parse(line));

let app: RunningApp;
let sandboxes: Sandboxes;
let debtor: Debtor;
let admin: Visitor;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
  app = await anApp({ asOwner: true, logLevel: "trace", logTo, sandboxes: sandboxes.addresses });
  debtor = await aDebtor(app, "stripe", [5000, 3000, 2000]);
  admin = await signedIn(app, "admin", debtor.network);
});
afterAll(async () => {
  await app.close();
  await sandboxes.close();
});

async function peopleSignIn(): Promise<void> {
  const { admin: account } = debtor.network;
  await givePassword(app.db, account.userId);
  secrets.push(account.email, account.name, debtor.attorney.email, debtor.attorney.lastName);
  const visitor = aVisitor(app);
  const signIn = (password: string) =>
    visitor.send("POST", "/api/auth/sign-in/email", { email: account.email, password });
  expect((await signIn("not the password")).status).toBe(401);
  expect((await signIn(testPassword)).status).toBe(200);
  await visitor.call(showSession);
  await visitor.call(requestLink, { body: { email: account.email } });
  secrets.push(...visitor.cookies.values(), visitor.csrf, "not the password");
}

async function anAttorneyIsInvited(): Promise<void> {
  const { id } = await admin.call(attorneys.addAttorney, { body: person });
  const invited = await admin.call(attorneys.inviteAttorney, { params: { id } });
  const code = new URL(invited.url ?? "").hash.slice(1);
  const escaped = (invited.url ?? "").replace("#", "%23"); // by a mail program
  for (const url of [escaped, escaped.replace("%23", ""), escaped.replace("%23", "%2")])
    await aVisitor(app).sendRaw({ method: "GET", url, headers: { accept: "text/html" } });
  await aVisitor(app).call(acceptLink, { body: { token: code, password: newPassword } });
  secrets.push(code);
  expect((await admin.ask(attorneys.addAttorney, { body: person })).status).toBe(409);
}

async function referralsAreRecorded(): Promise<void> {
  await admin.call(recordMatter, { body: { ...client, email: person.email, phone: person.phone } });
  await admin.call(listMatters, { query: { search } });
  await admin.send("GET", `/attorneys?search=${encodeURIComponent(person.email)}`);
  await admin.send("GET", `/no-such-page/${person.last_name}?email=${person.email}`);
  const cut = { method: "POST", url: "/matters", payload: `{"last_name": "${client.last_name}` };
  const headers = { "x-csrf-token": admin.csrf, "content-type": "application/json" };
  expect((await admin.sendRaw({ ...cut, headers })).status).toBe(400);
}

async function duesArePaid(): Promise<void> {
  const { visitor, debits } = debtor;
  for (const [index, number] of [declined, accepted].entries()) {
    const card = cardOf("stripe", number);
    const token = await tokenFrom("stripe", { visitor, sandboxes, amount: "50.00", card });
    const body = { payment_hash: { [debits[0] ?? 0]: "50.00" }, token };
    expect((await visitor.ask(payByCard, { body })).status).toBe(index === 0 ? 422 : 200);
    secrets.push(token);
  }
  await visitor.call(payByCheck, {
    body: { payment_hash: { [debits[2] ?? 0]: "20.00" }, check_number: "CHK-4471" },
  });
}

async function loseChargeAnswer(): Promise<void> {
  const { visitor, debits } = debtor;
  sandboxes.stripe.fail({ call: "charge", kind: "500-after" });
  const card = cardOf("stripe", accepted);
  const token = await tokenFrom("stripe", { visitor, sandboxes, amount: "30.00", card });
  const body = { payment_hash: { [debits[1] ?? 0]: "30.00" }, token };
  expect((await visitor.ask(payByCard, { body })).status).toBe(202);
  secrets.push(token, ...visitor.cookies.values(), visitor.csrf);
}

async function openSocket(): Promise<void> {
  const headers = { origin: cableOrigin, cookie: cookiesOf(admin) };
  const socket = new CableSocket(`${await cableOf(app)}?token=${person.last_name}`, headers);
  await socket.frame(({ type }) => type === "welcome");
  socket.socket.close();
  await socket.closed;
}

async function theDatabaseRefuses(): Promise<void> {
  await sql`alter table attorneys add constraint nobody check (first_name <> 'Zebulon') not valid`.execute(
    app.db,
  );
  const headers = { "x-csrf-token": admin.csrf, "content-type": "application/json" };
  const payload = JSON.stringify({ ...person, email: "second@example.test", bar_number: "AK-2" });
  const failed = admin.sendRaw({ method: "POST", url: "/attorneys", headers, payload });
  await expect(failed).rejects.toThrow("answered 500");
  secrets.push("second@example.test");
}

async function jobsRun(): Promise<void> {
  const wanted = { report_type: "attorneys", columns: ["email", "last_name"] };
  expect((await admin.send("POST", requestExport.path, wanted)).status).toBe(200);
  const log = openLog("trace", logTo);
  const worker = await startWorker(
    {
      ...app,
      now: () => Temporal.Now.instant(),
      log: (line) => log.warn(line),
      publicUrl: "http://localhost:3000",
    },
    sandboxes.addresses,
    watchJobs(log, new Registry()),
  );
  const sent = () => app.db.selectFrom("mails").select("status").execute();
  const isDone = async () => (await sent()).every(({ status }) => status === "sent");
  await expect.poll(isDone).toBe(true);
  await worker.stop();
}

test("after a day of real use the log has people's ids only", async () => {
  await peopleSignIn();
  await anAttorneyIsInvited();
  await referralsAreRecorded();
  await duesArePaid();
  await openSocket();
  await theDatabaseRefuses();
  await jobsRun();
  await loseChargeAnswer();
  await admin.call(listPlans);
  secrets.push(...admin.cookies.values(), admin.csrf);

  const told = lines();
  expect(told.length).toBeGreaterThan(20);
  const answered = told.filter(({ msg }) => msg === "answered");
  expect(answered.every(({ reqId, route, status }) => reqId && route && status)).toBe(true);
  expect(told.some(({ msg, level }) => msg === "request failed" && level === "error")).toBe(true);
  expect(told.some(({ task }) => task === "send-mail")).toBe(true);

  const log = logLines.join("").toLowerCase();
  const values = secrets.flatMap((secret) => [secret, decodeURIComponent(secret)]);
  expect(values.filter((value) => log.includes(value.toLowerCase()))).toEqual([]);
});
