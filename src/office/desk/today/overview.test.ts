import { sql } from "kysely";
import { describe, expect } from "vitest";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { listAttorneys } from "#panel/contract.ts";
import { listCardPayments, listHeldCharges } from "#cards/contract.ts";
import { listChecks } from "#payments/checks/contract.ts";
import { listHeldMoney } from "#payments/deposits/contract.ts";
import { listExports } from "#kit/list/reports-contract.ts";
import { exportFile } from "#office/reports/download.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { listDueButNotBilled } from "#dues/ledger/contract.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { showReceivables } from "#dues/ledger/receivables/contract.ts";
import {
  type AttentionKind,
  attentionKinds,
  hideFirstSteps,
  showOverview,
} from "#office/desk/today/contract.ts";
import { changeBrand } from "#access/networks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { makeMatters, makeReports } from "#main/demo/records/matters.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import {
  aChargedDebit,
  aCheck,
  aHeldCheck,
  bounceCheck,
  decideCheck,
  spendCredit,
} from "#tests/support/check-records.ts";
import { happened } from "#tests/support/found-charges.ts";
import { adjustByHand, recordedAt } from "#tests/support/entries.ts";

/** 11:30 p.m. on Sunday, May 10, in New York; already Monday in UTC. */
const now = "2026-05-11T03:30:00Z";
const test = appTest({ asOwner: true, clock: now, network: { timeZone: "America/New_York" } });

const overviewOf = async (who = admin) => await who.call(showOverview);

describe("what needs a person", () => {
  test("is counted by kind in this network only, and agrees with the linked lists", async () => {
    const other = await makeNetwork(app.db, { timeZone: "America/New_York" });
    await somethingOfEachKind(network);
    for (const twice of [1, 2]) await somethingOfEachKind(other, String(twice));
    for (const [of, visitor] of [
      [1, admin],
      [2, await signedIn(app, "admin", other)],
    ] as const) {
      const { attention } = await overviewOf(visitor);
      expect(attention.map(({ kind, count }) => [kind, count])).toEqual(
        attentionKinds.map((kind) => [kind, kind === "due_but_not_billed" ? of * 3 : of]),
      );
      for (const { kind, count, path } of attention) {
        const total = await listLengths[kind](
          Object.fromEntries(new URL(path, "http://x").searchParams),
          visitor,
        );
        expect([kind, total]).toEqual([kind, count]);
      }
    }
    const { attention } = await overviewOf();
    expect(Object.fromEntries(attention.map(({ kind, amount }) => [kind, amount]))).toEqual({
      checks_to_confirm: 700,
      held_money: 800,
      card_payments_held: 1000,
      card_chargebacks: 400,
      card_refunds_failed: 2000,
      card_settlements_failed: 3000,
      due_but_not_billed: 15_000,
    });
    expect(attention.find(({ kind }) => kind === "referrals_without_attorney")?.since).toBe(
      "2026-05-07T12:00:00.000Z",
    );
    expect(attention.find(({ kind }) => kind === "suspended_attorneys")?.recent).toBe(1);
  });

  test("disappears once done: a report downloaded, a failed payment paid otherwise, debits billed", async () => {
    await somethingOfEachKind(network);
    const { items } = await admin.call(listExports, { query: { waiting: "ready" } });
    await exportFile(app.db, network.admin, items[0]?.id ?? 0);
    const { items: failed } = await admin.call(listCardPayments, { query: { state: "failed" } });
    const [share] = failed[0]?.shares ?? [];
    const attorneyId = failed[0]?.attorneyId ?? 0;
    const check = await aCheck(app.db, network, {
      parts: [{ attorneyId, shares: { [share?.debitId ?? 0]: 3000 } }],
    });
    await decideCheck(app.db, network, check, "approved");
    await runBilling(app.db, network.admin, plainDate("2026-05-10"));
    const gone = ["reports_ready", "card_settlements_failed", "due_but_not_billed"];
    expect((await overviewOf()).attention.map(({ kind }) => kind)).toEqual(
      attentionKinds.filter((kind) => !gone.includes(kind)),
    );
    // A debit deleted by hand is found missing too.
    const plan = await makePlan(app.db, network, { amountCents: 900 });
    await makeEnrolment(app.db, await makeAttorney(app.db, network), plan, {
      startDate: "2026-05-10",
      enrolledOn: "2026-05-01",
    });
    await expect
      .poll(async () =>
        (await overviewOf()).attention.find(({ kind }) => kind === "due_but_not_billed"),
      )
      .toMatchObject({ count: 1, amount: 900 });
  });

  test("is nothing in a new network", async () => {
    const overview = await overviewOf();
    expect(overview).toMatchObject({
      attention: [],
      aging: { total: 0, credit: 0 },
      lately: [],
      begun: { attorneys: false, plans: false, letterhead: false, mail: false, cards: false },
    });
    expect(overview.months.every(({ billed, received }) => billed === 0 && received === 0)).toBe(
      true,
    );
    await makeAttorney(app.db, network);
    await makePlan(app.db, network);
    await admin.call(changeBrand, { body: { postal_address: "12 Pier St" } });
    const begun = { attorneys: true, plans: true, letterhead: true, mail: false, cards: false };
    expect((await overviewOf()).begun).toEqual({ ...begun, isPutAway: false });
    await admin.call(hideFirstSteps);
    await admin.call(hideFirstSteps);
    expect(await overviewOf()).toMatchObject({
      begun: { ...begun, isPutAway: true },
      lately: [{ action: "put away the first steps" }, { action: "changed brand" }],
    });
  });
});

