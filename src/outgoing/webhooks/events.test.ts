import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { pauseAttorney } from "#people/contract.ts";
import { payByCard, refundPayment } from "#cards/contract.ts";
import { decideWholeChecks, recordWholeCheck, returnCheck } from "#payments/checks/contract.ts";
import { recordDeparture } from "#people/departures/contract.ts";
import { createCharge } from "#dues/ledger/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { fileReport, recordMatter, referMatter } from "#referrals/matters/contract.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { eventTypes } from "#outgoing/webhooks/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolments } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import { aClient } from "#tests/support/suspension-world.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { anEndpoint, messagesOf } from "#tests/support/webhook-receiver.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const clock = "2026-06-30T16:00:00Z";
const test = cardTest({ clock, network: {}, attorney: {}, lawyer: true });
const url = "https://example.org/hooks";
/** Add an endpoint for all events. */
const listen = () => anEndpoint(app, network, { url });
const messages = () => messagesOf(app.db, network);

describe("checks", () => {
  const record = async (more: object = {}) => {
    const debit = await makeDebit(app.db, network, attorney, { amountCents: cents(5000) });
    await listen();
    const body = {
      check_number: "1020",
      amount: "60.00",
      received_on: "2026-06-30",
      attorney_id: attorney.id,
      shares: { [debit]: "50.00" },
      credits: { [attorney.id]: "10.00" },
      ...more,
    };
    return await admin.call(recordWholeCheck, { body });
  };
  const about = (check: number) => ({
    payment_id: expect.any(Number),
    attorney_id: attorney.id,
    check_id: check,
    method: "check",
    amount: "60.00",
  });

  test("send an event when recorded, approved and returned, with their credit", async () => {
    const { id } = await record();
    const told = { ...about(id), payment_amount: "60.00" };
    expect(await messages()).toEqual([{ type: "payment.recorded", data: about(id) }]);
    await admin.call(decideWholeChecks, { body: { approve: [id] } });
    expect((await messages()).slice(1)).toEqual([{ type: "payment.approved", data: told }]);
    const body = { returned_on: "2026-06-30" };
    await admin.call(returnCheck, { params: { id }, body });
    expect((await messages()).slice(2)).toEqual([{ type: "payment.returned", data: told }]);
  });

  test("that are partly denied send two events", async () => {
    const other = await makeDebit(app.db, network, attorney, { amountCents: cents(2000) });
    await listen();
    const debit = await makeDebit(app.db, network, attorney, { amountCents: cents(5000) });
    await admin.send("POST", "/lrs_subscription_check_payments/", {
      payment_hash: { [debit]: "50.00", [other]: "20.00" },
      check_number: "7",
    });
    const shares = await app.db
      .selectFrom("paymentAllocations")
      .select(["id", "debitId"])
      .where("networkId", "=", network.id)
      .execute();
    const statuses = Object.fromEntries(
      shares.map(({ id, debitId }) => [id, debitId === debit ? "approved" : "denied"]),
    );
    await admin.send("POST", "/lrs_subscription_check_payments/confirm", { statuses });
    const decided = (await messages()).filter(({ type }) => /approved|denied/.test(type));
    expect(decided).toMatchObject([
      { type: "payment.approved", data: { amount: "50.00", payment_amount: "70.00" } },
      { type: "payment.denied", data: { amount: "20.00", payment_amount: "70.00" } },
    ]);
  });
});

