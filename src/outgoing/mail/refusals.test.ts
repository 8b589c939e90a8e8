import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { editAttorney, showAttorney } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { queueMail, sendDueMail } from "#outgoing/mail/outbox.ts";
import { openMailTransport } from "#outgoing/mail/mail-transport.ts";
import { refusalOf } from "#outgoing/mail/refusals.ts";
import { showOverview } from "#office/desk/today/contract.ts";
import { MailServer } from "#tests/support/mail-server.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* A mail server refuses a recipient permanently, and administrators see it. */

let app: RunningApp;
let server: MailServer;
let network: MadeNetwork;
let attorney: MadeAttorney;
let admin: Visitor;
let queued = 0;

beforeAll(async () => {
  app = await anApp({ sendsMail: true });
  server = await MailServer.start();
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  await app.db.deleteFrom("mails").execute();
  network = await makeNetwork(app.db);
  attorney = await makeAttorney(app.db, network);
  admin = await signedIn(app, "admin", network);
  server.unknown = attorney.email;
  server.answerToUnknown = [550, "5.1.1 No such user here"];
  server.refuses = null;
  server.beforeUnknown = () => Promise.resolve();
});

const queueTo = async (recipient = attorney.email) =>
  await queueMail(app.db, {
    networkId: network.id,
    attorneyId: attorney.id,
    occasion: `greeting:${(queued += 1)}`,
    recipient,
    subject: "Greeting",
    body: "Dear Grace,\n\nhello.",
  });
const send = async () => {
  const post = openMailTransport({
    smtpUrl: server.url,
    from: "no-reply@example.test",
    dataDir: "",
    publicUrl: "https://dues.example.test",
    timeoutMs: 60_000,
  });
  return await sendDueMail(app.db, post);
};
const newest = async () => (await admin.call(listMail)).items[0];
const refusalShown = async () =>
  (await admin.call(showAttorney, { params: { id: attorney.id } })).emailRefusal;
const refusedOnToday = async () =>
  (await admin.call(showOverview)).attention.find(({ kind }) => kind === "emails_refused");
const refusedInList = async () =>
  (await admin.call(listAttorneys, { query: { email: "refused" } })).items.map(({ id }) => id);

test("a refused mailbox is not tried again, and the mail list, the attorney and Today show it", async () => {
  await queueTo();
  expect(await send()).toBe(0);
  expect(await newest()).toMatchObject({
    status: "gave_up",
    attempts: 1,
    refusal: "no such mailbox",
    lastProblem: "550 5.1.1 No such user here",
  });
  expect(await refusalShown()).toBe("no such mailbox");
  expect(await refusedInList()).toEqual([attorney.id]);
  expect(await refusedOnToday()).toMatchObject({
    count: 1,
    path: "/admin/attorneys?email=refused",
  });
  const lawyer = await signedIn(app, attorney, network);
  const own = await lawyer.call(showAttorney, { params: { id: attorney.id } });
  expect(own.emailRefusal).toBeNull();
});

test("the next accepted email clears the refusal, but the refused email keeps its status", async () => {
  await queueTo();
  await send();
  server.unknown = null;
  await queueTo();
  expect(await send()).toBe(1);
  expect(await refusalShown()).toBeNull();
  expect(await refusedInList()).toEqual([]);
  expect(await refusedOnToday()).toBeUndefined();
  const { items } = await admin.call(listMail);
  expect(items.map(({ refusal }) => refusal)).toEqual([null, "no such mailbox"]);
});

test("a new address clears the refusal, an email to someone else does not", async () => {
  await queueTo();
  await send();
  await queueTo("somebody@example.test");
  expect(await send()).toBe(1);
  expect(await refusalShown()).toBe("no such mailbox");
  const email = `better-${attorney.id}@example.test`;
  await admin.call(editAttorney, { params: { id: attorney.id }, body: { email } });
  expect(await refusalShown()).toBeNull();
  expect(await refusedOnToday()).toBeUndefined();
});

test("an address changed while its email is being refused gets that email, without a refusal", async () => {
  const email = `better-${attorney.id}@example.test`;
  await queueTo();
  server.beforeUnknown = () =>
    admin.call(editAttorney, { params: { id: attorney.id }, body: { email } });
  expect(await send()).toBe(1);
  expect(server.received.at(-1)?.to).toEqual([email]);
  expect(await newest()).toMatchObject({ status: "sent", recipient: email, refusal: null });
  expect(await refusalShown()).toBeNull();
});

describe("after the address is corrected,", () => {
  const better = () => `better-${attorney.id}@example.test`;
  const correct = () =>
    admin.call(editAttorney, { params: { id: attorney.id }, body: { email: better() } });
  const change = (to: string) => sql`update mails set ${sql.raw(to)}`.execute(app.db);
  beforeEach(async () => {
    await queueTo();
    await send();
  });

  test("email that the old one refused is sent to the new one", async () => {
    await correct();
    expect(await send()).toBe(1);
    expect(server.received.at(-1)?.to).toEqual([better()]);
    expect(await newest()).toMatchObject({
      status: "sent",
      attempts: 1,
      recipient: better(),
      refusal: null,
      lastProblem: null,
    });
    expect(await send()).toBe(0);
  });

  test.each([
    ["is older than three days", "created_at = now() - interval '73 hours'"],
    ["has lost its link", "body = 'https://dues.example.test/sign-in/link#…'"],
    ["belongs to an account", "attorney_id = null"],
  ])("but not an email that %s", async (_, to) => {
    await change(to);
    await correct();
    expect(await send()).toBe(0);
    expect(await newest()).toMatchObject({ status: "gave_up", recipient: attorney.email });
  });

  test("but not for an attorney who has left the panel", async () => {
    await correct();
    await sql`update attorneys set left_on = current_date, left_reason = '' where id = ${attorney.id}`.execute(
      app.db,
    );
    expect(await send()).toBe(0);
    expect(await newest()).toMatchObject({ status: "gave_up" });
  });
});

