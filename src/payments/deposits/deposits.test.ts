import { beforeEach, expect } from "vitest";
import { decideWholeChecks, recordWholeCheck, returnCheck } from "#payments/checks/contract.ts";
import {
  changeDeposit,
  listDeposits,
  listUndepositedChecks,
  makeDeposit,
  showDeposit,
} from "#payments/deposits/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { aCheck, aChargedDebit, decideCheck } from "#tests/support/check-records.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {}, attorney: {} });

let debit: number;

beforeEach(async () => {
  debit = await aChargedDebit(app.db, network, attorney, { amountCents: 100_000 });
});

/** Records a check, approved by default. Answers its id. */
async function check(number: string, dollars: string, approve = true): Promise<number> {
  const { id } = await admin.call(recordWholeCheck, {
    body: {
      check_number: number,
      amount: dollars,
      received_on: "2026-05-08",
      attorney_id: attorney.id,
      shares: { [debit]: dollars },
      approve,
    },
  });
  return id;
}

const wanted = (...ids: number[]) => ({
  body: { check_ids: ids, deposited_on: "2026-05-10", account_name: "Operating" },
});

const change = (id: number, body: object) => admin.ask(changeDeposit, { params: { id }, body });

test("approved checks are deposited together, numbered from 1 in each network", async () => {
  const first = await check("101", "30.00");
  const second = await check("102", "12.50");
  await check("103", "9.00", false);
  const before = await admin.call(listUndepositedChecks);
  expect(before.items.map((one) => one.checkNumber)).toEqual(["102", "101"]);
  expect(before).toMatchObject({ total: 2, amount: 4250 });

  const { object: made } = await admin.ask(makeDeposit, wanted(first, second));
  expect(made).toMatchObject({
    number: 1,
    depositedOn: "2026-05-10",
    accountName: "Operating",
    count: 2,
    total: "42.50",
    returned: "0.00",
    status: "open",
    checks: [
      {
        id: first,
        checkNumber: "101",
        depositId: made.id,
        depositNumber: made.number,
        payer: { kind: "attorney" },
      },
      { id: second, checkNumber: "102" },
    ],
  });
  expect(await admin.call(listUndepositedChecks)).toMatchObject({ items: [], total: 0, amount: 0 });
  const next = await admin.call(makeDeposit, wanted(await check("104", "1.00")));
  expect(next.number).toBe(2);
  const listed = await admin.call(listDeposits, { query: { page: 1, per_page: 1 } });
  expect(listed).toMatchObject({ items: [{ number: 2, total: 100 }], total: 2 });
  const other = await makeNetwork(app.db);
  const stranger = await signedIn(app, "admin", other);
  expect(await stranger.call(listDeposits)).toMatchObject({ items: [], total: 0 });
});

test("a check that cannot be deposited is named, and nothing is deposited", async () => {
  const good = await check("201", "5.00");
  const pending = await check("202", "6.00", false);
  const denied = await check("203", "7.00", false);
  const taken = await check("204", "8.00");
  const back = await check("205", "9.00");
  await admin.call(decideWholeChecks, { body: { approve: [], deny: [denied] } });
  await admin.call(makeDeposit, wanted(taken));
  await admin.call(returnCheck, { params: { id: back }, body: { returned_on: "2026-05-10" } });
  const refusals = [
    [pending, "Check 202 is still pending. Approve it before you deposit it."],
    [denied, "Check 203 was denied and cannot be deposited."],
    [taken, "Check 204 is already in deposit 1."],
    [back, "Check 205 was returned by the bank and cannot be deposited again."],
  ] as const;
  for (const [id, message] of refusals)
    expect(await admin.ask(makeDeposit, wanted(good, id))).toMatchObject({ status: 409, message });
  expect((await admin.call(listUndepositedChecks)).items.map(({ id }) => id)).toEqual([good]);
});

test("bad input is refused with a sentence", async () => {
  const id = await check("301", "5.00");
  const body = wanted(id).body;
  const cases = [
    [{ ...body, check_ids: [] }, "Choose at least one check to deposit."],
    [{ ...body, check_ids: [id, id] }, "Check ids must name each check once."],
    [{ ...body, account_name: " " }, "Enter an account name."],
    [{ ...body, deposited_on: "2024-05-10" }, "Deposited on must be at most a year ago."],
    [
      { ...body, deposited_on: "2026-05-18" },
      "Deposited on must be at most 7 days ahead: 05/17/2026 or earlier.",
    ],
  ] as const;
  for (const [sent, message] of cases)
    expect(await admin.ask(makeDeposit, { body: sent })).toMatchObject({ status: 422, message });
  const made = await admin.call(makeDeposit, { body });
  expect(await change(made.id, {})).toMatchObject({
    status: 422,
    message: "The request must change something.",
  });
});

