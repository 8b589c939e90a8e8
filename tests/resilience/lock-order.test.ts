import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, onTestFinished } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { payByCard, refundPayment } from "#cards/contract.ts";
import { decideWholeChecks, recordWholeCheck, returnCheck } from "#payments/checks/contract.ts";
import { addFirm } from "#panel/firms/contract.ts";
import { adjustDebit, changeCredit, createCharge, spendOwnCredit } from "#dues/ledger/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { app } from "#tests/support/app-test.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, anotherDebtor, type Debtor } from "#tests/support/card-network.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";
import { inTurn } from "#tests/support/in-turn.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { rounds } from "#tests/support/rounds.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { type Reply, signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * Whatever moves money takes locks in one order (src/kit/db/locks.ts), so transactions never deadlock. A
 * deadlocked transaction is retried and its client may not notice, so the tests check the database's own
 * count.
 */

const test = cardTest({ clock: "2026-11-20T16:00:00Z", connections: 12 });
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

/** Two lawyers of one firm, each owing on several debits. */
interface Office {
  debtors: [Debtor, Debtor];
  firm: number;
  admin: Visitor;
}

const owed = [10_000_000, 10_000_000, 10_000_000];

async function anOffice(): Promise<Office> {
  const one = await aDebtor(app, "anet", owed);
  const other = { network: one.network, ...(await anotherDebtor(app, one.network, owed)) };
  const firm = await aFirm(app.db, one.network, [one.attorney, other.attorney]);
  return { debtors: [one, other], firm, admin: await signedIn(app, "admin", one.network) };
}

let numbers = 0;

/** One check: $1.00 on each of these debits, and perhaps on an attorney's credit. */
function recordCheck(office: Office, payer: object, wanted: { debits: number[]; credit?: number }) {
  const { debits, credit } = wanted;
  return office.admin.ask(recordWholeCheck, {
    body: {
      ...payer,
      check_number: `${(numbers += 1)}`,
      amount: String(debits.length + (credit ? 1 : 0)),
      received_on: "2026-11-20",
      shares: Object.fromEntries(debits.map((id) => [id, "1"])),
      credits: credit ? { [credit]: "1" } : {},
      approve: credit !== undefined,
    },
  });
}

async function charge({ visitor, debits }: Debtor, cents: number) {
  const token = await tokenFrom("anet", { visitor, sandboxes, amount: "1.00" });
  const amounts = debits.map((id) => [id, `1.${String(cents % 100).padStart(2, "0")}`]);
  return await visitor.ask(payByCard, {
    body: { payment_hash: Object.fromEntries(amounts), token },
  });
}

/** Repeated calls of clients, at the same time. Returns how often each status was answered. */
async function callConcurrently(
  times: number,
  clients: ((time: number) => Promise<{ status: number }>)[],
) {
  const before = await deadlocks();
  const seen: number[] = [];
  await Promise.all(
    clients.map(async (act) => {
      for (let time = 0; time < times; time += 1) seen.push((await act(time)).status);
    }),
  );
  return { seen: new Set(seen), deadlocks: (await deadlocks()) - before };
}

/** The database's count of deadlocks; each connection reports its own. */
async function deadlocks(): Promise<number> {
  const { pool } = app;
  const all = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const client of all) await client.query("select pg_stat_force_next_flush()");
  for (const client of all.slice(1)) client.release();
  await all[0]?.query("select pg_stat_clear_snapshot()");
  const counted = await all[0]?.query<{ deadlocks: number }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  all[0]?.release();
  return Number(counted?.rows[0]?.deadlocks);
}

async function expectSoundLedger({ debtors: [{ network }] }: Office) {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const found = await verifyLedger(app.db, network.id);
  expect(found.filter((check) => check.offenders > 0)).toEqual([]);
}

test("recording checks and charging cards of one attorney at the same time never deadlocks", async () => {
  const office = await anOffice();
  const [debtor] = office.debtors;
  const own = { attorney_id: debtor.attorney.id };
  const { seen, deadlocks: found } = await callConcurrently(rounds(20, 80), [
    () => recordCheck(office, own, { debits: debtor.debits }),
    () => recordCheck(office, own, { debits: debtor.debits, credit: debtor.attorney.id }),
    (time) => charge(debtor, time),
    (time) => charge(debtor, 50 + time),
  ]);
  expect(seen).toEqual(new Set([200]));
  expect(found).toBe(0);
  await expectSoundLedger(office);
});