type Query = Record<string, string>;

const lengthOf =
  (endpoint: Endpoint, more: (query: Query) => Query = (query) => query) =>
  async (query: Query, who: typeof admin): Promise<number> => {
    const { object } = await who.ask(endpoint, { query: more(query) });
    return (object as { total: number }).total; // all of these lists are paged
  };

/** How long each list behind a line is, with the call of its screen. */
const listLengths: Record<AttentionKind, (query: Query, who: typeof admin) => Promise<number>> = {
  checks_to_confirm: lengthOf(listChecks, () => ({ status: "pending" })),
  held_money: lengthOf(listHeldMoney),
  referrals_without_attorney: lengthOf(listMatters),
  overdue_reports: lengthOf(listMatters, ({ status = "" }) => ({ report: status })),
  suspended_attorneys: lengthOf(listAttorneys),
  card_payments_held: lengthOf(listHeldCharges),
  card_chargebacks: lengthOf(listCardPayments, () => ({ chargeback: "unseen" })),
  card_refunds_failed: lengthOf(listCardPayments, () => ({ state: "captured", refund: "failed" })),
  card_settlements_failed: lengthOf(listCardPayments, () => ({ state: "failed", owed: "true" })),
  due_but_not_billed: async (_, who) => (await who.call(listDueButNotBilled)).length,
  reports_failed: lengthOf(listExports, ({ show = "" }) => ({ waiting: show })),
  reports_ready: lengthOf(listExports, ({ show = "" }) => ({ waiting: show })),
  emails_refused: lengthOf(listAttorneys),
  mail_not_sent: lengthOf(listMail),
};

/** One of each kind, and next to each something that needs nobody. */
async function somethingOfEachKind(of: MadeNetwork, key = "0"): Promise<void> {
  const { db } = app;
  const attorney = await makeAttorney(db, of);
  const debit = await makeDebit(db, of, attorney, { amountCents: 5000, dueOn: "2026-02-10" });
  const whole = { parts: [{ attorneyId: attorney.id, shares: { [debit]: 700 } }] };
  await aCheck(db, of, whole);
  await decideCheck(db, of, await aCheck(db, of, whole), "denied");
  await aHeldCheck(db, of, attorney, 800);
  const untaken = { firstName: "Jane", lastName: "Doe", submittedAt: "2026-05-07T12:00:00Z" };
  await makeMatters(db, of, [untaken]);
  await makeMatter(db, of, { attorney, dueOn: "2026-05-09" });
  await makeMatter(db, of, { attorney, dueOn: "2026-05-10" }); // due today: not yet overdue
  await sql`update attorneys set suspended_at = '2026-05-04T04:00:00Z', suspension_reason = 'Late.'
    where network_id = ${of.id} and id = ${attorney.id}`.execute(db);
  await cardsOf(of, attorney.id, key);
  for (const [status, more] of [
    ["ready", sql`null`],
    ["ready", sql`now()`],
    ["failed", sql`null`],
    ["queued", sql`null`],
  ] as const)
    await sql`insert into data_exports (network_id, report_type, columns, status, file_name, file_bytes,
        failure_reason, finished_at, requested_by, expires_at, downloaded_at)
      select ${of.id}, 'attorneys', '{}', ${status}, case when ${status} = 'ready' then 'a.csv' end,
        case when ${status} = 'ready' then 1 end, case when ${status} = 'failed' then 'Disk full' end,
        case when ${status} <> 'queued' then now() end, 'Ada', now() + interval '1 day', ${more}`.execute(
      db,
    );
  for (const stands of [true, false])
    await sql`insert into mails (network_id, occasion, recipient, subject, body, status, created_at, refusal, refusal_stands)
      values (${of.id}, ${`${key} refused ${stands}`}, ${stands ? attorney.email : of.admin.email}, 'S', 'B', 'gave_up',
        '2026-04-01T04:00:00Z', 'no such mailbox', ${stands})`.execute(db);
  for (const [status, at] of [
    ["gave_up", "2026-04-26T04:00:00Z"],
    ["gave_up", "2026-04-26T03:59:00Z"], // the day before in New York: too old
    ["queued", now],
  ] as const)
    await sql`insert into mails (network_id, occasion, recipient, subject, body, status, created_at)
      values (${of.id}, ${`${key} ${status} ${at}`}, 'a@example.test', 'S', 'B', ${status}, ${at})`.execute(
      db,
    );
}

