import { type RawBuilder, sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

/* What the database itself refuses, to our own code and to an operator in psql. */

let network: MadeNetwork;
let attorney: MadeAttorney;
let debit: number;

const test = databaseTest({ connections: 2, asOwner: true });
beforeEach(async () => {
  network = await makeNetwork(db);
  attorney = await makeAttorney(db, network);
  debit = await makeDebit(db, network, attorney, { amountCents: 10_000 });
});

/** Why a statement was refused: PostgreSQL's code, and the constraint if any. */
async function reasonOf(statement: RawBuilder<unknown>): Promise<string> {
  try {
    await statement.execute(db);
    return "not refused";
  } catch (problem) {
    const { code, constraint } = problem as { code?: string; constraint?: string };
    return constraint ? `${code} ${constraint}` : `${code}`;
  }
}

/** `restrict_violation`, raised by our own triggers. */
const restricted = "23001";

/** A pending check on the debit. Returns the ids of the payment and its share. */
async function aCheck(amountCents: number, number = "1001", onDebit = debit) {
  return await db.transaction().execute(async (tx) => {
    const { rows: payments } = await sql<{ id: number }>`
      insert into payments (network_id, attorney_id, method, amount_cents, check_number)
      values (${network.id}, ${attorney.id}, 'check', ${amountCents}, ${number}) returning id`.execute(
      tx,
    );
    const paymentId = payments[0]?.id ?? 0;
    const { rows: shares } = await sql<{ id: number }>`
      insert into payment_allocations
        (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
      values (${network.id}, ${attorney.id}, ${paymentId}, ${onDebit}, ${amountCents}, ${number})
      returning id`.execute(tx);
    return { paymentId, shareId: shares[0]?.id ?? 0 };
  });
}

const decide = (shareId: number, status: string) =>
  sql`update payment_allocations set status = ${status}, decided_at = now() where id = ${shareId}`;

describe("a debit", () => {
  test("is charged when created, by one entry of its full amount", async () => {
    const { rows } =
      await sql`select cause, from_account, to_account, amount_cents from entries where debit_id = ${debit}`.execute(
        db,
      );
    const dues = { fromAccount: "dues_income:Panel dues", toAccount: "receivable" };
    expect(rows).toEqual([{ cause: "charge", ...dues, amountCents: 10_000 }]);
    expect(await standingOf(db, debit)).toEqual({ balance: 10_000, pending: 0 });
  });

  test("starts with its full amount owed and nothing pending", async () => {
    const { id } = await db
      .selectFrom("enrolments")
      .select("id")
      .where("attorneyId", "=", attorney.id)
      .executeTakeFirstOrThrow();
    for (const [balance, pending] of [
      [9_999, 0],
      [0, 0],
      [10_000, 1],
    ])
      expect(
        await reasonOf(sql`insert into debits
        (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, pending_cents,
          income_account)
        values (${network.id}, ${attorney.id}, ${id}, 7, '2026-05-01', 10000, ${balance}, ${pending},
          'dues_income:Panel dues')`),
      ).toBe(restricted);
  });

  test.each([
    ["its balance", sql`balance_cents = balance_cents - 1`],
    ["its pending amount", sql`pending_cents = pending_cents + 1`],
    ["its amount", sql`amount_cents = 1`],
    ["its due date", sql`due_on = '2027-01-01'`],
    ["its attorney", sql`attorney_id = attorney_id + 1`],
  ])("never has %s changed by hand", async (_, change) => {
    expect(await reasonOf(sql`update debits set ${change} where id = ${debit}`)).toBe(restricted);
  });

  test("is never deleted or truncated", async () => {
    expect(await reasonOf(sql`delete from debits where id = ${debit}`)).toBe(restricted);
    expect(await reasonOf(sql`truncate debits cascade`)).toBe(restricted);
  });

  test("exists once per period of an enrolment", async () => {
    expect(
      await reasonOf(sql`insert into debits
        (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account)
        select network_id, attorney_id, enrolment_id, period, due_on, amount_cents, amount_cents, income_account
        from debits where id = ${debit}`),
    ).toBe("23505 debits_once_a_period");
  });
});

describe("an entry", () => {
  test("is never changed, deleted or truncated", async () => {
    expect(await reasonOf(sql`update entries set amount_cents = 1 where debit_id = ${debit}`)).toBe(
      restricted,
    );
    expect(await reasonOf(sql`update entries set note = 'x' where debit_id = ${debit}`)).toBe(
      restricted,
    );
    expect(await reasonOf(sql`delete from entries where debit_id = ${debit}`)).toBe(restricted);
    expect(await reasonOf(sql`truncate entries`)).toBe(restricted);
  });

  /** An entry of the debit, on its network's day. */
  const entry = (cause: string, from: string, to: string, amount: number, share?: number) => sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id,
      allocation_id)
    values (${network.id}, ${cause}, ${from}, ${to}, ${amount}, network_day(${network.id}), ${attorney.id}, ${debit},
      ${share ?? null})`;
  const adjustment = (cents: number) =>
    cents > 0
      ? entry("adjustment", "adjustments", "receivable", cents)
      : entry("adjustment", "receivable", "adjustments", -cents);

  test("changes its debit's balance by its amount", async () => {
    await adjustment(-2_500).execute(db);
    await adjustment(100).execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 7_600, pending: 0 });
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test("never takes a balance below zero or below the pending amount", async () => {
    expect(await reasonOf(adjustment(-10_001))).toMatch(/^23514 debits_/);
    await aCheck(4_000);
    expect(await reasonOf(adjustment(-6_001))).toBe("23514 debits_pending_within_balance");
    await adjustment(-6_000).execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 4_000, pending: 4_000 });
  });

  test("charges a debit once, with an amount above zero, between accounts that its cause allows", async () => {
    const dues = "dues_income:Panel dues";
    const charge = (from: string, to: string, amount = 500) => entry("charge", from, to, amount);
    expect(await reasonOf(charge(dues, "receivable"))).toBe("23505 entries_charge");
    expect(await reasonOf(charge(dues, "receivable", -500))).toMatch(/^23514/);
    expect(await reasonOf(charge(dues, "receivable", 0))).toMatch(/^23514/);
    for (const refused of [
      charge("receivable", dues),
      charge("dues_income:", "receivable"),
      charge("adjustments", "receivable"),
      entry("adjustment", "undeposited", "receivable", 500),
      entry("gift", "adjustments", "receivable", 500),
    ])
      expect(await reasonOf(refused)).toMatch(/^23514/);
  });

  test("is never on a closed day", async () => {
    const today = sql`network_day(${network.id})`;
    const change = async (action: "close" | "reopen", through: RawBuilder<unknown>) =>
      await sql`insert into book_closings (network_id, action, through, note, actor_name, balances)
        values (${network.id}, ${action}, ${through}, 'Month end', 'Ada Min',
          case when ${action} = 'close' then '{}'::jsonb end)`.execute(db);
    await change("close", sql`${today} - 1`);
    await adjustment(100).execute(db);
    await change("close", today);
    expect(await reasonOf(adjustment(100))).toBe(`${restricted} entries_closed_day`);
    await change("reopen", sql`null`);
    await adjustment(100).execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 10_200, pending: 0 });
    expect(await reasonOf(sql`update book_closings set through = null`)).toBe(restricted);
    expect(await reasonOf(sql`delete from book_closings`)).toBe(restricted);
  });

  test("of a payment is made only by deciding its share", async () => {
    const { shareId } = await aCheck(4_000);
    const { shareId: approved } = await aCheck(1_000, "1002");
    await decide(approved, "approved").execute(db);
    const paid = (amount: number, share?: number) =>
      entry("payment", "receivable", "undeposited", amount, share);
    for (const refused of [
      paid(4_000, shareId),
      paid(1, shareId),
      paid(1_000, approved),
      entry("reversal", "undeposited", "receivable", 1_000, approved),
      paid(1_000),
    ])
      expect(await reasonOf(refused)).toMatch(/^23/);
    expect(await standingOf(db, debit)).toEqual({ balance: 9_000, pending: 4_000 });
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });
});

test("of credit from a card is reversed only with its payment, never refunded otherwise", async () => {
  const charge = { attorneyId: attorney.id, amountCents: 12_000 };
  const { paymentId } = await aFoundCharge(db, network, charge);
  expect(
    await reasonOf(sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id,
        credit_id)
      select network_id, 'credit_given_back', 'bank', 'credit', 1, network_day(network_id), attorney_id, id
      from credits where payment_id = ${paymentId}`),
  ).toBe(restricted);
});

