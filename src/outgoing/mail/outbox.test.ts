import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { queueIn } from "#kit/jobs/send.ts";
import { startWorker } from "#main/worker.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import {
  PostUnavailable,
  queueMail,
  queueMails,
  sendDueMail,
  TooManyConnections,
} from "#outgoing/mail/outbox.ts";
import { openMailTransport } from "#outgoing/mail/mail-transport.ts";
import { anExplainingDatabase } from "#tests/support/explain-plans.ts";
import { MailServer } from "#tests/support/mail-server.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: MadeNetwork;
let server: MailServer;
const dataDir = mkdtempSync(join(tmpdir(), "referral-network-outbox-"));

beforeAll(async () => {
  app = await anApp({ sendsMail: true });
});
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await app.db.deleteFrom("mails").execute();
  network = await makeNetwork(app.db, { name: "Harbor County" });
  server = await MailServer.start();
});
afterEach(async () => await server.close());

const from = "no-reply@example.test";
const publicUrl = "https://dues.example.test";
/** Long, because a busy machine may be slow. Tests of a server that hangs use a short timeout. */
const post = (timeoutMs = 60_000) =>
  openMailTransport({ smtpUrl: server.url, from, dataDir, publicUrl, timeoutMs });
const send = () => sendDueMail(app.db, post());

/** The owner does not matter here. */
const ofAdmin = ({ id: networkId, admin: { userId } } = network) => ({ networkId, userId });

async function queue(count: number, body = "Dear Grace,\n\nhello."): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await queueMail(app.db, {
      ...ofAdmin(),
      occasion: `greeting:${number}`,
      recipient: `grace-${number}@example.test`,
      subject: `Greeting ${number}`,
      body,
    });
}

const queueStatements = (count: number) =>
  sql`insert into mails (network_id, occasion, recipient, subject, body)
    select ${network.id}, 'statement:' || k, 'grace@example.test', 'Statement', 'Dear Grace'
    from generate_series(1, ${count}::integer) as k`.execute(app.db);

/** End all pauses, so that every queued email is due. */
const letPausesPass = () =>
  sql`update mails set next_attempt_at = now() where status = 'queued'`.execute(app.db);

const mails = () =>
  app.db
    .selectFrom("mails")
    .select(["id", "status", "attempts", "lastProblem", "body"])
    .select(sql<number>`round(extract(epoch from next_attempt_at - now()))::integer`.as("dueIn"))
    .orderBy("id")
    .execute();

const statuses = async () => new Set((await mails()).map(({ status }) => status));

/** The recipients of all received emails, with repeats. */
const recipients = () => server.received.flatMap(({ to }) => to).toSorted();
const everyone = (count: number) =>
  Array.from({ length: count }, (_, index) => `grace-${index + 1}@example.test`).toSorted();

test("an email is sent once, in the network's name", async () => {
  await queue(2);
  expect(await send()).toBe(2);
  expect(await send()).toBe(0);
  expect(recipients()).toEqual(everyone(2));
  const [mail] = server.received.toSorted((a, b) => a.subject.localeCompare(b.subject));
  expect(mail).toMatchObject({ subject: "Greeting 1", to: ["grace-1@example.test"] });
  expect(mail?.messageId).toMatch(/^<\d+\.\d+@example\.test>$/);
  expect(mail?.text).toBe("Dear Grace,\r\n\r\nhello.\r\n\r\nHarbor County\r\n");
  expect(await statuses()).toEqual(new Set(["sent"]));
});

test("an address with every character that addresses allow gets its email", async () => {
  const recipient = "o&leary/2!#$%'*+-=?^_`{|}~@example.test";
  const occasion = "greeting:1";
  await queueMail(app.db, { ...ofAdmin(), occasion, recipient, subject: "Hello", body: "Dear O" });
  expect(await send()).toBe(1);
  expect(recipients()).toEqual([recipient]);
});

test("the same occasion is queued once, even from several places at the same time", async () => {
  await Promise.all([queue(5), queue(5), queue(5)]);
  await send();
  expect(recipients()).toEqual(everyone(5));
});

