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
import { openPost } from "#outgoing/mail/post.ts";
import { anExplainingDatabase } from "#tests/support/explained.ts";
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
/** A busy machine may take its time; only a server that hangs is given up on quickly. */
const post = (timeoutMs = 60_000) =>
  openPost({ smtpUrl: server.url, from, dataDir, publicUrl, timeoutMs });
const send = () => sendDueMail(app.db, post());

/** Whose it is does not matter here. */
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

/** The pauses are over: whatever waits is due. */
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

/** Whom the server has mail for, each as often as it came. */
const recipients = () => server.received.flatMap(({ to }) => to).toSorted();
const everyone = (count: number) =>
  Array.from({ length: count }, (_, index) => `grace-${index + 1}@example.test`).toSorted();

test("mail is sent in the network's name, once, and then no more", async () => {
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

test("an address with any letters that addresses may have gets its mail", async () => {
  const recipient = "o&leary/2!#$%'*+-=?^_`{|}~@example.test";
  const occasion = "greeting:1";
  await queueMail(app.db, { ...ofAdmin(), occasion, recipient, subject: "Hello", body: "Dear O" });
  expect(await send()).toBe(1);
  expect(recipients()).toEqual([recipient]);
});

test("the same occasion makes no second mail, not even from two places at once", async () => {
  await Promise.all([queue(5), queue(5), queue(5)]);
  await send();
  expect(recipients()).toEqual(everyone(5));
});

test("several workers at once send each mail once", async () => {
  await queue(60);
  const sent = await Promise.all([send(), send(), send()]);
  expect(sent.reduce((sum, count) => sum + count)).toBe(60);
  expect(recipients()).toEqual(everyone(60));
});

describe("a mail server", () => {
  test("that cannot be reached keeps nothing from arriving once it can", async () => {
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

  test("that hangs is given up on after a while, and the mails are sent later", async () => {
    await queue(10);
    server.mood = "hangs";
    expect(await sendDueMail(app.db, post(200))).toBe(0); // which waits for ever, if nobody gives up
    server.mood = "takes";
    await letPausesPass();
    await send();
    expect(recipients()).toEqual(everyone(10));
  });

  test("that dies while a mail is sent gets it again", async () => {
    await queue(10);
    server.mood = "hangs up";
    expect(await send()).toBe(0);
    server.mood = "takes";
    await letPausesPass();
    await send();
    expect(recipients()).toEqual(everyone(10));
  });

  test("that dies having taken a mail but not said so gets it again under the same Message-ID", async () => {
    await queue(1);
    server.mood = "takes and hangs up";
    expect(await send()).toBe(0);
    server.mood = "takes";
    await letPausesPass();
    expect(await send()).toBe(1);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test("that puts one recipient off takes the others' mail", async () => {
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

  test.each(["over one command at a time", "over commands sent at once"])(
    "that hangs up on one recipient with a 421, %s, takes the others' mail",
    async (how) => {
      server.takesCommandsAtOnce = how === "over commands sent at once";
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

  test("that answers a message with a 421 delays it as any other", async () => {
    await queue(1);
    server.refuses = { step: "message", with: [421, "4.7.0 Try later"] };
    expect(await send()).toBe(0);
    expect(await mails()).toMatchObject([
      { status: "queued", attempts: 1, lastProblem: expect.stringMatching(/^Message failed/) },
    ]);
  });

  test("is tried again after pauses of 1, 2, 4 … minutes, six hours at most, 20 times", async () => {
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

  test("gets all that is due over these at once, and nothing is put off", async () => {
    await queue(40);
    expect(await send()).toBe(40);
    expect(recipients()).toEqual(everyone(40));
    expect(await lateOnes()).toEqual([]);
  });

  test("gets it also where it says so only of a mail that it has been sent", async () => {
    server.refusesMore = "after the mail";
    await queue(40);
    expect(await send()).toBe(40);
    expect(recipients()).toEqual(everyone(40));
    expect(await lateOnes()).toEqual([]);
  });

  test("gets it from several workers at once", async () => {
    await queue(60);
    const sent = await Promise.all([send(), send(), send()]);
    // A worker that never had a connection leaves what it has tried for a minute later.
    await letPausesPass();
    sent.push(await send());
    expect(sent.reduce((sum, count) => sum + count)).toBe(60);
    expect(recipients()).toEqual(everyone(60));
  });
});

test("after a hundred mails over fewer connections, one more is tried", async () => {
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
      if (sent >= 250) await fourAtOnce.promise; // for ever, if there are three senders still
    } finally {
      inUse -= 1;
    }
  });
  expect(count).toBe(300);
});

test("a mail server with connections for nobody is asked a few times, and then in the next minute", async () => {
  await queue(10);
  server.connectionsAtMost = 0;
  expect(await send()).toBe(0);
  const tried = (await mails()).filter(({ attempts }) => attempts > 0);
  expect(tried).toMatchObject([{ attempts: 1, lastProblem: expect.stringMatching(/^421 4.3.2/) }]);
  server.connectionsAtMost = Infinity;
  expect(await send()).toBe(9);
});

test("a mail whose worker died while sending is sent by another one, but not before 15 minutes", async () => {
  await queue(1);
  const dying = sendDueMail(app.db, () => Promise.reject(new Error("killed")));
  await dying;
  await queue(2);
  // The first one's sender never came back: its row stays as taking it had left it.
  await sql`update mails set last_problem = null, next_attempt_at = now() + interval '14 minutes'
    where occasion = 'greeting:1'`.execute(app.db);
  expect(await send()).toBe(1);
  await letPausesPass();
  expect(await send()).toBe(1);
  expect(recipients()).toEqual(everyone(2));
});

test("of thousands that are due at one instant, as a month's statements are, each is taken without a look at the others", async () => {
  await queueStatements(2000);
  await sql`select analyze_tables(array['mails']::regclass[])`.execute(app.db);
  const explaining = anExplainingDatabase(app.connectionString);
  await sendDueMail(explaining.db, () => Promise.reject(new PostUnavailable("closed")));
  const taking = explaining.taken().filter(({ text }) => text.includes('update "mails" taken'));
  await explaining.close();
  expect(taking.length).toBeGreaterThan(0);
  // Four senders pass over what the others hold.
  expect(taking.filter(({ rows }) => rows > 10)).toEqual([]);
});

test("what is queued for many at once, as a month's statements are, waits behind what somebody waits for", async () => {
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
    else await linkIsSent.promise; // for ever, had every sender taken a statement first
  });
  expect(sent).toBe(41);
});

test("so do invitations of twenty at once, but not those of a few", async () => {
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

test("a mail of which nothing can be noted holds up no other, and is told of in the end", async () => {
  await queue(12);
  // PostgreSQL stores no text with this sign in it.
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

test("a slow server is not sent a mail twice, though others look for due mail meanwhile", async () => {
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

test("a worker that is asked to stop finishes the mails in its hands and takes no others", async () => {
  await queue(20);
  const stop = new AbortController();
  const sent = await sendDueMail(app.db, async () => stop.abort(), stop.signal);
  expect(sent).toBeLessThanOrEqual(4);
  expect((await mails()).filter(({ status }) => status === "queued")).toHaveLength(20 - sent);
});

describe("a single-use link", () => {
  const code = "k3JZ-abc_DEF0123456789";
  const body = `Choose a password:\n\nhttp://localhost:3000/sign-in/link#${code}\n\nOnce.`;

  test("is sent, and nobody else can read it: not while it waits, nor later", async () => {
    await queue(1, body);
    const admin = await signedIn(app, "admin", network);
    const shown = async () => (await admin.call(listMail)).items[0]?.body;
    expect(await shown()).toBe(body.replace(code, "…"));
    await send();
    expect(server.received[0]?.text).toContain(code);
    expect(await shown()).toBe(body.replace(code, "…"));
    expect((await mails())[0]?.body).not.toContain(code);
  });

  test("is not kept in a mail that was given up", async () => {
    await queue(1, body);
    server.unknown = "grace-1@example.test";
    await sql`update mails set attempts = 19`.execute(app.db);
    await send();
    const [mail] = await mails();
    expect(mail).toMatchObject({ status: "gave_up", body: body.replace(code, "…") });
  });
});

test("without a server, mail stays on disk, each in a file of its own that only we can read", async () => {
  await queue(2);
  const toDisk = openPost({ smtpUrl: null, from, dataDir, publicUrl });
  expect(await sendDueMail(app.db, toDisk)).toBe(2);
  const folder = join(dataDir, "outbox");
  const files = readdirSync(folder).toSorted();
  expect(files).toEqual((await mails()).map(({ id }) => `${network.id}-${id}.eml`).toSorted());
  const [first = ""] = files;
  expect(readFileSync(join(folder, first), "utf8")).toMatch(/^Subject: Greeting 1\r\n/m);
});

describe("a mail that waits as the facts that it tells of", () => {
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

  test("is shown in Settings as it is sent, and as it was sent for ever after", async () => {
    const admin = await signedIn(app, "admin", network);
    const shown = async () => (await admin.call(listMail)).items;
    const asItsReaderHasIt = {
      subject: text.subject,
      body: `${text.body}\n\nhttp://localhost:3000/dashboard/referrals`,
    };
    expect(await stored()).toEqual({ subject: null, body: null, facts });
    expect(await shown()).toMatchObject([{ ...asItsReaderHasIt, status: "queued" }]);
    expect(await send()).toBe(1);
    const [sent] = server.received;
    expect(sent?.subject).toBe(text.subject);
    expect(sent?.text.replaceAll("\r\n", "\n")).toBe(
      `${text.body}\n\n${publicUrl}/dashboard/referrals\n\nHarbor County\n`,
    );
    expect(await stored()).toEqual({ ...text, facts: null });
    expect(await shown()).toMatchObject([{ ...asItsReaderHasIt, status: "sent" }]);
  });

  test("is tried again, and keeps its text once it is given up", async () => {
    server.unknown = "grace-1@example.test";
    server.answerToUnknown = [451, "4.2.0 Come back later"];
    expect(await send()).toBe(0);
    expect(await stored()).toEqual({ subject: null, body: null, facts });
    await sql`update mails set attempts = 19, next_attempt_at = now()`.execute(app.db);
    expect(await send()).toBe(0);
    expect(await mails()).toMatchObject([{ status: "gave_up" }]);
    expect(await stored()).toEqual({ ...text, facts: null });
  });

  test("that cannot be written, as one of a later version, holds up no other", async () => {
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

  test("that only a later version can read is listed all the same", async () => {
    await sql`update mails set facts = '{"kind": "not known yet"}'`.execute(app.db);
    const admin = await signedIn(app, "admin", network);
    const [mail] = (await admin.call(listMail)).items;
    expect(mail).toMatchObject({ recipient: "grace-1@example.test", status: "queued" });
    expect(mail?.subject).toBe("Mail of a newer version");
    expect(mail?.body).toMatch(/^This mail was written by a newer version of this service/);
  });

  test("never has both, nor neither", async () => {
    const change = async (to: string) => await sql`update mails set ${sql.raw(to)}`.execute(app.db);
    for (const to of ["facts = null", "subject = 'A', body = 'B'", "facts = null, body = 'B'"])
      await expect(change(to)).rejects.toThrow("mails_text_or_facts");
  });
});

describe("a mail about a page", () => {
  const mail = {
    occasion: "about a page",
    recipient: "grace@example.test",
    subject: "Your receipt",
    body: "Dear Grace,\n\nThe receipt:",
    pagePath: "/receipts/17",
  };

  test("ends with the page's address, where browsers reach it as it is sent", async () => {
    await queueMail(app.db, { ...ofAdmin(), ...mail });
    await send();
    expect(server.received[0]?.text).toBe(
      "Dear Grace,\r\n\r\nThe receipt:\r\n\r\nhttps://dues.example.test/receipts/17\r\n\r\nHarbor County\r\n",
    );
  });

  test("is shown in Settings as its reader has it", async () => {
    await queueMail(app.db, { ...ofAdmin(), ...mail });
    const admin = await signedIn(app, "admin", network);
    const { items } = await admin.call(listMail);
    expect(items[0]?.body).toBe(`${mail.body}\n\nhttp://localhost:3000/receipts/17`);
  });
});

test("the outbox page tells the network's own mail, newest first, and where it goes", async () => {
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

test("while the mail server hangs, the other jobs are done", async () => {
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
  "a sender that stood still for long and then %s leaves the mail to the one that has it now",
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
