import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { afterAll, beforeEach, expect } from "vitest";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { maxLines } from "#dues/ledger/statements/statement.ts";
import { app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { adjustByHand } from "#tests/support/entries.ts";
import { pdfPages } from "#tests/support/pictures.ts";
import { headersOf, portOf, RawConnection } from "#tests/support/raw-http.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Statements are drawn as PDFs outside the event loop, few at a time, so one person cannot hold up others. */

const test = appTest({ asOwner: true, network: {}, attorney: {}, lawyer: true });
test.beforeAll(async ({ app: opened }) => await liftTimeLimits(opened));

const threads: Worker[] = [];
const noteThread = (thread: Worker) => threads.push(thread);
process.on("worker", noteThread);
afterAll(() => void process.off("worker", noteThread));

/** End idle threads, so the next drawing starts one. */
beforeEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

async function nextThread(): Promise<Worker> {
  const [thread]: Worker[] = await once(process, "worker");
  if (!thread) throw new Error("No thread was started.");
  return thread;
}

const addressOf = ({ id }: MadeAttorney) =>
  `/attorneys/${id}/statement.pdf?from=2020-01-01&to=2099-12-31`;

/** Any answer, also 503. */
async function download(visitor: Visitor, of: MadeAttorney) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return await app.server.inject({ url: addressOf(of), headers: { cookie } });
}

/** The longest possible statement with the longest notes. Balances are not updated, which would take long. */
async function theLongestStatement(words = "The client paid it twice in March. "): Promise<void> {
  const debit = await aChargedDebit(app.db, network, attorney);
  await app.db.transaction().execute(async (tx) => {
    await sql`alter table entries disable trigger user`.execute(tx);
    const note = words.repeat(1000).slice(0, 2000);
    await adjustByHand(tx, [debit], { cents: 1, note, times: maxLines - 1 });
    await sql`alter table entries enable trigger user`.execute(tx);
  });
}

/** Lock the ledger against reading. Returns the function that unlocks it. */
async function holdLedger(): Promise<() => Promise<void>> {
  const isHeld = Promise.withResolvers<void>();
  const isReleased = Promise.withResolvers<void>();
  const holding = app.db.transaction().execute(async (tx) => {
    await sql`lock table entries in access exclusive mode`.execute(tx);
    isHeld.resolve();
    await isReleased.promise;
  });
  await isHeld.promise;
  return async () => {
    isReleased.resolve();
    await holding;
  };
}

async function waitingForLedger(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_locks where not granted
      and relation = 'entries'::regclass`.execute(app.db);
  return rows[0]?.count ?? 0;
}

test("two are drawn at a time, one per network; further requests are refused before anything is read", async () => {
  const elsewhere = await Promise.all(
    [1, 2].map(async () => {
      const home = await makeNetwork(app.db);
      const other = await makeAttorney(app.db, home);
      return { other, visitor: await signedIn(app, other, home) };
    }),
  );
  const [second, third] = elsewhere;
  if (!second || !third) throw new Error("There are three networks.");
  const colleague = await makeAttorney(app.db, network);
  const visitor = await signedIn(app, colleague, network);
  const release = await holdLedger();
  const drawn = [download(lawyer, attorney), download(second.visitor, second.other)];
  await expect.poll(waitingForLedger).toBe(2);

  const ofNetwork = await download(visitor, colleague);
  expect([ofNetwork.statusCode, ofNetwork.headers["retry-after"]]).toEqual([503, "3"]);
  expect(ofNetwork.json()).toEqual({
    success: false,
    object: null,
    message: "Another PDF for your network is being prepared. Try again in a few seconds.",
  });
  const ofProcess = await download(third.visitor, third.other);
  expect([ofProcess.statusCode, ofProcess.headers["retry-after"]]).toEqual([503, "3"]);
  expect(ofProcess.json().message).toBe(
    "Other PDFs are being prepared. Try again in a few seconds.",
  );
  expect(await waitingForLedger()).toBe(2); // neither has read anything

  await release();
  const statuses = (await Promise.all(drawn)).map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([200, 200]);
  expect((await download(visitor, colleague)).statusCode).toBe(200);
  expect((await download(third.visitor, third.other)).statusCode).toBe(200);
});

test("other requests are answered while the longest statement is drawn", async () => {
  await theLongestStatement();
  const starting = nextThread();
  const drawn = new AbortController();
  const drawing = download(lawyer, attorney).finally(() => drawn.abort());
  await starting;
  let answered = 0;
  while (!drawn.signal.aborted) {
    expect((await app.server.inject({ url: "/readyz" })).statusCode).toBe(200);
    answered += Number(!drawn.signal.aborted);
  }
  expect(answered).toBeGreaterThan(0);
  const file = await drawing;
  expect(file.statusCode).toBe(200);
  const pages = pdfPages(file.rawPayload);
  expect(pages.length).toBeGreaterThan(500);
  expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`);
  expect(pages.at(-1)).toContain("$74.99"); // a charge of 25.00, and 4,999 cents
});

test.each(["i ", "㏙ "])(
  "the longest statement of notes of %j fits into a thread and on its pages",
  async (words) => {
    await theLongestStatement(words);
    const file = await download(lawyer, attorney);
    expect(file.statusCode).toBe(200);
    expect(pdfPages(file.rawPayload).at(-1)).toContain("$74.99");
  },
);

test("a caller who disconnects frees the place, while the statement is read or drawn", async () => {
  await theLongestStatement();
  const port = await portOf(app);
  const ask = async () => {
    const connection = await RawConnection.open(port);
    connection.write(`GET ${addressOf(attorney)} HTTP/1.1\r\n${headersOf(lawyer)}\r\n`);
    return connection;
  };
  const isFree = async () => (await download(lawyer, attorney)).statusCode === 200;
  const release = await holdLedger();
  const early = await ask();
  await expect.poll(waitingForLedger).toBe(1);
  early.socket.destroy();
  await release();
  await expect.poll(isFree).toBe(true);

  await Promise.all(threads.map((thread) => thread.terminate()));
  const starting = nextThread();
  const late = await ask();
  const thread = await starting;
  late.socket.destroy();
  await once(thread, "exit");
  await expect.poll(isFree).toBe(true);
});

test("a thread that dies fails one request, and another thread draws the next", async () => {
  await theLongestStatement();
  const starting = nextThread();
  const drawing = download(lawyer, attorney);
  await (await starting).terminate();
  const lost = await drawing;
  expect([lost.statusCode, lost.headers["retry-after"]]).toEqual([503, "2"]);
  expect(lost.json().message).toBe(
    "The service is busy. Nothing was changed; try again in a few seconds.",
  );
  expect((await download(lawyer, attorney)).statusCode).toBe(200);
});
