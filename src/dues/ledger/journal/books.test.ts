import { sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { daysAfter, type Day } from "#kit/domain/day.ts";
import { listActivity } from "#office/activity/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { changeDeposit, makeDeposit } from "#payments/deposits/contract.ts";
import {
  closeBooks,
  listJournal,
  previewClosing,
  reopenBooks,
  showBooks,
} from "#dues/ledger/journal/contract.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck, decideCheck } from "#tests/support/check-records.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { onDay, turnTo } from "#tests/support/on-day.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";

const test = appTest({ network: { timeZone: "UTC" }, attorney: {} });

let today: Day;
let yesterday: Day;

// Set again for each retry, since a day may end during a test.
beforeEach(() => {
  today = new Date().toISOString().slice(0, 10);
  yesterday = daysAfter(today, -1);
});

const charged = async (day: Day, amountCents = 2500) =>
  await onDay(app.db, network, day, (tx) => aChargedDebit(tx, network, attorney, { amountCents }));

const close = async (through: Day, note = "") => {
  const { status, message } = await admin.ask(closeBooks, { body: { through, note } });
  return status === 200 ? "closed" : `${status} ${message}`;
};

const reopen = async (after: Day | null, reason = "A check was forgotten.") => {
  const { status, message } = await admin.ask(reopenBooks, { body: { after, reason } });
  return status === 200 ? "reopened" : `${status} ${message}`;
};

/** The balance before, debits, credits and the balance after of each account in a period. */
async function trialBalance(period: { from?: Day; to?: Day }) {
  const { trialBalance: accounts } = await admin.call(listJournal, { query: period });
  return Object.fromEntries(
    accounts.map(({ name, before, debits, credits, after }) => [
      name,
      [before, debits, credits, after],
    ]),
  );
}

test("the books can be closed through a past day that is later than the last closing", async () => {
  expect(await admin.call(showBooks)).toEqual({ closedThrough: null, history: [] });
  const notOver = "422 Choose a date before today.";
  expect(await close(today)).toBe(notOver);
  expect(await close(daysAfter(today, 1))).toBe(notOver);
  expect(await close("2024-03-31", "First quarter")).toBe("closed");
  for (const day of ["2024-03-31", "2024-03-30"])
    expect(await close(day)).toBe(
      "409 The books are already closed through 03/31/2024. Choose a later date.",
    );
  expect(await close(yesterday)).toBe("closed");
  expect(await admin.call(showBooks)).toMatchObject({
    closedThrough: yesterday,
    history: [
      { action: "close", through: yesterday, note: "" },
      { action: "close", through: "2024-03-31", by: network.admin.name, note: "First quarter" },
    ],
  });
});

test("the books can be reopened after an earlier day, or completely, with a reason", async () => {
  expect(await reopen("2024-01-31")).toBe("409 The books are not closed.");
  await close("2024-03-31");
  for (const day of ["2024-03-31", "2024-04-01"])
    expect(await reopen(day)).toBe(
      "409 The books are closed through 03/31/2024. Choose an earlier date.",
    );
  expect(await reopen("2024-02-29", " ")).toBe("422 Enter a reason.");
  expect(await reopen("2024-02-29")).toBe("reopened");
  expect(await close("2024-02-29")).toContain(
    "409 The books are already closed through 02/29/2024",
  );
  expect(await close("2024-03-15")).toBe("closed");
  expect(await reopen(null, "The year is redone.")).toBe("reopened");
  expect(await admin.call(showBooks)).toMatchObject({
    closedThrough: null,
    history: [
      { action: "reopen", through: null, note: "The year is redone." },
      { action: "close", through: "2024-03-15" },
      { action: "reopen", through: "2024-02-29", note: "A check was forgotten." },
      { action: "close", through: "2024-03-31" },
    ],
  });
  const { items } = await admin.call(listActivity, { query: { record_type: "books" } });
  expect(items.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
    {
      action: "reopened the books",
      before: { closedThrough: "2024-03-15" },
      after: { closedThrough: null, note: "The year is redone." },
    },
    expect.objectContaining({ action: "closed the books" }),
    expect.objectContaining({ action: "reopened the books" }),
    expect.objectContaining({
      action: "closed the books",
      before: { closedThrough: null },
      after: { closedThrough: "2024-03-31", note: "" },
    }),
  ]);
});