test("several workers at the same time send each email once", async () => {
  await queue(60);
  const sent = await Promise.all([send(), send(), send()]);
  expect(sent.reduce((sum, count) => sum + count)).toBe(60);
  expect(recipients()).toEqual(everyone(60));
});

describe("a mail server", () => {
  test("that was unreachable gets every email once it is back", async () => {
    await queue(10);
    await server.close();
    expect(await send()).toBe(0);
    expect(await statuses()).toEqual(new Set(["queued"]));
    const tried = (await mails()).filter(({ attempts }) => attempts > 0);
    expect(tried.length).toBeLessThanOrEqual(4); // one look is enough to see that it is away
    for (const { lastProblem } of tried) expect(lastProblem).toMatch(/ECONNREFUSED/);
    await server.open();
    await letPausesPass();
    expect(await send()).toBe(10);
    expect(recipients()).toEqual(everyone(10));
  });

  test("that hangs times out, and the emails are sent later", async () => {
    await queue(10);
    server.mood = "hangs";
    expect(await sendDueMail(app.db, post(200))).toBe(0); // would wait forever without a timeout
    server.mood = "takes";
    await letPausesPass();
    await send();
    expect(recipients()).toEqual(everyone(10));
  });

  test("that dies while an email is sent gets it again", async () => {
    await queue(10);
    server.mood = "hangs up";
    expect(await send()).toBe(0);
    server.mood = "takes";
    await letPausesPass();
    await send();
    expect(recipients()).toEqual(everyone(10));
  });

  test("that dies before confirming an email gets it again with the same Message-ID", async () => {
    await queue(1);
    server.mood = "takes and hangs up";
    expect(await send()).toBe(0);
    server.mood = "takes";
    await letPausesPass();
    expect(await send()).toBe(1);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test("that delays one recipient takes the others' email", async () => {
    await queue(6);
    server.unknown = "grace-2@example.test";
    server.answerToUnknown = [451, "4.2.0 Come back later"];
    expect(await send()).toBe(5);
    const waiting = (await mails()).filter(({ status }) => status === "queued");
    expect(waiting).toMatchObject([
      { attempts: 1, lastProblem: expect.stringMatching(/back later/) },
    ]);
    server.unknown = null;
    await letPausesPass();
    expect(await send()).toBe(1);
    expect(recipients()).toEqual(everyone(6));
  });

  test.each(["with one command at a time", "with pipelined commands"])(
    "that hangs up on one recipient with a 421, %s, takes the others' email",
    async (how) => {
      server.takesCommandsAtOnce = how === "with pipelined commands";
      await server.close();
      await server.open();
      await queue(16);
      await sql`update mails set recipient = 'busy@example.test', next_attempt_at = now() - interval '1 hour'
        where id in (select id from mails order by id limit 6)`.execute(app.db);
      server.unknown = "busy@example.test";
      server.answerToUnknown = [421, "4.7.0 Try later"];
      expect(await send()).toBe(10);
      const waiting = (await mails()).filter(({ status }) => status === "queued");
      expect(waiting).toHaveLength(6);
      for (const { attempts, lastProblem, dueIn } of waiting) {
        expect({ attempts, lastProblem }).toEqual({
          attempts: 1,
          lastProblem: expect.stringMatching(/Try later/),
        });
        expect(dueIn).toBeGreaterThan(0);
      }
    },
  );

  test("that answers a message with a 421 delays it like any other problem", async () => {
    await queue(1);
    server.refuses = { step: "message", with: [421, "4.7.0 Try later"] };
    expect(await send()).toBe(0);
    expect(await mails()).toMatchObject([
      { status: "queued", attempts: 1, lastProblem: expect.stringMatching(/^Message failed/) },
    ]);
  });

  test("is tried 20 times, after pauses of 1, 2, 4 … minutes up to six hours", async () => {
    await queue(1);
    server.unknown = "grace-1@example.test";
    server.answerToUnknown = [451, "4.2.0 Come back later"];
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      await send();
      const [mail] = await mails();
      expect(mail?.status).toBe(attempt < 20 ? "queued" : "gave_up");
      pauses.push(Math.round((mail?.dueIn ?? 0) / 60));
      await letPausesPass();
    }
    expect(pauses.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    server.unknown = null;
    expect(await send()).toBe(0);
  });
});

describe("a mail server that has three connections for us", () => {
  beforeEach(() => {
    server.connectionsAtMost = 3;
    server.hold = vi.waitUntil(() => server.turnedAway > 0, 60_000);
  });
  const lateOnes = async () => (await mails()).filter(({ attempts }) => attempts !== 1);

  test("gets all due emails over these, and none is delayed", async () => {
    await queue(40);
    expect(await send()).toBe(40);
    expect(recipients()).toEqual(everyone(40));
    expect(await lateOnes()).toEqual([]);
  });

  test("gets them also when it reports too many connections only after an email", async () => {
    server.refusesMore = "after the mail";
    await queue(40);
    expect(await send()).toBe(40);
    expect(recipients()).toEqual(everyone(40));
    expect(await lateOnes()).toEqual([]);
  });

  test("gets them from several workers at the same time", async () => {
    await queue(60);
    const sent = await Promise.all([send(), send(), send()]);
    // A worker that never got a connection tries its email again a minute later.
    await letPausesPass();
    sent.push(await send());
    expect(sent.reduce((sum, count) => sum + count)).toBe(60);
    expect(recipients()).toEqual(everyone(60));
  });
});

test("after a hundred emails over fewer connections, one more connection is tried", async () => {
  await queueStatements(300);
  let limit = 3;
  let inUse = 0;
  let sent = 0;
  let turnedAway = 0;
  const oneHasLeft = Promise.withResolvers<void>();
  const fourAtOnce = Promise.withResolvers<void>();
  const count = await sendDueMail(app.db, async () => {
    inUse += 1;
    try {
      if (inUse > limit) {
        turnedAway += 1;
        if (turnedAway === 2) oneHasLeft.resolve();
        throw new TooManyConnections("421");
      }
      await oneHasLeft.promise;
      sent += 1;
      if (sent === 150) limit = 4;
      if (inUse === 4) fourAtOnce.resolve();
      if (sent >= 250) await fourAtOnce.promise; // would wait forever with three senders
    } finally {
      inUse -= 1;
    }
  });
  expect(count).toBe(300);
});

test("a mail server without free connections is tried a few times, and then a minute later", async () => {
  await queue(10);
  server.connectionsAtMost = 0;
  expect(await send()).toBe(0);
  const tried = (await mails()).filter(({ attempts }) => attempts > 0);
  expect(tried).toMatchObject([{ attempts: 1, lastProblem: expect.stringMatching(/^421 4.3.2/) }]);
  server.connectionsAtMost = Infinity;
  expect(await send()).toBe(9);
});

test("an email whose worker died is sent by another worker, but not within 15 minutes", async () => {
  await queue(1);
  const dying = sendDueMail(app.db, () => Promise.reject(new Error("killed")));
  await dying;
  await queue(2);
  // As a killed sender leaves the row: taken, with no result.
  await sql`update mails set last_problem = null, next_attempt_at = now() + interval '14 minutes'
    where occasion = 'greeting:1'`.execute(app.db);
  expect(await send()).toBe(1);
  await letPausesPass();
  expect(await send()).toBe(1);
  expect(recipients()).toEqual(everyone(2));
});

test("with thousands due at one instant, such as monthly statements, taking one does not read the others", async () => {
  await queueStatements(2000);
  await sql`select analyze_tables(array['mails']::regclass[])`.execute(app.db);
  const explaining = anExplainingDatabase(app.connectionString);
  await sendDueMail(explaining.db, () => Promise.reject(new PostUnavailable("closed")));
  const taking = explaining.taken().filter(({ text }) => text.includes('update "mails" taken'));
  await explaining.close();
  expect(taking.length).toBeGreaterThan(0);
  // Four senders skip the rows that the others hold.
  expect(taking.filter(({ rows }) => rows > 10)).toEqual([]);
});

test("bulk emails, such as monthly statements, wait behind those that single people are waiting for", async () => {
  await sql`
    insert into mails (is_bulk, network_id, occasion, recipient, subject, body, next_attempt_at)
    select true, ${network.id}, 'statement:' || k, 'grace@example.test', 'Statement', 'Dear Grace', now() - interval '1 hour'
    from generate_series(1, 40) as k`.execute(app.db);
  const elsewhere = await makeNetwork(app.db);
  const link = { subject: "Choose a password", body: "Dear Ada", recipient: "ada@example.test" };
  await queueMail(app.db, { ...ofAdmin(elsewhere), occasion: "link", ...link });
  const linkIsSent = Promise.withResolvers<void>();
  const sent = await sendDueMail(app.db, async ({ subject }) => {
    if (subject === link.subject) linkIsSent.resolve();
    else await linkIsSent.promise; // would wait forever if every sender took a statement first
  });
  expect(sent).toBe(41);
});

test("twenty invitations at the same time are bulk email, fewer are not", async () => {
  const invite = (count: number, of: string) =>
    queueMails(
      app.db,
      network.id,
      Array.from({ length: count }, (_, k) => ({
        ...ofAdmin(),
        occasion: `${of}:${k}`,
        recipient: "ada@example.test",
        subject: of,
        body: "Dear Ada",
      })),
    );
  await invite(20, "many");
  await invite(19, "few");
  const { rows } = await sql`select distinct subject, is_bulk from mails
    where network_id = ${network.id} order by subject`.execute(app.db);
  expect(rows).toEqual([
    { subject: "few", isBulk: false },
    { subject: "many", isBulk: true },
  ]);
});

test("an email whose result cannot be saved delays no other, and its error is thrown at the end", async () => {
  await queue(12);
  // PostgreSQL cannot store this character.
  const problem = new Error("unreadable: \0");
  const sent: string[] = [];
  const sending = sendDueMail(app.db, async ({ recipient }) => {
    if (recipient === "grace-1@example.test") throw problem;
    sent.push(recipient);
  });
  await expect(sending).rejects.toThrow("invalid byte sequence");
  expect(sent.toSorted()).toEqual(everyone(12).filter((to) => to !== "grace-1@example.test"));
  expect((await mails()).filter(({ status }) => status === "queued")).toMatchObject([
    { attempts: 1, lastProblem: null },
  ]);
});

test("a slow server gets an email once, although other workers look for due email", async () => {
  await queue(1);
  let finish = () => {};
  const slow = sendDueMail(app.db, () => new Promise((resolve) => (finish = resolve)));
  await vi.waitUntil(async () => (await mails())[0]?.attempts === 1, 60_000);
  const [taken] = await mails();
  expect(taken?.dueIn).toBeGreaterThan(14 * 60);
  expect(await send()).toBe(0);
  finish();
  expect(await slow).toBe(1);
  expect(server.received).toEqual([]);
});

test("a worker that is asked to stop finishes the emails it has taken and takes no more", async () => {
  await queue(20);
  const stop = new AbortController();
  const sent = await sendDueMail(app.db, async () => stop.abort(), stop.signal);
  expect(sent).toBeLessThanOrEqual(4);
  expect((await mails()).filter(({ status }) => status === "queued")).toHaveLength(20 - sent);
});

describe("a single-use link", () => {
  const code = "k3JZ-abc_DEF0123456789";
  const body = `Choose a password:\n\nhttp://localhost:3000/sign-in/link#${code}\n\nOnce.`;

  test("is sent, and nobody else can read it before or after", async () => {
    await queue(1, body);
    const admin = await signedIn(app, "admin", network);
    const shown = async () => (await admin.call(listMail)).items[0]?.body;
    expect(await shown()).toBe(body.replace(code, "…"));
    await send();
    expect(server.received[0]?.text).toContain(code);
    expect(await shown()).toBe(body.replace(code, "…"));
    expect((await mails())[0]?.body).not.toContain(code);
  });

  test("is not stored in an email that was given up", async () => {
    await queue(1, body);
    server.unknown = "grace-1@example.test";
    await sql`update mails set attempts = 19`.execute(app.db);
    await send();
    const [mail] = await mails();
    expect(mail).toMatchObject({ status: "gave_up", body: body.replace(code, "…") });
  });
});

test("without a server, each email is saved on disk in its own private file", async () => {
  await queue(2);
  const toDisk = openMailTransport({ smtpUrl: null, from, dataDir, publicUrl });
  expect(await sendDueMail(app.db, toDisk)).toBe(2);
  const folder = join(dataDir, "outbox");
  const files = readdirSync(folder).toSorted();
  expect(files).toEqual((await mails()).map(({ id }) => `${network.id}-${id}.eml`).toSorted());
  const [first = ""] = files;
  expect(readFileSync(join(folder, first), "utf8")).toMatch(/^Subject: Greeting 1\r\n/m);
});

describe("an email queued as facts", () => {
  const facts = { kind: "reports due", firstName: "Grace", reports: 2 };
  const text = {
    subject: "2 status reports are due today",
    body: "Dear Grace,\n\nStatus reports on 2 of your referrals are due today. Filing takes under a minute:",
  };
  const stored = () =>
    app.db.selectFrom("mails").select(["subject", "body", "facts"]).executeTakeFirstOrThrow();
  beforeEach(async () => {
    await sql`insert into mails (network_id, occasion, recipient, facts, page_path)
      values (${network.id}, 'facts', 'grace-1@example.test', ${JSON.stringify(facts)},
        '/dashboard/referrals')`.execute(app.db);
  });

  test("is shown in Settings as it will be sent, and later as it was sent", async () => {
    const admin = await signedIn(app, "admin", network);
    const shown = async () => (await admin.call(listMail)).items;
    const asRead = {
      subject: text.subject,
      body: `${text.body}\n\nhttp://localhost:3000/dashboard/referrals`,
    };
    expect(await stored()).toEqual({ subject: null, body: null, facts });
    expect(await shown()).toMatchObject([{ ...asRead, status: "queued" }]);
    expect(await send()).toBe(1);
    const [sent] = server.received;
    expect(sent?.subject).toBe(text.subject);
    expect(sent?.text.replaceAll("\r\n", "\n")).toBe(
      `${text.body}\n\n${publicUrl}/dashboard/referrals\n\nHarbor County\n`,
    );
    expect(await stored()).toEqual({ ...text, facts: null });
    expect(await shown()).toMatchObject([{ ...asRead, status: "sent" }]);
  });

  test("is tried again, and its text is stored when it is given up", async () => {
    server.unknown = "grace-1@example.test";
    server.answerToUnknown = [451, "4.2.0 Come back later"];
    expect(await send()).toBe(0);
    expect(await stored()).toEqual({ subject: null, body: null, facts });
    await sql`update mails set attempts = 19, next_attempt_at = now()`.execute(app.db);
    expect(await send()).toBe(0);
    expect(await mails()).toMatchObject([{ status: "gave_up" }]);
    expect(await stored()).toEqual({ ...text, facts: null });
  });

  test("that cannot be rendered, such as one from a later version, delays no other", async () => {
    await sql`
      insert into mails (network_id, occasion, recipient, facts, next_attempt_at)
      select ${network.id}, 'unknown:' || n, 'grace@example.test', '{"kind": "not known yet"}',
        now() - interval '1 hour'
      from generate_series(1, 5) n`.execute(app.db);
    const states = async () => (await mails()).map(({ status, attempts }) => [status, attempts]);
    expect(await send()).toBe(1);
    expect(await states()).toEqual([
      ["sent", 1],
      ...Array.from({ length: 5 }, () => ["queued", 1]),
    ]);
    await sql`update mails set attempts = 19, next_attempt_at = now() where status = 'queued'`.execute(
      app.db,
    );
    expect(await send()).toBe(0);
    expect(await states()).toEqual([
      ["sent", 1],
      ...Array.from({ length: 5 }, () => ["gave_up", 20]),
    ]);
  });

  test("that only a later version can read is still listed", async () => {
    await sql`update mails set facts = '{"kind": "not known yet"}'`.execute(app.db);
    const admin = await signedIn(app, "admin", network);
    const [mail] = (await admin.call(listMail)).items;
    expect(mail).toMatchObject({ recipient: "grace-1@example.test", status: "queued" });
    expect(mail?.subject).toBe("Email from a newer version");
    expect(mail?.body).toMatch(/^This email was written by a newer version of this service/);
  });

  test("has either text or facts, never both or neither", async () => {
    const change = async (to: string) => await sql`update mails set ${sql.raw(to)}`.execute(app.db);
    for (const to of ["facts = null", "subject = 'A', body = 'B'", "facts = null, body = 'B'"])
      await expect(change(to)).rejects.toThrow("mails_text_or_facts");
  });
});

describe("an email about a page", () => {
  const mail = {
    occasion: "about a page",
    recipient: "grace@example.test",
    subject: "Your receipt",
    body: "Dear Grace,\n\nThe receipt:",
    pagePath: "/receipts/17",
  };

  test("ends with the page's public address", async () => {
    await queueMail(app.db, { ...ofAdmin(), ...mail });
    await send();
    expect(server.received[0]?.text).toBe(
      "Dear Grace,\r\n\r\nThe receipt:\r\n\r\nhttps://dues.example.test/receipts/17\r\n\r\nHarbor County\r\n",
    );
  });

  test("is shown in Settings as its recipient sees it", async () => {
    await queueMail(app.db, { ...ofAdmin(), ...mail });
    const admin = await signedIn(app, "admin", network);
    const { items } = await admin.call(listMail);
    expect(items[0]?.body).toBe(`${mail.body}\n\nhttp://localhost:3000/receipts/17`);
  });
});

test("the mail page lists the network's own email, newest first, and says whether it is sent", async () => {
  await queue(3);
  const other = await makeNetwork(app.db);
  await queueMail(app.db, {
    ...ofAdmin(other),
    occasion: "secret",
    recipient: "them@example.test",
    subject: "Not yours",
    body: "",
  });
  const admin = await signedIn(app, "admin", network);
  const page = await admin.call(listMail, { query: { per_page: 2 } });
  expect(page).toMatchObject({ total: 3, delivery: "server" });
  expect(page.items.map(({ subject }) => subject)).toEqual(["Greeting 3", "Greeting 2"]);
});

test("while the mail server hangs, other jobs still run", async () => {
  await queue(8);
  server.mood = "hangs";
  const worker = await startWorker(
    {
      db: app.db,
      sessions: app.sessions,
      now: () => Temporal.Now.instant(),
      log: () => undefined,
      dataDir,
      publicUrl: "http://localhost:3000",
      secret: app.secret,
      mail: { smtpUrl: server.url, from },
    },
    null,
  );
  await vi.waitUntil(async () => (await mails()).some(({ attempts }) => attempts > 0), 60_000);
  for (let minute = 1; minute <= 6; minute += 1)
    await (await queueIn(app.db)).send("send-mail", null);
  const billedThrough = async () =>
    (
      await app.db
        .selectFrom("billingProgress")
        .select("billedThrough")
        .where("networkId", "=", network.id)
        .executeTakeFirstOrThrow()
    ).billedThrough;
  await vi.waitUntil(async () => (await billedThrough()) !== null, 60_000);
  expect(server.received).toEqual([]);
  server.mood = "takes";
  server.hangUp();
  await worker.stop();
});

test.each([
  ["failed", () => new Error("The line is cut.")],
  ["was turned away", () => new TooManyConnections("421")],
])(
  "a sender that stalled and then %s leaves the email to the sender that has it now",
  async (_how, problem) => {
    await queue(1);
    const rows = () => app.db.selectFrom("mails").selectAll().execute();
    const [still, now] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun = vi.fn();
    const standing = sendDueMail(app.db, async () => {
      begun();
      await still.promise;
    });
    await expect.poll(() => begun.mock.calls.length, { timeout: 60_000 }).toBe(1);
    await letPausesPass();
    const sending = sendDueMail(app.db, async () => {
      begun();
      await now.promise;
    });
    await expect.poll(() => begun.mock.calls.length, { timeout: 60_000 }).toBe(2);
    const taken = await rows();
    still.reject(problem());
    await standing;
    expect(await rows()).toEqual(taken);
    now.resolve();
    expect(await sending).toBe(1);
    expect(await statuses()).toEqual(new Set(["sent"]));
  },
);