describe("a share of a payment", () => {
  test("reserves its amount, at most what is owed", async () => {
    await aCheck(6_000);
    expect(await standingOf(db, debit)).toEqual({ balance: 10_000, pending: 6_000 });
    await expect(aCheck(4_001, "1002")).rejects.toMatchObject({
      constraint: "debits_pending_within_balance",
    });
    await aCheck(4_000, "1003");
    expect(await standingOf(db, debit)).toEqual({ balance: 10_000, pending: 10_000 });
  });

  test("approved lowers the balance, denied releases it, refunded restores it", async () => {
    const { shareId } = await aCheck(6_000);
    await decide(shareId, "approved").execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 4_000, pending: 0 });
    const { shareId: second } = await aCheck(1_000, "1002");
    await decide(second, "denied").execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 4_000, pending: 0 });
    await decide(shareId, "refunded").execute(db);
    expect(await standingOf(db, debit)).toEqual({ balance: 10_000, pending: 0 });
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test.each([
    ["pending", "refunded"],
    ["pending", "pending"],
    ["approved", "denied"],
    ["approved", "approved"],
    ["approved", "pending"],
    ["denied", "approved"],
    ["denied", "pending"],
    ["denied", "refunded"],
    ["refunded", "approved"],
    ["refunded", "refunded"],
  ])("never goes from %s to %s", async (from, to) => {
    const { shareId } = await aCheck(1_000);
    if (from === "refunded") await decide(shareId, "approved").execute(db);
    if (from !== "pending") await decide(shareId, from).execute(db);
    const before = await standingOf(db, debit);
    expect(
      await reasonOf(
        to === "pending"
          ? sql`update payment_allocations set status = 'pending', decided_at = null where id = ${shareId}`
          : decide(shareId, to),
      ),
    ).toBe(restricted);
    expect(await standingOf(db, debit)).toEqual(before);
  });

  test.each([
    ["its amount", sql`amount_cents = 999`],
    ["its check number", sql`check_number = '9'`],
    ["its debit", sql`debit_id = debit_id + 1`],
    ["its payment", sql`payment_id = payment_id + 1`],
  ])("never has %s changed, not even when it is decided", async (_, change) => {
    const { shareId } = await aCheck(1_000);
    const wanted = sql`update payment_allocations
      set ${change}, status = 'approved', decided_at = now() where id = ${shareId}`;
    expect(await reasonOf(wanted)).toMatch(/^23(001|503)/);
    expect(await standingOf(db, debit)).toEqual({ balance: 10_000, pending: 1_000 });
  });

  test("starts pending, and is never deleted or truncated", async () => {
    const { paymentId, shareId } = await aCheck(1_000);
    expect(
      await reasonOf(sql`insert into payment_allocations
      (network_id, attorney_id, payment_id, debit_id, amount_cents, status, decided_at)
      values (${network.id}, ${attorney.id}, ${paymentId},
        ${await makeDebit(db, network, attorney)}, 1, 'approved', now())`),
    ).toBe(restricted);
    expect(await reasonOf(sql`delete from payment_allocations where id = ${shareId}`)).toBe(
      restricted,
    );
    expect(await reasonOf(sql`truncate payment_allocations cascade`)).toBe(restricted);
    expect(await reasonOf(sql`truncate payments cascade`)).toBe(restricted);
  });

  test("of one check number is on a debit once, unless denied", async () => {
    const { shareId } = await aCheck(1_000);
    await expect(aCheck(1_000)).rejects.toMatchObject({
      constraint: "payment_allocations_check_once",
    });
    await decide(shareId, "denied").execute(db);
    await aCheck(1_000);
  });
});