test("later corrections are entered today, and closed days do not change", async () => {
  const debit = await charged("2024-03-10");
  await close("2024-03-31");
  await admin.call(adjustDebit, {
    body: { debit_id: debit, amount: "5", adjustment_note: "Too high" },
  });
  const { items } = await admin.call(listJournal);
  expect(items.map(({ on, amount }) => [on, amount])).toEqual([
    [today, 500],
    ["2024-03-10", 2500],
  ]);
  expect(await trialBalance({ to: "2024-03-31" })).toEqual({
    "Accounts receivable": [0, 2500, 0, 2500],
    "Other income": [0, 0, 2500, -2500],
  });
});

test("the database refuses an entry on a closed day, such as that of a deposit", async () => {
  const debit = await aChargedDebit(app.db, network, attorney);
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 2500 } }],
  });
  await decideCheck(app.db, network, check, "approved");
  const { id } = await admin.call(makeDeposit, {
    body: { check_ids: [check], deposited_on: yesterday, account_name: "Operating" },
  });
  await close(yesterday);
  const bankedOn = (day: Day) =>
    sql`update deposits set banked_at = now(), banked_on = ${day}
    where network_id = ${network.id} and id = ${id}`.execute(app.db);
  await expect(bankedOn(yesterday)).rejects.toMatchObject({ constraint: "entries_closed_day" });
  await reopen(daysAfter(yesterday, -1));
  await bankedOn(yesterday);
});

test("the preview of a closing counts what is still open", async () => {
  const debit = await aChargedDebit(app.db, network, attorney, { amountCents: 10_000 });
  const part = { attorneyId: attorney.id, shares: { [debit]: 1000 } };
  await aCheck(app.db, network, { parts: [part] });
  const approved = await aCheck(app.db, network, { parts: [part] });
  await decideCheck(app.db, network, approved, "approved");
  await admin.call(makeDeposit, {
    body: { check_ids: [approved], deposited_on: yesterday, account_name: "Operating" },
  });
  const open = async (through: Day) => await admin.call(previewClosing, { query: { through } });
  const { rows } = await sql<{ day: Day }>`select received_on as day from received_checks
    where network_id = ${network.id} and status = 'pending'`.execute(app.db);
  const received = rows[0]?.day ?? "";
  expect(await open(daysAfter(received, -1))).toMatchObject({ pendingChecks: 0, openDeposits: 0 });
  expect(await open(received)).toMatchObject({ pendingChecks: 1, processingCards: 0 });
  expect(await open(yesterday)).toMatchObject({ openDeposits: 1 });
});

test("the journal of a closed month is the same file, whatever is renamed or moved later", async () => {
  const debit = await onDay(app.db, network, "2024-03-05", (tx) =>
    makeDebit(tx, network, attorney, { planName: "Panel dues" }),
  );
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 1000 } }],
  });
  await onDay(app.db, network, "2024-03-31", async (tx) => {
    await decideCheck(tx, network, check, "approved");
    await sql`with made as (
        insert into deposits (network_id, number, deposited_on, account_name)
        values (${network.id}, 1, '2024-03-31', 'Operating') returning id
      ) update received_checks k set deposit_id = made.id from made where k.id = ${check}`.execute(
      tx,
    );
  });
  await onDay(app.db, network, "2024-03-31", (tx) =>
    sql`update deposits set banked_at = clock(), banked_on = '2024-03-31' where network_id = ${network.id}`.execute(
      tx,
    ),
  );
  await close("2024-03-31");
  const march = async () => {
    const { bytes } = await exportedFile(app, admin, {
      report_type: "journal",
      columns: ["date", "entry", "account", "debit", "credit", "attorney", "reference", "memo"],
      start_date: "03012024",
      end_date: "03312024",
    });
    return bytes.toString();
  };
  const before = await march();
  expect(before.split("\r\n").filter((line) => line.includes("Bank: Operating"))).toHaveLength(1);
  expect(before).toContain("Dues income: Panel dues");

  await sql`update plans set name = 'Annual dues' where network_id = ${network.id}`.execute(app.db);
  const later = await aCheck(app.db, network, {
    number: "78",
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 500 } }],
  });
  await decideCheck(app.db, network, later, "approved");
  const { id } = await admin.call(makeDeposit, {
    body: { check_ids: [later], deposited_on: today, account_name: "Operating" },
  });
  await admin.call(changeDeposit, { params: { id }, body: { account_name: "Reserve" } });
  await admin.call(changeDeposit, { params: { id }, body: { status: "banked" } });
  await sql`update networks set time_zone = 'Pacific/Honolulu' where id = ${network.id}`.execute(
    app.db,
  );
  expect(await march()).toBe(before);
});