test("card payments send an event when charged and refunded", async () => {
  const debtor = await aDebtor(app, "stripe");
  await anEndpoint(app, debtor.network, { url });
  const token = await tokenFrom("stripe", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  const { onlinePayments } = await debtor.visitor.call(payByCard, { body });
  const id = onlinePayments[0]?.paymentId ?? 0;
  const theirs = await signedIn(app, "admin", debtor.network);
  await theirs.call(refundPayment, { params: { id }, body: { reason: "Paid twice" } });
  const about = {
    payment_id: id,
    attorney_id: debtor.attorney.id,
    method: "card",
    amount: "50.00",
  };
  expect(await messagesOf(app.db, debtor.network)).toMatchObject([
    { type: "payment.recorded", data: about },
    { type: "payment.approved", data: about },
    { type: "payment.refunded", data: about },
  ]);
});

test("every debit sends an event, those of a billing run in the statement that creates them", async () => {
  const plan = await makePlan(app.db, network);
  const panel = await makePanel(app.db, network, 300);
  const dates = { startDate: "2026-01-31", enrolledOn: "2026-01-30" };
  await makeEnrolments(app.db, panel, plan, dates);
  await listen();
  await runBilling(app.db, network.admin, plainDate("2026-02-28"));
  const charge = { name: "Book", amount: "12.00", due_on: "2026-06-30" };
  await admin.call(createCharge, { body: { ...charge, attorney_ids: [attorney.id] } });
  const told = await messages();
  expect(told).toHaveLength(601);
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(["debit.created"]));
  expect(told[0]?.data).toEqual({
    debit_id: expect.any(Number),
    attorney_id: expect.any(Number),
    enrolment_id: expect.any(Number),
    charge_id: null,
    amount: "50.00",
    due_on: "2026-01-31",
  });
  expect(told.at(-1)?.data).toMatchObject({ attorney_id: attorney.id, amount: "12.00" });
});

describe("people and referrals", () => {
  beforeEach(async () => {
    app.setClock(clock);
  });

  test("a referral and its report send only ids, not the client", async () => {
    await listen();
    const { id } = await admin.call(recordMatter, { body: aClient(attorney.id) });
    await lawyer.call(fileReport, {
      params: { id },
      body: { outcome: "consulted", note: "Jane will sue her neighbour." },
    });
    const next = await makeAttorney(app.db, network);
    await admin.call(referMatter, { params: { id }, body: { attorney_id: next.id, reason: "" } });
    expect(await messages()).toEqual([
      { type: "matter.referred", data: { matter_id: id, attorney_id: attorney.id } },
      {
        type: "report.filed",
        data: {
          report_id: expect.any(Number),
          matter_id: id,
          attorney_id: attorney.id,
          outcome: "consulted",
          filed_on: "2026-06-30",
        },
      },
      { type: "matter.referred", data: { matter_id: id, attorney_id: next.id } },
    ]);
  });

  test("suspensions, reinstatements and vacations send an event, departures do not", async () => {
    await makeMatter(app.db, network, { attorney, dueOn: "2026-01-01" });
    await listen();
    const switchTo = (on: boolean) =>
      admin.call(changeSettings, { body: { suspends_overdue_attorneys: on } });
    await switchTo(true);
    await switchTo(false);
    const paused = { attorney_id: attorney.id, paused_until: "2026-08-01" };
    await admin.call(pauseAttorney, { body: paused });
    await admin.call(pauseAttorney, { body: { ...paused, paused_until: "off" } });
    expect(await messages()).toEqual([
      { type: "attorney.suspended", data: { attorney_id: attorney.id } },
      { type: "attorney.reinstated", data: { attorney_id: attorney.id } },
      { type: "attorney.paused", data: paused },
    ]);
    const leaving = await makeAttorney(app.db, network);
    await sql`update attorneys set suspended_at = now(), suspension_reason = 'Late.'
      where network_id = ${network.id} and id = ${leaving.id}`.execute(app.db);
    const body = { left_on: "2026-06-30", reason: "" };
    await admin.call(recordDeparture, { params: { id: leaving.id }, body });
    expect((await messages()).slice(3)).toEqual([
      { type: "attorney.suspended", data: { attorney_id: leaving.id } },
    ]);
  });
});

test("no event is stored for a network without an active endpoint for it", async () => {
  const other = await makeNetwork(app.db);
  const types = eventTypes.filter((type) => type !== "debit.created");
  await anEndpoint(app, network, { url, types });
  const off = await anEndpoint(app, other, { url });
  await sql`update webhook_endpoints set active = false where id = ${off.id}`.execute(app.db);
  await makeDebit(app.db, network, attorney);
  await makeDebit(app.db, other, await makeAttorney(app.db, other));
  expect(await messages()).toEqual([]);
  expect(await messagesOf(app.db, other)).toEqual([]);
});

test("a change that is rolled back sends no event", async () => {
  await listen();
  const failing = inTransaction(app.db, async (tx) => {
    await makeDebit(tx, network, attorney);
    expect(await messagesOf(tx, network)).toHaveLength(1);
    throw new Error("No.");
  });
  await expect(failing).rejects.toThrow("No.");
  expect(await messages()).toEqual([]);
});