test("a deposit's date is not before its checks were received, nor after the bank returned one", async () => {
  const one = await check("351", "10.00"); // received on 05/08
  const { body } = wanted(one);
  const early = {
    status: 422,
    message:
      "Deposited on must be 05/08/2026 or later, because check 351 was received on that date.",
    errors: [{ path: "deposited_on" }],
  };
  expect(
    await admin.ask(makeDeposit, { body: { ...body, deposited_on: "2026-05-07" } }),
  ).toMatchObject(early);
  const made = await admin.call(makeDeposit, { body: { ...body, deposited_on: "2026-05-09" } });
  expect(await change(made.id, { deposited_on: "2026-05-07" })).toMatchObject(early);
  const back = (returned_on: string) =>
    admin.ask(returnCheck, { params: { id: one }, body: { returned_on } });
  expect(await back("2026-05-08")).toMatchObject({
    status: 422,
    message:
      "Returned on must be 05/09/2026 or later, because check 351 was deposited on that date.",
    errors: [{ path: "returned_on" }],
  });
  expect((await back("2026-05-09")).status).toBe(200);
  expect(await change(made.id, { deposited_on: "2026-05-10" })).toMatchObject({
    status: 422,
    message:
      "Deposited on must be 05/09/2026 or earlier, because the bank returned check 351 on that date.",
  });
  expect(await change(made.id, { account_name: "Payroll" })).toMatchObject({ status: 200 });

  const held = [await check("352", "10.00"), await check("353", "10.00")];
  const later = { ...wanted(...held).body, deposited_on: "2026-05-17" };
  const ahead = await admin.call(makeDeposit, { body: later });
  const params = { id: held[0] ?? 0 };
  await admin.call(returnCheck, { params, body: { returned_on: "2026-05-10" } });
  // Its date is after the return, but it can still be changed.
  for (const changed of [
    { remove_check_ids: [held[1]] },
    { add_check_ids: [await check("354", "10.00")] },
    { deposited_on: "2026-05-16" },
  ])
    expect(await change(ahead.id, changed)).toMatchObject({ status: 200 });
});

test("an open deposit's checks, date and account can change until it is banked", async () => {
  const [one, two, three] = [
    await check("401", "10.00"),
    await check("402", "20.00"),
    await check("403", "40.00"),
  ];
  const made = await admin.call(makeDeposit, wanted(one, two));
  const changed = await change(made.id, { check_ids: [two, three] });
  expect(changed.object).toMatchObject({ total: "60.00", count: 2, status: "open" });
  expect((await admin.call(listUndepositedChecks)).items.map(({ id }) => id)).toEqual([one]);
  await change(made.id, { deposited_on: "2026-05-09", account_name: "Trust" });
  const banked = await change(made.id, { status: "banked" });
  expect(banked.object).toMatchObject({
    status: "banked",
    depositedOn: "2026-05-09",
    bankedOn: "2026-05-10",
    accountName: "Trust",
    total: "60.00",
  });
  for (const body of [{ check_ids: [one] }, { status: "open" }, { account_name: "Operating" }])
    expect(await change(made.id, body)).toMatchObject({
      status: 409,
      message: "Deposit 1 is marked as banked and cannot be changed.",
    });
});

test("checks are added and removed one by one, so that other people's changes stay", async () => {
  const [first, second, third] = [
    await check("401", "10.00"),
    await check("402", "20.00"),
    await check("403", "30.00"),
  ];
  const { object: made } = await admin.ask(makeDeposit, wanted(first));
  const { status } = await change(made.id, { add_check_ids: [second] });
  expect(status).toBe(200);
  const numbers = async (body: object) =>
    (await change(made.id, body)).object.checks.map(({ checkNumber }) => checkNumber);
  // A check already in the deposit, or already removed, is no error.
  expect(await numbers({ add_check_ids: [second, third] })).toEqual(["401", "402", "403"]);
  expect(await numbers({ remove_check_ids: [first] })).toEqual(["402", "403"]);
  expect(await numbers({ remove_check_ids: [first, second] })).toEqual(["403"]);
  expect(await change(made.id, { check_ids: [first], add_check_ids: [second] })).toMatchObject({
    status: 422,
    message: "Send all checks or only the changes, not both.",
  });
  await admin.ask(makeDeposit, wanted(first));
  expect(await change(made.id, { add_check_ids: [first] })).toMatchObject({
    status: 409,
    message: "Check 401 is already in deposit 2.",
  });
});