test("nor does any other movement of the money of a firm's lawyers", async () => {
  const office = await anOffice();
  const { admin, firm, debtors } = office;
  const [one, other] = debtors;
  const all = [...one.debits, ...other.debits];
  const undecided: number[] = [];
  const approved: number[] = [];
  const cardPayments: number[] = [];

  const recorded = (reply: Reply<{ id: number } | null>, into: number[]) => {
    if (reply.object) into.push(reply.object.id);
    return reply;
  };
  const nothing = { status: 200 };

  const { seen, deadlocks: found } = await callConcurrently(rounds(12, 60), [
    async () => recorded(await recordCheck(office, { firm_id: firm }, { debits: all }), undecided),
    async (time) => {
      const { attorney, debits } = inTurn(debtors, time);
      const wanted = { debits: [...debits], credit: attorney.id };
      return recorded(await recordCheck(office, { attorney_id: attorney.id }, wanted), approved);
    },
    async (time) => {
      const reply = await charge(inTurn(debtors, time), time);
      cardPayments.push(...(await newestCardPayment(office)));
      return reply;
    },
    (time) => charge(one, 50 + time),
    async (time) => {
      const ids = undecided.splice(0);
      if (ids.length === 0) return nothing;
      const body = time % 3 === 0 ? { deny: ids } : { approve: ids.toReversed() };
      if (time % 3 > 0) approved.push(...ids);
      return await admin.ask(decideWholeChecks, { body });
    },
    async () => {
      const id = approved.shift();
      if (id === undefined) return nothing;
      const body = { returned_on: "2026-11-20", fee: "1" };
      return await admin.ask(returnCheck, { params: { id }, body });
    },
    async (time) => {
      const id = cardPayments.shift();
      if (id === undefined || time % 2 === 0) return nothing;
      return await admin.ask(refundPayment, { params: { id }, body: { reason: "Paid twice" } });
    },
    (time) => {
      const body = {
        debit_id: inTurn(all, time),
        amount: "1",
        direction: inTurn(directions, time),
      };
      return admin.ask(adjustDebit, { body: { ...body, adjustment_note: "" } });
    },
    (time) => {
      const { attorney, debits } = inTurn(debtors, time);
      const use =
        time % 2 === 0
          ? { action: "give_back", amount: "1", note: "Sent back" }
          : { action: "apply", amount: "1", debit_id: inTurn(debits, time) };
      return admin.ask(changeCredit, { params: { id: attorney.id }, body: use });
    },
    (time) => inTurn(debtors, time).visitor.ask(spendOwnCredit, { body: { amount: "0.50" } }),
    (time) => {
      const attorneys = time % 2 === 0 ? [one, other] : [one];
      const attorney_ids = attorneys.map(({ attorney }) => attorney.id);
      const body = { attorney_ids, name: "Late fee", amount: "1", due_on: "2026-11-20" };
      return admin.ask(createCharge, { body });
    },
    async (time) => {
      const { visitor, debits } = inTurn(debtors, time);
      const payment_hash = Object.fromEntries(debits.map((id) => [id, "1"]));
      const check_number = `S${(numbers += 1)}`;
      const paid = await visitor.ask(payByCheck, { body: { payment_hash, check_number } });
      const shares = await sharesOf(office, check_number);
      const statuses = Object.fromEntries(shares.map((id) => [id, "approved"]));
      return shares.length === 0 ? paid : await admin.ask(confirmChecks, { body: { statuses } });
    },
  ]);
  for (const status of seen) expect([200, 202, 409, 422]).toContain(status);
  expect(found).toBe(0);
  await expectSoundLedger(office);
});

const isWaiting = () => expect.poll(() => waitingForLocks(app.db)).toBe(1);

test("returning a check waits while its attorney is locked, before it locks the check and credits", async () => {
  const office = await anOffice();
  const [{ attorney, debits }] = office.debtors;
  const own = { attorney_id: attorney.id };
  const { object: check } = await recordCheck(office, own, { debits, credit: attorney.id });
  if (!check) throw new Error("The check was not recorded.");
  const { id } = check;
  const { returning } = await app.db.transaction().execute(async (tx) => {
    await sql`select from attorneys where id = ${attorney.id} for update`.execute(tx);
    const begun = office.admin.ask(returnCheck, {
      params: { id },
      body: { returned_on: "2026-11-20", fee: "1" },
    });
    await isWaiting();
    await sql`select from received_checks where id = ${id} for update nowait`.execute(tx);
    await sql`select from credits where attorney_id = ${attorney.id} for update nowait`.execute(tx);
    return { returning: begun };
  });
  expect((await returning).status).toBe(200);
});

test("defining a firm creates it before its attorneys are locked, as an import does", async () => {
  const office = await anOffice();
  const [{ network }] = office.debtors;
  const attorney = await makeAttorney(app.db, network);
  const { defining } = await app.db.transaction().execute(async (tx) => {
    await sql`insert into firms (network_id, name) values (${network.id}, 'Both')`.execute(tx);
    const begun = office.admin.ask(addFirm, {
      body: { name: "Both", attorney_ids: [attorney.id] },
    });
    await isWaiting();
    await sql`select from attorneys where id = ${attorney.id} for update nowait`.execute(tx);
    return { defining: begun };
  });
  expect((await defining).status).toBe(409);
});

