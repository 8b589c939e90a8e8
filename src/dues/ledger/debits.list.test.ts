import { beforeEach, expect } from "vitest";
import type { Day } from "#kit/domain/day.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({
  clock: "2026-05-10T16:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

let other: MadeAttorney;
beforeEach(async () => {
  other = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
});

async function owed(by: MadeAttorney, dueOn: Day, planName = "Panel dues"): Promise<number> {
  return await makeDebit(app.db, network, by, { dueOn, planName, amountCents: 5000 });
}

async function idsOf(query: Record<string, unknown>): Promise<number[]> {
  const { items } = await admin.call(listDebits, { query });
  return items.map(({ id }) => id);
}

test("open debits of all attorneys come oldest due first, named by attorney", async () => {
  const later = await owed(attorney, "2026-05-10");
  const sooner = await owed(other, "2026-03-31");
  const list = await admin.call(listDebits);
  expect(list).toMatchObject({ total: 2, page: 1, perPage: 50 });
  expect(list.items).toMatchObject([
    { id: sooner, attorneyName: "Grace Hopper", name: "Panel dues", balance: 5000, pending: 0 },
    { id: later, attorneyName: "Ada Byron", dueDate: "2026-05-10" },
  ]);
  expect(await idsOf({ attorney_id: attorney.id })).toEqual([later]);
});

test("a firm's list has its attorneys' debits only", async () => {
  const firm = await app.db
    .insertInto("firms")
    .values({ networkId: network.id, name: "Hale & Finch LLP" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await app.db
    .updateTable("attorneys")
    .set({ firmId: firm.id })
    .where("id", "in", [attorney.id, other.id])
    .execute();
  const stranger = await makeAttorney(app.db, network);
  await owed(stranger, "2026-01-31");
  const both = [await owed(other, "2026-02-28"), await owed(attorney, "2026-03-31")];
  expect(await idsOf({ firm_id: firm.id })).toEqual(both);
});

test("overdue means due before today, or at least the given number of days ago", async () => {
  await owed(attorney, "2026-05-10");
  const yesterday = await owed(attorney, "2026-05-09");
  const longAgo = await owed(attorney, "2026-04-10");
  expect(await idsOf({ state: "overdue" })).toEqual([longAgo, yesterday]);
  expect(await idsOf({ state: "overdue", min_days: 30 })).toEqual([longAgo]);
  expect(await idsOf({ state: "overdue", min_days: 31 })).toEqual([]);
});

test("paid debits have no balance and come newest first; each page has the total", async () => {
  const [first, second, third] = [
    await owed(attorney, "2026-01-31"),
    await owed(attorney, "2026-02-28", "Website"),
    await owed(attorney, "2026-03-31"),
  ];
  for (const debit_id of [first, second])
    await admin.call(adjustDebit, { body: { debit_id, direction: "decrease", amount: "50" } });
  expect(await idsOf({ state: "paid" })).toEqual([second, first]);
  expect(await idsOf({ state: "open" })).toEqual([third]);
  expect(
    await admin.call(listDebits, { query: { state: "paid", page: 2, per_page: 1 } }),
  ).toMatchObject({ total: 2, items: [{ id: first }] });
});

test("a plan's list has its enrolments' debits", async () => {
  await owed(attorney, "2026-01-31");
  const website = await owed(attorney, "2026-02-28", "Website");
  const plan = await app.db
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", network.id)
    .where("name", "=", "Website")
    .executeTakeFirstOrThrow();
  expect(await idsOf({ plan_id: plan.id })).toEqual([website]);
});

test("rows read with `after` come once each, whatever is paid or added in between", async () => {
  const made: number[] = [];
  for (const dueOn of ["2026-05-04", "2026-05-02", "2026-05-03", "2026-05-01"] as const)
    made.push(await owed(attorney, dueOn));
  const read: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; after = read.at(-1)) {
    const { items, total } = await admin.call(listDebits, { query: { after, per_page: "2" } });
    expect(total).toBeGreaterThanOrEqual(items.length);
    if (items.length === 0) break;
    read.push(...items.map(({ id }) => id));
    if (read.length > 2) continue;
    const [debit_id = 0] = read;
    await admin.call(adjustDebit, { body: { debit_id, direction: "decrease", amount: "50" } });
    made.push(await owed(other, "2026-01-01"));
  }
  expect(read).toEqual(made);
  const ask = (query: Record<string, unknown>) => admin.ask(listDebits, { query });
  expect(await ask({ after: 0, sort: "due" })).toMatchObject({ status: 422 });
  expect(await ask({ after: 0, page: "2" })).toMatchObject({ status: 422 });
  expect(await ask({ after: "-1" })).toMatchObject({
    status: 422,
    message: "After must be the id of the last row that was read, or 0 to begin.",
  });
});
