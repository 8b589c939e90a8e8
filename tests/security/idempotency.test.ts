import { sql } from "kysely";
import { expect } from "vitest";
import { changeCredit, createCharge } from "#dues/ledger/contract.ts";
import { payByCard, refundPayment } from "#cards/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { addFirm } from "#panel/firms/contract.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { purgeIdempotencyKeys } from "#kit/http/idempotency.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import {
  anAppBesideSandboxes,
  type CardWorld,
  cardRecordsOf,
} from "#tests/interface/card-records.ts";
import { goodRequest, nameOf, recordsOf, renewedRecords } from "#tests/interface/good-requests.ts";
import { admin, app, attorney, lawyer, network, peopleTest } from "#tests/support/app-test.ts";
import { aCredit, creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { moneyDigest } from "#tests/support/money-digest.ts";
import { aProgram, askWithKey } from "#tests/support/program.ts";
import { anotherApp, liftTimeLimits } from "#tests/support/running-app.ts";
import { aSession, type Reply, Visitor } from "#tests/support/visitor.ts";
import { todayInNewYork } from "#tests/support/today.ts";

/* Calls that move money do so once, however often they are sent with the same Idempotency-Key. */

const test = peopleTest(() => anAppBesideSandboxes({ connections: 20, asOwner: true }), {
  network: { permitsMatterEditing: true },
  attorney: {},
  lawyer: true,
});

const world = () => app as CardWorld;
const isReplay = ({ headers }: Reply) => headers["idempotent-replayed"] === "true";
const aKey = () => `key-${Math.random()}`;

test("repeating a call that moves money moves none, and gets the same answer", async () => {
  const program = await aProgram(app, network);
  const ids = await recordsOf(world(), network, attorney);
  const calls = app.server.endpoints.filter(({ endpoint }) => endpoint.movesMoney);
  expect(calls.length).toBeGreaterThan(15);
  for (const { endpoint, isForPrograms } of calls) {
    const fresh = await renewedRecords(world(), network, { owner: attorney, ids, endpoint });
    const caller = isForPrograms ? program : lawyer;
    const asked = goodRequest(endpoint, fresh);
    const key = endpoint.path === payByCard.path ? fresh.cardToken : aKey(); // as its body names it
    const first = await askWithKey(caller, key, endpoint, asked);
    const money = await moneyDigest(app.db, network.id);
    const again = await askWithKey(caller, key, endpoint, asked);
    const said = [nameOf(endpoint), first.status, isReplay(first), again.status, isReplay(again)];
    expect(said).toEqual([nameOf(endpoint), 200, false, 200, true]);
    expect(again.text).toBe(first.text);
    expect([nameOf(endpoint), await moneyDigest(app.db, network.id)]).toEqual([
      nameOf(endpoint),
      money,
    ]);
  }
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});

test("50 repeats at the same time have one effect and get its answer: in one transaction or by one statement", async () => {
  await liftTimeLimits(app);
  const other = await anotherApp(app);
  try {
    await liftTimeLimits(other);
    const debit = await makeDebit(app.db, network, attorney);
    const program = await aProgram(app, network);
    const there = Object.assign(await aProgram(other, network), { token: program.token });
    const check = { payment_hash: { [debit]: "10.00" }, check_number: "4711" };
    const charge = {
      attorney_ids: [attorney.id],
      name: "Fine",
      amount: "7.00",
      due_on: todayInNewYork(),
    };
    for (const [endpoint, body] of [
      [payByCheck, check],
      [createCharge, charge],
    ] as const) {
      const key = aKey();
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          askWithKey(at % 2 === 0 ? program : there, key, endpoint, { body }),
        ),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(replies.filter((reply) => !isReplay(reply)).length).toBe(1);
    }
    expect(await standingOf(app.db, debit)).toMatchObject({ balance: 5000, pending: 1000 });
    const { rows } = await sql<{ made: number }>`
      select count(*)::int as made from charges where network_id = ${network.id}`.execute(app.db);
    expect(rows[0]?.made).toBe(1);
  } finally {
    await other.close();
  }
});