describe("attorneys are locked in the order of their ids", () => {
  const size = 400;

  /** Attorneys of a network, the first of whom are last in the table. */
  async function somePanel() {
    const network = await makeNetwork(app.db, { timeZone: "UTC" });
    const ids = await makePanel(app.db, network, size);
    for (const id of ids.toReversed())
      await sql`update attorneys set phone = '(555) 010-0001' where id = ${id}`.execute(app.db);
    await sql`select analyze_tables(array['attorneys']::regclass[])`.execute(app.db);
    return { network, ids };
  }

  const lock = (tx: Db, ids: number[]) =>
    sql`select from attorneys where id = any(${ids}::bigint[]) for share nowait`.execute(tx);

  /** Waits for the first attorney's lock, and has locked none of the others. */
  async function waitsForFirst<Answer>(ids: number[], act: () => Promise<Answer>): Promise<Answer> {
    const acted = await app.db.transaction().execute(async (tx) => {
      await lock(tx, ids.slice(0, 1));
      const acting = act();
      await isWaiting();
      await lock(tx, ids);
      return { acting };
    });
    return await acted.acting;
  }

  function aFile(head: string, rows: string[]) {
    const folder = mkdtempSync(join(tmpdir(), "referral-network-locks-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "panel.csv");
    writeFileSync(path, [head, ...rows].join("\n"));
    return {
      path,
      encoding: "utf-8" as const,
      skipsBad: false,
      publicUrl: "http://localhost:3000",
    };
  }

  test("by an import that changes them", async () => {
    const { network, ids } = await somePanel();
    const known = app.db.selectFrom("attorneys").select("email").where("id", "in", ids);
    const emails = await known.orderBy("id", "desc").execute();
    const rows = emails.map(({ email }) => `Ada,Changed,${email}`);
    const act = () =>
      importAttorneys(app.db, network.admin, aFile("first name,last name,email", rows));
    expect(await waitsForFirst(ids, act)).toMatchObject({ updated: size });
  });

  test("by an import that changes them, and asks for another address of the last", async () => {
    const { network, ids } = await somePanel();
    const last = Math.max(...ids);
    await sql`update attorneys set bar_number = 'B' || id where network_id = ${network.id}`.execute(
      app.db,
    );
    const panel = await app.db
      .selectFrom("attorneys")
      .select(["id", "firstName", "lastName", "email"])
      .where("id", "in", ids)
      .orderBy("id", "desc")
      .execute();
    const [asked] = panel.filter(({ id }) => id === last);
    if (!asked) throw new Error("The panel is empty.");
    const { userId } = await makeAccount(app.db, network, asked);
    await givePassword(app.db, userId);
    const rows = panel.map(
      ({ id, email }) => `Ada,Changed,${id === last ? "asked@example.test" : email},B${id}`,
    );
    const act = () =>
      importAttorneys(app.db, network.admin, aFile("first name,last name,email,bar no", rows));
    expect(await waitsForFirst(ids, act)).toMatchObject({ updated: size, emailsAsked: 1 });
  });

  test("by a review of who must be suspended", async () => {
    const { network, ids } = await somePanel();
    await app.db
      .updateTable("networks")
      .set({ suspendsOverdueAttorneys: true })
      .where("id", "=", network.id)
      .execute();
    for (const id of ids.toReversed())
      await makeMatter(app.db, network, { attorney: { id }, dueOn: "2026-01-01" });
    await sql`select analyze_tables(array['matters']::regclass[])`.execute(app.db);
    const today = plainDate("2026-11-20");
    const act = () => inTransaction(app.db, (tx) => reviewNetwork(tx, network.admin, today));
    expect(await waitsForFirst(ids, act)).toMatchObject({ suspended: size });
  });
});

const directions = ["decrease", "increase"] as const;

async function newestCardPayment({ debtors: [{ network }] }: Office): Promise<number[]> {
  const rows = await app.db
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", network.id)
    .where("state", "=", "captured")
    .orderBy("paymentId", "desc")
    .limit(1)
    .execute();
  return rows.map(({ paymentId }) => paymentId);
}

async function sharesOf({ debtors: [{ network }] }: Office, checkNumber: string) {
  const rows = await app.db
    .selectFrom("paymentAllocations")
    .select("id")
    .where("networkId", "=", network.id)
    .where("checkNumber", "=", checkNumber)
    .execute();
  return rows.map(({ id }) => id);
}
