import { describe, expect } from "vitest";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

const test = appTest({ lawyer: true, connections: 24, network: {}, attorney: {} });
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

const pay = (payer: Visitor, shares: Record<number, string>, checkNumber: string) =>
  payer.ask(payByCheck, { body: { payment_hash: shares, check_number: checkNumber } });

const counted = (replies: { status: number }[]) => ({
  taken: replies.filter((reply) => reply.status === 200).length,
  refused: replies.filter((reply) => reply.status === 409).length,
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a hundred checks at the same time", () => {
  test("on one debit reserve its balance and not a cent more", async () => {
    const debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
    const replies = await Promise.all(
      upTo(100).map((index) => pay(index % 2 ? admin : lawyer, { [debit]: "3.00" }, `${index}`)),
    );
    expect(counted(replies)).toEqual({ taken: 33, refused: 67 });
    expect(await standingOf(app.db, debit)).toEqual({ balance: 10_000, pending: 9_900 });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("on the same two debits do not deadlock", async () => {
    const [one, other] = [
      await makeDebit(app.db, network, attorney, { amountCents: 10_000 }),
      await makeDebit(app.db, network, attorney, { amountCents: 5_000 }),
    ];
    const replies = await Promise.all(
      upTo(100).map((index) => pay(lawyer, { [one]: "1.00", [other]: "1.00" }, `${index}`)),
    );
    expect(counted(replies)).toEqual({ taken: 50, refused: 50 });
    expect(await standingOf(app.db, one)).toEqual({ balance: 10_000, pending: 5_000 });
    expect(await standingOf(app.db, other)).toEqual({ balance: 5_000, pending: 5_000 });
  });

  test("on many overlapping debits reserve exactly what was accepted", async () => {
    const debits = await Promise.all(
      upTo(6).map(() => makeDebit(app.db, network, attorney, { amountCents: 2_000 })),
    );
    const replies = await Promise.all(
      upTo(100).map((index) => {
        const chosen = debits.filter((_, place) => (index * 7 + place * 3) % 4 < 2);
        return pay(lawyer, Object.fromEntries(chosen.map((id) => [id, "1.50"])), `${index}`);
      }),
    );
    const { taken, refused } = counted(replies);
    expect(taken + refused).toBe(100);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
    const { length } = await app.db
      .selectFrom("payments")
      .select("id")
      .where("networkId", "=", network.id)
      .execute();
    expect(length).toBe(taken);
  });
});

describe("checks, decisions and adjustments at the same time", () => {
  test("never leave a balance below zero or different from its entries", async () => {
    const debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
    await Promise.all(upTo(20).map((index) => pay(lawyer, { [debit]: "4.00" }, `first-${index}`)));
    const shares = await app.db
      .selectFrom("paymentAllocations")
      .select("id")
      .where("debitId", "=", debit)
      .execute();
    expect(shares).toHaveLength(20);
    const statuses = await Promise.all([
      ...shares.map(({ id }, index) =>
        admin.ask(confirmChecks, {
          body: { statuses: { [id]: index % 3 === 0 ? "denied" : "approved" } },
        }),
      ),
      ...upTo(20).map((index) => pay(lawyer, { [debit]: "3.00" }, `second-${index}`)),
      ...upTo(20).map((index) =>
        admin.ask(adjustDebit, {
          body: {
            debit_id: debit,
            amount: "2.00",
            direction: index % 2 ? "increase" : "decrease",
          },
        }),
      ),
    ]);
    const { taken, refused } = counted(statuses);
    expect(taken + refused).toBe(60);
    expect(counted(statuses.slice(0, 20))).toEqual({ taken: 20, refused: 0 });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });
});