describe("a payment", () => {
  test("equals the sum of its shares", async () => {
    const pay = (paid: number, shared: number[]) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ id: number }>`
          insert into payments (network_id, attorney_id, method, amount_cents, check_number)
          values (${network.id}, ${attorney.id}, 'check', ${paid}, '7') returning id`.execute(tx);
        for (const cents of shared)
          await sql`insert into payment_allocations
            (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
            values (${network.id}, ${attorney.id}, ${rows[0]?.id}, ${await makeDebit(tx, network, attorney)},
              ${cents}, '7')`.execute(tx);
      });
    await pay(300, [100, 200]);
    for (const [paid, shared] of [
      [301, [100, 200]],
      [299, [100, 200]],
      [300, []],
    ] as const)
      await expect(pay(paid, [...shared])).rejects.toMatchObject({ code: "23514" });
  });

  test("takes no further share later", async () => {
    const { paymentId } = await aCheck(1_000);
    const other = await makeDebit(db, network, attorney);
    expect(
      await reasonOf(sql`insert into payment_allocations
      (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
      values (${network.id}, ${attorney.id}, ${paymentId}, ${other}, 1, '1001')`),
    ).toMatch(/^23514/);
    expect(await standingOf(db, other)).toMatchObject({ pending: 0 });
  });

  test("is never changed or deleted", async () => {
    const { paymentId } = await aCheck(1_000);
    for (const change of [sql`amount_cents = 1`, sql`check_number = '2'`, sql`method = 'online'`])
      expect(await reasonOf(sql`update payments set ${change} where id = ${paymentId}`)).toBe(
        restricted,
      );
    expect(await reasonOf(sql`delete from payments where id = ${paymentId}`)).toBe(restricted);
  });

  test("has a check number of letters, digits and dashes only if it is a check", async () => {
    for (const [method, number] of [
      ["check", null],
      ["online", "1"],
      ["check", ""],
      ["check", "a b"],
      ["check", "1".repeat(33)],
      ["wire", null],
    ])
      expect(
        await reasonOf(sql`insert into payments (network_id, attorney_id, method, amount_cents, check_number)
          values (${network.id}, ${attorney.id}, ${method}, 1, ${number})`),
      ).toMatch(/^23514/);
  });
});