test("an emptied deposit cannot be banked", async () => {
  const made = await admin.call(makeDeposit, wanted(await check("501", "10.00")));
  expect((await change(made.id, { check_ids: [] })).object).toMatchObject({
    count: 0,
    total: "0.00",
  });
  expect(await change(made.id, { status: "banked" })).toMatchObject({
    status: 409,
    message: "Deposit 1 has no checks. Add some before you mark it as banked.",
  });
});

test("a deposit is banked on a day from its own date to today, never in closed books", async () => {
  const made = await admin.call(makeDeposit, wanted(await check("551", "10.00")));
  const bankedOn = (day: string, also: object = {}) =>
    change(made.id, { status: "banked", banked_on: day, ...also });
  const refused = (message: string) => ({
    status: 422,
    message,
    errors: [{ path: "banked_on", message }],
  });
  await change(made.id, { deposited_on: "2026-05-09" });
  expect(await bankedOn("2026-05-08")).toMatchObject(
    refused("Banked on must be the deposit's date, 05/09/2026, or later."),
  );
  expect(await bankedOn("2026-05-11")).toMatchObject(
    refused("Banked on must not be in the future."),
  );
  const ahead = refused(
    "Deposit 1 is dated 05/12/2026, which is in the future. Change its date first.",
  );
  expect(await bankedOn("2026-05-10", { deposited_on: "2026-05-12" })).toMatchObject(ahead);
  expect(await change(made.id, { deposited_on: "2026-05-12", status: "banked" })).toMatchObject(
    ahead,
  );
  expect(await change(made.id, { banked_on: "2026-05-09" })).toMatchObject(
    refused('Banked on is allowed only with status "banked".'),
  );
  await app.db
    .insertInto("bookClosings")
    .values({
      networkId: network.id,
      action: "close",
      through: "2026-05-09",
      actorName: "Ada",
      balances: "{}",
    })
    .execute();
  expect(await bankedOn("2026-05-09")).toMatchObject(
    refused("The books are closed through May 9, 2026."),
  );
  expect(await bankedOn("2026-05-10")).toMatchObject({
    status: 200,
    object: { status: "banked", bankedOn: "2026-05-10" },
  });
  const other = await admin.call(makeDeposit, wanted(await check("552", "10.00")));
  expect(other).toMatchObject({ bankedOn: null, bankedAt: null });
});

test("a returned check stays in its deposit and in its sum of returned checks", async () => {
  const [good, back] = [await check("601", "10.00"), await check("602", "20.00")];
  const made = await admin.call(makeDeposit, wanted(good, back));
  await admin.call(returnCheck, { params: { id: back }, body: { returned_on: "2026-05-10" } });
  const shown = await admin.call(showDeposit, { params: { id: made.id } });
  expect(shown).toMatchObject({ count: 2, total: 3000, returned: 2000 });
  expect(shown.checks.map(({ status }) => status)).toEqual(["approved", "returned"]);
  expect(await change(made.id, { check_ids: [good] })).toMatchObject({
    status: 409,
    message: "Check 602 was returned and cannot be removed from this deposit.",
  });
  expect((await change(made.id, { check_ids: [back] })).object).toMatchObject({ total: "20.00" });
});

test("a mixed check is deposited with its full amount", async () => {
  const other = await aChargedDebit(app.db, network, attorney);
  const mixed = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 500, [other]: 700 } }],
  });
  await decideCheck(app.db, network, mixed, "approved", [other]);
  const made = await admin.call(makeDeposit, wanted(mixed));
  expect(made).toMatchObject({ total: 1200, checks: [{ status: "mixed" }] });
});

test("concurrent deposits never share a check or skip a number", async () => {
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, index) => check(`7${index}`, "1.00")),
  );
  const shared = await check("799", "1.00");
  const replies = await Promise.all(
    ids.map((id, index) => admin.ask(makeDeposit, wanted(...(index % 2 ? [id] : [shared, id])))),
  );
  const made = replies.filter(({ status }) => status === 200);
  expect(made.map(({ object }) => object.number).toSorted((a, b) => a - b)).toEqual(
    made.map((_, index) => index + 1),
  );
  expect(made).toHaveLength(5);
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
  for (const { message } of refused)
    expect(message).toMatch(/^Check 799 is already in deposit [1-5]\.$/);
  expect((await admin.call(listUndepositedChecks)).total).toBe(3);
});