test("50 refunds at the same time with one key refund the card once, and all say so", async () => {
  await liftTimeLimits(app);
  const { cardPayment } = await cardRecordsOf(world(), network, attorney);
  const key = aKey();
  const asked = { params: { id: cardPayment }, body: { reason: "Paid twice" } };
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => askWithKey(admin, key, refundPayment, asked)),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(await refundsOf(cardPayment)).toEqual(["done"]);
});

const refundsOf = async (paymentId: number) =>
  (
    await app.db
      .selectFrom("cardRefunds")
      .select("state")
      .where("networkId", "=", network.id)
      .where("paymentId", "=", paymentId)
      .execute()
  ).map(({ state }) => state);

/** As a process leaves its keys if it is killed before it stores an answer. */
async function forgetAnswers(): Promise<void> {
  await sql`update idempotency_keys set status = null, body = null, lease_ends_at = '-infinity'
    where network_id = ${network.id}`.execute(app.db);
}

test("a process killed before it answers leaves a refund that its repeat finds and does not request again", async () => {
  const { cardPayment } = await cardRecordsOf(world(), network, attorney);
  const key = aKey();
  const asked = { params: { id: cardPayment }, body: { reason: "Paid twice" } };
  const first = await askWithKey(admin, key, refundPayment, asked);
  await forgetAnswers();
  const other = { ...asked, body: { reason: "Another one" } };
  expect((await askWithKey(admin, key, refundPayment, other)).status).toBe(422);
  const again = await askWithKey(admin, key, refundPayment, asked);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(await refundsOf(cardPayment)).toEqual(["done"]);
  expect((await askWithKey(admin, aKey(), refundPayment, asked)).status).toBe(409);
});

test("a refund without a known result is looked up again at each repeat until there is one", async () => {
  const { cardPayment } = await cardRecordsOf(world(), network, attorney);
  const { sandboxes } = world();
  const key = aKey();
  const asked = { params: { id: cardPayment }, body: { reason: "Paid twice" } };
  sandboxes.paypal_payflow_pro.fail({ kind: "500-after", times: 50 });
  const first = await askWithKey(admin, key, refundPayment, asked);
  sandboxes.paypal_payflow_pro.stopFailing();
  expect(first.status).toBe(202);
  const again = await askWithKey(admin, key, refundPayment, asked);
  expect([again.status, isReplay(again)]).toEqual([200, false]);
  expect(isReplay(await askWithKey(admin, key, refundPayment, asked))).toBe(true);
  expect(await refundsOf(cardPayment)).toEqual(["done"]);
});

test("a card payment is found by its key after a crash, and by the reference in its body", async () => {
  const { cardToken } = await cardRecordsOf(world(), network, attorney);
  const debit = await makeDebit(app.db, network, attorney);
  const body = { payment_hash: { [debit]: "5.00" }, token: cardToken };
  const key = aKey();
  const first = await askWithKey(lawyer, key, payByCard, { body });
  await forgetAnswers();
  const again = await askWithKey(lawyer, key, payByCard, { body });
  expect([first.status, again.status]).toEqual([200, 200]);
  const differing = { ...body, idempotency_key: "other" };
  expect((await askWithKey(lawyer, key, payByCard, { body: differing })).errors[0]?.path).toBe(
    "idempotency_key",
  );
  expect(await standingOf(app.db, debit)).toMatchObject({ balance: 4500 });
});

test("if the answer cannot be stored, nothing is done: they are one transaction", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  const body = { payment_hash: { [debit]: "1.00" }, check_number: "13" };
  await sql`create function fail_to_store() returns trigger language plpgsql as
    $$ begin raise exception 'The disk is full.'; end $$`.execute(app.db);
  await sql`create trigger fail before update on idempotency_keys for each row
    when (new.key = 'unlucky') execute function fail_to_store()`.execute(app.db);
  await expect(askWithKey(admin, "unlucky", payByCheck, { body })).rejects.toThrow(/answered 500/);
  expect(await standingOf(app.db, debit)).toMatchObject({ pending: 0 });
  await sql`drop function fail_to_store cascade`.execute(app.db);
  const again = await askWithKey(admin, "unlucky", payByCheck, { body });
  expect([again.status, isReplay(again)]).toEqual([200, false]);
  expect(await standingOf(app.db, debit)).toMatchObject({ pending: 100 });
});

