import { sql } from "kysely";
import { describe, expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { confirmChecks } from "#payments/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aFirm, creditsOf } from "#tests/support/received-checks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

/* Sixteen clients at the same time. Any 5xx answer fails the test (visitor.ts). */

const clients = 16;
const test = appTest({ clock: "2026-11-20T16:00:00Z", connections: clients, network: {} });
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

const each = <Answer>(act: (client: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: clients }, (_, client) => act(client)));

const statusesOf = (replies: { status: number }[]) => ({
  taken: replies.filter((reply) => reply.status === 200).length,
  refused: replies.filter((reply) => reply.status === 409).length,
});

/** A firm of two lawyers who each owe $100.00. */
async function aDebtorFirm() {
  const lawyers = [await makeAttorney(app.db, network), await makeAttorney(app.db, network)];
  const debits: number[] = [];
  for (const lawyer of lawyers)
    debits.push(await makeDebit(app.db, network, lawyer, { amountCents: 10_000 }));
  return { firm: await aFirm(app.db, network, lawyers), lawyers, debits };
}

type DebtorFirm = Awaited<ReturnType<typeof aDebtorFirm>>;

/** A check of $10.00 on each debit and $5.00 of credit for the first lawyer. */
const aCheck = ({ firm, lawyers, debits }: DebtorFirm, checkNumber: string, approve = false) =>
  admin.ask(contract.recordWholeCheck, {
    body: {
      check_number: checkNumber,
      amount: "25",
      received_on: "2026-11-20",
      firm_id: firm,
      shares: Object.fromEntries(debits.map((id) => [id, "10"])),
      credits: { [lawyers[0]?.id ?? 0]: "5" },
      approve,
    },
  });
const bounce = (id: number) =>
  admin.ask(contract.returnCheck, {
    params: { id },
    body: { returned_on: "2026-11-20", fee: "1" },
  });
const decide = (body: { approve?: number[]; deny?: number[] }) =>
  admin.ask(contract.decideWholeChecks, { body });

async function expectSoundLedger() {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const checks = await verifyLedger(app.db, network.id);
  expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
}

const standing = ({ debits }: DebtorFirm) =>
  Promise.all(debits.map((debit) => standingOf(app.db, debit)));