test("of two concurrent closings of the same day, one is refused", async () => {
  await charged("2024-03-10");
  const answers = await Promise.all([close("2024-03-31"), close("2024-03-31")]);
  expect(answers.toSorted()).toEqual([
    "409 The books are already closed through 03/31/2024. Choose a later date.",
    "closed",
  ]);
  expect((await admin.call(showBooks)).history).toHaveLength(1);
});

test("a closing waits for a payment being recorded on its day, and includes it", async () => {
  await charged("2024-03-10", 1000);
  const recording = await app.db.startTransaction().execute();
  let closing: Promise<string>;
  try {
    await turnTo(recording, network, "2024-03-31");
    await aChargedDebit(recording, network, attorney, { amountCents: 700 });
    closing = close("2024-03-31");
    await expect.poll(() => waitingForLocks(app.db)).toBeGreaterThan(0);
    await recording.commit().execute();
  } finally {
    if (!recording.isCommitted) await recording.rollback().execute();
  }
  expect(await closing).toBe("closed");
  expect(await trialBalance({ from: "2024-04-01" })).toMatchObject({
    "Accounts receivable": [1700, 0, 0, 1700],
  });
});

test("an entry of a day closed in the meantime is refused with a clear message", async () => {
  const debit = await aChargedDebit(app.db, network, attorney);
  // In Honolulu it is still the day before, as for a transaction that began before midnight.
  const moveTo = (zone: string) =>
    sql`update networks set time_zone = ${zone} where id = ${network.id}`.execute(app.db);
  await moveTo("Pacific/Kiritimati");
  const { rows } = await sql<{ day: Day }>`
    select network_day(${network.id}) - 1 as day`.execute(app.db);
  expect(await close(rows[0]?.day ?? "")).toBe("closed");
  await moveTo("Pacific/Honolulu");
  expect(await admin.ask(adjustDebit, { body: { debit_id: debit, amount: "5" } })).toMatchObject({
    status: 409,
    message: expect.stringMatching(
      /^The books are closed through \w+ \d+, \d{4}\. Nothing was changed; try again\.$/,
    ),
  });
});

test("a trial balance is the same from a closing and from all entries", async () => {
  await charged("2024-01-10", 100);
  await charged("2024-02-10", 200);
  await charged("2024-03-10", 400);
  const periods = [
    {},
    { from: "2024-02-01" },
    { to: "2024-02-29" },
    { from: "2024-02-01", to: "2024-02-29" },
    { from: "2024-03-01", to: "2024-01-31" },
  ];
  const all = async () => await Promise.all(periods.map((period) => trialBalance(period)));
  const before = await all();
  expect(before[3]).toEqual({
    "Accounts receivable": [100, 200, 0, 300],
    "Other income": [-100, 0, 200, -300],
  });
  await close("2024-01-31");
  expect(await all()).toEqual(before);
  await close("2024-02-29");
  expect(await all()).toEqual(before);
  // A closing that was reopened does not count: its days have changed.
  await reopen("2024-01-31");
  await charged("2024-02-20", 800);
  await close("2024-03-31");
  expect(await trialBalance({ from: "2024-03-01" })).toMatchObject({
    "Accounts receivable": [1100, 400, 0, 1500],
  });
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});