describe("keys keep networks and attorneys apart", () => {
  test("a debit belongs to its enrolment's attorney, in one network", async () => {
    const colleague = await makeAttorney(db, network);
    const other = await makeNetwork(db);
    const stranger = await makeAttorney(db, other);
    const enrolment = await makeEnrolment(db, attorney, await makePlan(db, network));
    for (const [networkId, attorneyId] of [
      [network.id, colleague.id],
      [network.id, stranger.id],
      [other.id, stranger.id],
      [other.id, attorney.id],
    ])
      expect(
        await reasonOf(sql`insert into debits
          (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account)
          values (${networkId}, ${attorneyId}, ${enrolment}, 0, '2026-01-01', 1, 1, 'dues_income:Panel dues')`),
      ).toMatch(/^23503/);
  });

  test("an enrolment is in a plan of the attorney's own network", async () => {
    const foreignPlan = await makePlan(db, await makeNetwork(db));
    await expect(makeEnrolment(db, attorney, foreignPlan)).rejects.toMatchObject({ code: "23503" });
  });

  test("a share pays a debit of its own attorney", async () => {
    const colleague = await makeAttorney(db, network);
    const theirs = await makeDebit(db, network, colleague);
    await expect(aCheck(100, "1", theirs)).rejects.toMatchObject({ code: "23503" });
    const other = await makeNetwork(db);
    const foreign = await makeDebit(db, other, await makeAttorney(db, other));
    await expect(aCheck(100, "1", foreign)).rejects.toMatchObject({ code: "23503" });
  });

  test("an entry has the network and attorney of its debit", async () => {
    const other = await makeNetwork(db);
    const colleague = await makeAttorney(db, network);
    for (const [networkId, attorneyId] of [
      [other.id, attorney.id],
      [network.id, colleague.id],
    ])
      expect(
        await reasonOf(sql`
          insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id)
          values (${networkId}, 'adjustment', 'adjustments', 'receivable', 1, '2026-05-01', ${attorneyId}, ${debit})`),
      ).toMatch(/^23503/);
  });

  test("an account of an attorney is in the attorney's network", async () => {
    const other = await makeNetwork(db);
    expect(
      await reasonOf(sql`insert into users (network_id, role, attorney_id, name, email)
        values (${other.id}, 'attorney', ${attorney.id}, 'X', 'x@example.test')`),
    ).toMatch(/^23503/);
    expect(
      await reasonOf(sql`insert into users (network_id, role, attorney_id, name, email)
        values (${network.id}, 'admin', ${attorney.id}, 'X', 'y@example.test')`),
    ).toMatch(/^23514/);
  });
});

describe("terms", () => {
  test("of a plan never change, and an archived plan stays archived", async () => {
    const plan = await makePlan(db, network);
    for (const change of [sql`amount_cents = 1`, sql`frequency_in_months = 2`])
      expect(await reasonOf(sql`update plans set ${change} where id = ${plan.id}`)).toBe(
        restricted,
      );
    await sql`update plans set archived_at = now() where id = ${plan.id}`.execute(db);
    expect(await reasonOf(sql`update plans set archived_at = null where id = ${plan.id}`)).toBe(
      restricted,
    );
    expect(await reasonOf(sql`delete from plans where id = ${plan.id}`)).toBe(restricted);
  });

  test("of an enrolment never change, and an ended one stays ended", async () => {
    const enrolment = await makeEnrolment(db, attorney, await makePlan(db, network));
    for (const change of [
      sql`start_date = '2020-01-01'`,
      sql`first_period = 5`,
      sql`bills_immediately = true`,
      sql`enrolled_on = '2020-01-01'`,
    ])
      expect(await reasonOf(sql`update enrolments set ${change} where id = ${enrolment}`)).toBe(
        "23001",
      );
    await sql`update enrolments set archived_at = now() where id = ${enrolment}`.execute(db);
    expect(
      await reasonOf(sql`update enrolments set archived_at = null where id = ${enrolment}`),
    ).toBe(restricted);
    expect(await reasonOf(sql`delete from enrolments where id = ${enrolment}`)).toBe(restricted);
  });
});

describe("the audit trail", () => {
  test("is never changed, deleted or truncated", async () => {
    await sql`insert into audit_entries (network_id, actor_name, action, record_type)
      values (${network.id}, 'A test', 'looked at', 'debit')`.execute(db);
    expect(await reasonOf(sql`update audit_entries set action = 'forgot'`)).toBe(restricted);
    expect(await reasonOf(sql`delete from audit_entries`)).toBe(restricted);
    expect(await reasonOf(sql`truncate audit_entries`)).toBe(restricted);
  });
});