describe("sixteen clients at the same time", () => {
  test("record the same check once", async () => {
    const firm = await aDebtorFirm();
    const replies = await each(() => aCheck(firm, "1020"));
    expect(statusesOf(replies)).toEqual({ taken: 1, refused: clients - 1 });
    expect(await standing(firm)).toEqual([
      { balance: 10_000, pending: 1_000 },
      { balance: 10_000, pending: 1_000 },
    ]);
    await expectSoundLedger();
  });

  test("record different checks up to what is owed", async () => {
    const firm = await aDebtorFirm();
    const replies = await each((client) => aCheck(firm, `${client}`, client % 2 === 0));
    expect(statusesOf(replies)).toEqual({ taken: 10, refused: 6 });
    expect(
      (await standing(firm)).map(({ balance, pending }) => [balance, balance - pending]),
    ).toEqual([
      [expect.any(Number), 0],
      [expect.any(Number), 0],
    ]);
    await expectSoundLedger();
  });

  test("decide the same checks once, whole or share by share", async () => {
    const firm = await aDebtorFirm();
    const made = [await aCheck(firm, "1"), await aCheck(firm, "2")].map(({ object }) => object);
    const ids = made.map(({ id }) => id);
    const shareIds = made.flatMap(({ shares }) => shares.map(({ shareId }) => shareId));
    const replies = await each(async (client): Promise<{ status: number }> => {
      if (client % 4 === 0) return await decide({ approve: ids });
      if (client % 4 === 1) return await decide({ approve: ids.toReversed() });
      if (client % 4 === 2) return await decide({ deny: ids });
      const statuses = Object.fromEntries(shareIds.map((id) => [id, "approved"]));
      return await admin.ask(confirmChecks, { body: { statuses } });
    });
    expect(statusesOf(replies)).toEqual({ taken: 1, refused: clients - 1 });
    const entries = await app.db
      .selectFrom("entries")
      .select("id")
      .where("networkId", "=", network.id)
      .where("cause", "=", "payment")
      .execute();
    expect([0, 4]).toContain(entries.length);
    await expectSoundLedger();
  });

  test("return the same check once, with one fee", async () => {
    const firm = await aDebtorFirm();
    const { object } = await aCheck(firm, "1020", true);
    const replies = await each(() => bounce(object.id));
    expect(statusesOf(replies)).toEqual({ taken: 1, refused: clients - 1 });
    expect(await standing(firm)).toEqual([
      { balance: 10_000, pending: 0 },
      { balance: 10_000, pending: 0 },
    ]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 0 }]);
    const fees = await app.db
      .selectFrom("charges")
      .select("id")
      .where("networkId", "=", network.id)
      .execute();
    expect(fees).toHaveLength(1);
    await expectSoundLedger();
  });

  test("record, decide and return checks of one firm without losing money", async () => {
    const firm = await aDebtorFirm();
    const outcomes = await each(async (client) => {
      const recorded = await aCheck(firm, `${client}`);
      if (recorded.status !== 200) return recorded.status;
      const { id } = recorded.object;
      const decided = await decide(client % 3 === 0 ? { deny: [id] } : { approve: [id] });
      const returned = client % 3 === 1 ? await bounce(id) : null;
      return [decided.status, returned?.status ?? "kept"].join();
    });
    const kept = outcomes.filter((outcome) => outcome === "200,kept").length;
    const bounced = outcomes.filter((outcome) => outcome === "200,200").length;
    const refused = outcomes.filter((outcome) => outcome === 409).length;
    expect(kept + bounced + refused).toBe(clients);
    const statuses = await app.db
      .selectFrom("receivedChecks")
      .select("status")
      .where("networkId", "=", network.id)
      .execute();
    const approved = statuses.filter(({ status }) => status === "approved").length;
    expect(statuses).toHaveLength(kept + bounced);
    expect(statuses.filter(({ status }) => status === "returned")).toHaveLength(bounced);
    const balance = 10_000 - approved * 1_000;
    expect(await standing(firm)).toEqual([
      { balance, pending: 0 },
      { balance, pending: 0 },
    ]);
    const credits = await creditsOf(app.db, network);
    const fees = await app.db
      .selectFrom("debits")
      .select(["amountCents", "balanceCents"])
      .where("networkId", "=", network.id)
      .where("chargeId", "is not", null)
      .execute();
    // A fee is paid from the credit available at that moment.
    const paid = fees.reduce((added, fee) => added + fee.amountCents - fee.balanceCents, 0);
    expect(fees).toHaveLength(bounced);
    expect(credits.reduce((added, { left }) => added + left, 0)).toBe(approved * 500 - paid);
    await expectSoundLedger();
  });

  test("lock credit in one order: a return with a fee does not deadlock with a use of the credit", async () => {
    const firm = await aDebtorFirm();
    const made = [await aCheck(firm, "1", true), await aCheck(firm, "2", true)];
    const [older, newer] = await creditsOf(app.db, network);
    const lock = (id = 0) => sql`select id from credits where id = ${id} for update nowait`;
    const waiting = sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const returned = await app.db.transaction().execute(async (tx) => {
      await lock(older?.id).execute(tx);
      const reply = bounce(made[1]?.object.id ?? 0);
      await expect.poll(async () => (await waiting.execute(app.db)).rows[0]?.count).toBe(1);
      await lock(newer?.id).execute(tx);
      return { reply };
    });
    expect((await returned.reply).status).toBe(200);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 400 }, { left: 0 }]);
    await expectSoundLedger();
  });
});