/** A payment of each kind that needs a person, as its processor's answers would leave it. */
async function cardsOf(of: MadeNetwork, attorneyId: number, key: string): Promise<void> {
  const { rows: accounts } = await sql<{ id: number }>`
    insert into card_processors (network_id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
    values (${of.id}, 'stripe', false, '{}', '{}', 'x', 1) returning id`.execute(app.db);
  const account = accounts[0]?.id;
  const pay = async (name: string, amountCents: number): Promise<number> =>
    await app.db.transaction().execute(async (tx) => {
      const debit = await makeDebit(
        tx,
        of,
        { id: attorneyId },
        { amountCents, dueOn: "2026-05-10" },
      );
      const { rows } = await sql<{ id: number }>`
        insert into payments (network_id, attorney_id, method, amount_cents)
        values (${of.id}, ${attorneyId}, 'online', ${amountCents}) returning id`.execute(tx);
      const id = rows[0]?.id ?? 0;
      await sql`insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents)
        values (${of.id}, ${attorneyId}, ${id}, ${debit}, ${amountCents})`.execute(tx);
      await sql`insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id,
          reference, token_hash, shares_hash, next_look_at)
        values (${of.id}, ${id}, ${attorneyId}, 'stripe', ${account},
          ${`${id}`.padStart(12, "0")}, ${name + key}, ${name + key}, now())`.execute(tx);
      return id;
    });
  const move = async (id: number, to: ReturnType<typeof sql>) =>
    await sql`update card_payments set ${to} where network_id = ${of.id} and payment_id = ${id}`.execute(
      app.db,
    );
  const captured = (id: number) =>
    sql`state = 'captured', transaction_id = ${`T${id}`}, settled_at = now(), next_look_at = null`;
  await pay("being confirmed", 500);
  await move(await pay("held", 1000), sql`held_at = now()`);
  for (const [name, state] of [
    ["refund failed", "failed"],
    ["refund done", "done"],
  ] as const) {
    const id = await pay(name, 2000);
    await move(id, captured(id));
    await sql`insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id,
        reference, amount_cents, reason, requested_by_name, state, kind, settled_at)
      values (${of.id}, 'stripe', ${account}, ${`T${id}`}, ${id}, ${`R${id}`.padStart(12, "0")}, 2000, 'Twice', 'Ada',
        ${state}, case when ${state} = 'done' then 'refunded' end, now())`.execute(app.db);
  }
  const failed = await pay("settlement failed", 3000);
  await move(failed, captured(failed));
  const keyOf = (paymentId: number) => ({ networkId: of.id, attorneyId, paymentId });
  await happened(app.db, keyOf(failed), "failed", 3000);
  for (const isSeen of [false, true]) {
    const id = await pay(`charged back ${isSeen ? "and seen" : ""}`, 400);
    await move(id, captured(id));
    await happened(app.db, keyOf(id), "chargeback", 400);
    if (isSeen)
      await sql`update card_transactions set seen_at = now()
      where network_id = ${of.id} and payment_id = ${id} and kind = 'chargeback'`.execute(app.db);
  }
}