test("the same key with another body or query is refused; at another address it is another key", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  const key = aKey();
  const body = { payment_hash: { [debit]: "1.00" }, check_number: "1" };
  const first = await askWithKey(admin, key, payByCheck, { body });
  const sorted = { check_number: "1", payment_hash: { [debit]: "1.00" } };
  expect((await askWithKey(admin, key, payByCheck, { body: sorted })).text).toBe(first.text);
  const other = await askWithKey(admin, key, payByCheck, { body: { ...body, check_number: "2" } });
  expect(other).toMatchObject({ status: 422 });
  expect(other.message).toMatch(/was used for another request/);
  const credit = await aCredit(app.db, network, attorney.id, 100);
  expect(credit).toBeDefined();
  const spent = { debit_id: debit, amount: "1.00" };
  const asked = { params: { id: attorney.id }, body: { apply: spent } };
  expect((await askWithKey(admin, key, changeCredit, asked)).message).not.toMatch(
    /another request/,
  );
  expect(await standingOf(app.db, debit)).toMatchObject({ pending: 100 });
});

test("nobody gets the answer of another's key: neither a colleague, nor another token, nor an attorney", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  const { cookie, csrf } = await aSession(app, await makeAdmin(app.db, network));
  const colleague = Object.assign(new Visitor(app), { csrf });
  colleague.cookies.set(sessionCookieName(false), cookie);
  const key = aKey();
  const body = { payment_hash: { [debit]: "1.00" }, check_number: "77" };
  expect((await askWithKey(admin, key, payByCheck, { body })).status).toBe(200);
  for (const other of [colleague, lawyer, await aProgram(app, network)]) {
    const reply = await askWithKey(other, key, payByCheck, { body });
    expect([reply.status, isReplay(reply)]).toEqual([409, false]); // already recorded
  }
});

test("a refusal is not stored: the same request may succeed later", async () => {
  const key = aKey();
  const debit = await makeDebit(app.db, network, attorney);
  const check = (check_number: string) => ({
    body: { payment_hash: { [debit]: "50.00" }, check_number },
  });
  const { outstandingPayments } = await admin.call(payByCheck, check("1"));
  expect((await askWithKey(admin, key, payByCheck, check("2"))).status).toBe(409);
  const share = outstandingPayments.flatMap((one) => one.pendingPayments)[0]?.id ?? 0;
  await admin.call(confirmChecks, { body: { statuses: { [share]: "denied" } } });
  expect((await askWithKey(admin, key, payByCheck, check("2"))).status).toBe(200);
});

test("after 24 hours a key is forgotten, whether or not it was deleted", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  const key = aKey();
  const pay = (check_number: string) =>
    askWithKey(admin, key, payByCheck, {
      body: { payment_hash: { [debit]: "1.00" }, check_number },
    });
  const age = (hours: number) =>
    sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})
      where network_id = ${network.id}`.execute(app.db);
  expect((await pay("1")).status).toBe(200);
  await age(23);
  await purgeIdempotencyKeys(app.db);
  expect((await pay("2")).status).toBe(422);
  await age(25);
  expect((await pay("2")).status).toBe(200);
  await age(25);
  await purgeIdempotencyKeys(app.db);
  const left = app.db.selectFrom("idempotencyKeys").select("key");
  expect(await left.where("networkId", "=", network.id).execute()).toEqual([]);
});

test("an invalid key is refused, and a call that moves no money ignores keys", async () => {
  for (const key of ["", " ", "a b", "é", "x".repeat(256)]) {
    const reply = await askWithKey(admin, key, confirmChecks, {
      body: { statuses: { 1: "denied" } },
    });
    expect([key, reply.status, reply.errors[0]?.path]).toEqual([key, 422, "Idempotency-Key"]);
  }
  for (const name of ["One firm", "Another firm"]) {
    const body = { name, billing_email: "", attorney_ids: [] };
    const { status, object } = await askWithKey(admin, "k", addFirm, { body });
    expect([status, object]).toMatchObject([200, { name }]);
  }
  expect(await creditOf(app.db, (await makeAttorney(app.db, network)).id)).toBe(0);
});