test("an attorney who has left the panel is not counted on Today", async () => {
  await queueTo();
  await send();
  await sql`update attorneys set left_on = current_date, left_reason = '' where id = ${attorney.id}`.execute(
    app.db,
  );
  expect(await refusedOnToday()).toBeUndefined();
  expect(await refusedInList()).toEqual([]);
});

describe("a refusal that is not about the recipient is tried again", () => {
  test.each([
    ["connection", "5.7.1 No mail from your network"],
    ["sender", "5.1.1 This sender does not exist"],
    ["message", "5.7.1 Message looks like spam"],
    ["message", "5.2.252 SendAsDenied"],
  ] as const)("a %s that the server refuses with %j", async (step, words) => {
    server.unknown = null;
    server.refuses = { step, with: [554, words] };
    await queueTo();
    expect(await send()).toBe(0);
    expect(await newest()).toMatchObject({ status: "queued", attempts: 1, refusal: null });
    expect(await refusalShown()).toBeNull();
  });

  test("but a mailbox refused after the message is refused permanently", async () => {
    server.unknown = null;
    server.refuses = { step: "message", with: [552, "5.2.2 Mailbox full"] };
    await queueTo();
    expect(await send()).toBe(0);
    expect(await newest()).toMatchObject({ status: "gave_up", refusal: "the mailbox is full" });
  });
});

const byRules = "not allowed by the rules of its mail server";

test.each([
  ["550 5.1.1 <a@b.example>: user unknown in relay recipient table", "no such mailbox"],
  [
    "550-5.1.1 The email account that you tried to reach\n550 5.1.1 does not exist",
    "no such mailbox",
  ],
  ["550 User unknown", "no such mailbox"],
  ["550 5.1.10 Null MX", "its domain accepts no email"],
  ["550 5.2.1 Account disabled", "the mailbox is closed"],
  ["552 5.2.2 Over quota", "the mailbox is full"],
  ["552 Over quota", "the mailbox is full"],
  ["550 5.7.1 Recipient takes mail of colleagues only", byRules],
  ["554 Not today", "its mail server accepts no email for it"],
  ["550", "no such mailbox"],
  ["550 No such user", "no such mailbox"],
  ["550 Requested action not taken: mailbox unavailable", "no such mailbox"],
  ["550 <a@b.example>: User unknown in relay recipient table", "no such mailbox"],
  ["550 Mailbox full, quota exceeded", "the mailbox is full"],
  ["501 5.1.3 Bad recipient address syntax", "not a valid address"],
  ["521 5.3.2 b.example does not accept mail", "its domain accepts no email"],
  ["556 5.1.10 Null MX", "its domain accepts no email"],
  ["550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "no such mailbox"],
  ["550 5.5.0 Requested action not taken: mailbox unavailable", "no such mailbox"],
  ["554 5.7.1 <a@b.example>: Recipient address rejected: Access denied", byRules],
  // Words in the address are ignored.
  ["550 5.1.1 <sender@example.org>: User unknown", "no such mailbox"],
  ["550 <blockley@x.example>: user unknown", "no such mailbox"],
  ["550 sender@relay.example is not here", "no such mailbox"],
  ["554 5.7.1 <a@b.example>: Relay access denied", null],
  ["554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked", null],
  ["550 5.1.8 Sender's domain not found", null],
  ["530 5.7.0 Must issue a STARTTLS command first", null],
  ["503 5.5.1 Need MAIL first", null],
  ["450 4.2.1 Come back later", null],
  ["451 4.7.1 Greylisted", null],
])("%j to a recipient means %j", (reply, refusal) => {
  expect(refusalOf(reply, "RCPT TO")).toBe(refusal);
});

test.each([
  "550 rejected because 203.0.113.9 is in a black list at zen.spamhaus.org",
  "550 JunkMail rejected - mail.example.org [203.0.113.9] is in an RBL",
  "550 Access denied - Invalid HELO name",
  "550 Administrative prohibition",
  "550 Delivery is not allowed to this address.",
  "550 Message rate limit exceeded for this account",
  "550-Requested action not taken: mailbox unavailable\n550 See https://example.org/errors?ip=203.0.113.9",
  "550-Verification failed for <no-reply@example.test>\n550-No such user here\n550 Sender verify failed",
  "550 5.7.606 Access denied, banned sending IP",
  "550 5.7.708 Service unavailable, traffic not accepted from this IP",
  "550 5.7.705 Access denied, tenant has exceeded threshold",
  "550 5.7.26 Unauthenticated mail is not accepted",
  "550 5.1.90 Your message can't be sent: you have reached your daily limit for message recipients",
  "550-5.2.1 The user that you are trying to contact is receiving mail at a rate that prevents this",
  "550 5.2.122 The recipient has exceeded their limit for receiving mail",
  "554 5.7.1 Message quota exceeded",
  "554 5.7.1 Access denied",
  "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
  "554 No SMTP service here",
  "530 Authentication required",
  "503 Bad sequence of commands",
])("%j to a recipient is about the sender, so the email is tried again", (reply) => {
  expect(refusalOf(reply, "RCPT TO")).toBeNull();
});