describe("the year in figures", () => {
  test("months begin at the network's midnight, and billed less received is the amount owed less credit", async () => {
    const attorney = await makeAttorney(app.db, network);
    const first = await aChargedDebit(app.db, network, attorney, { amountCents: 10_000 });
    await recordedAt(app.db, network, "2026-04-01T03:59:59.999Z"); // the last of March in New York
    await aChargedDebit(app.db, network, attorney, { amountCents: 700 });
    await recordedAt(app.db, network, "2026-04-01T04:00:00Z");
    const check = await aCheck(app.db, network, {
      parts: [{ attorneyId: attorney.id, shares: { [first]: 4000 }, creditCents: 1500 }],
    });
    await decideCheck(app.db, network, check, "approved");
    await recordedAt(app.db, network, "2026-04-15T12:00:00Z");
    await spendCredit(app.db, network, attorney.id, { amountCents: 300, debitId: first });
    await spendCredit(app.db, network, attorney.id, { amountCents: 200 });
    await recordedAt(app.db, network, "2026-05-02T12:00:00Z");
    const bounced = await aCheck(app.db, network, {
      parts: [{ attorneyId: attorney.id, shares: { [first]: 1000 }, creditCents: 50 }],
    });
    await decideCheck(app.db, network, bounced, "approved");
    await recordedAt(app.db, network, "2026-05-03T12:00:00Z");
    await bounceCheck(app.db, network, bounced);
    await adjustByHand(app.db, [first], { cents: -250, note: "Waived" });
    await recordedAt(app.db, network, "2026-05-11T03:00:00Z");

    const { months, aging } = await overviewOf();
    expect(months).toHaveLength(12);
    expect(months[0]?.month).toBe("2025-06-01");
    expect(months.slice(-3)).toEqual([
      { month: "2026-03-01", billed: 10_000, received: 0 },
      { month: "2026-04-01", billed: 700, received: 5500 },
      { month: "2026-05-01", billed: -250, received: -200 },
    ]);
    const moved = months.reduce((added, { billed, received }) => added + billed - received, 0);
    expect(moved).toBe(aging.total - aging.credit);
    expect(aging).toEqual((await admin.call(showReceivables)).totals);
  });

  test("amounts owed by age add up to the lists of attorneys", async () => {
    for (const [dueOn, amountCents] of [
      ["2026-05-10", 1], // due today
      ["2026-05-09", 2],
      ["2026-04-10", 4],
      ["2026-04-09", 8],
      ["2026-02-08", 16],
    ] as const)
      await aChargedDebit(app.db, network, await makeAttorney(app.db, network), {
        dueOn,
        amountCents,
      });
    await recordedAt(app.db, network, now);
    const { aging } = await overviewOf();
    expect(aging).toMatchObject({ current: 1, days30: 6, days60: 8, over90: 16, total: 31 });
    for (const [bucket, attorneys] of [
      ["days30", 2],
      ["days90", 0],
      ["over90", 1],
    ] as const) {
      const { rows, totals } = await admin.call(showReceivables, { query: { bucket } });
      expect([bucket, rows.total, totals[bucket]]).toEqual([bucket, attorneys, aging[bucket]]);
    }
  });

  test("weeks begin on the network's Mondays; a referral is retained in the week of its first such report", async () => {
    const attorney = await makeAttorney(app.db, network);
    const referred = (referredAt: string) => ({
      firstName: "Jane",
      lastName: "Doe",
      attorneyId: attorney.id,
      status: "open" as const,
      referredAt,
      reportDueOn: "2199-01-01",
    });
    const [sunday = 0, monday = 0, today = 0] = await makeMatters(app.db, network, [
      referred("2026-05-04T03:59:59Z"),
      referred("2026-05-04T04:00:00Z"),
      referred(now),
    ]);
    const retained = (matterId: number, filedOn: string) => ({
      matterId,
      attorneyId: attorney.id,
      outcome: "retained" as const,
      filedOn,
    });
    await makeReports(app.db, network, [
      retained(sunday, "2026-05-03"),
      retained(sunday, "2026-05-04"), // reported again
      retained(monday, "2026-05-04"),
      retained(monday, "2026-05-10"), // twice in a week
      { ...retained(today, "2026-05-10"), outcome: "consulted" },
    ]);
    const weeks = [
      { week: "2026-04-20", made: 0, retained: 0 },
      { week: "2026-04-27", made: 1, retained: 1 },
      { week: "2026-05-04", made: 2, retained: 1 },
    ];
    const { referrals } = await overviewOf();
    expect(referrals).toHaveLength(12);
    expect(referrals.slice(-3)).toEqual(weeks);

    // A reassigned or withdrawn referral was made all the same.
    const another = await makeAttorney(app.db, network);
    const matters = app.db.updateTable("matters");
    await matters
      .set({ attorneyId: another.id, referredAt: now })
      .where("id", "=", sunday)
      .execute();
    await matters
      .set({ attorneyId: null, referredAt: null, reportDueOn: null, status: "new" })
      .where("id", "=", today)
      .execute();
    expect((await overviewOf()).referrals.slice(-3)).toEqual(weeks);
  });
});
