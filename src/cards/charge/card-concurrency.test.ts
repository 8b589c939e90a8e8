import { expect } from "vitest";
import { payByCard } from "#cards/contract.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest();
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

async function tokens(debtor: Debtor, count: number): Promise<string[]> {
  const made = [];
  while (made.length < count)
    made.push(await tokenFrom("anet", { visitor: debtor.visitor, sandboxes, amount: "1.00" }));
  return made;
}

async function payAll(debtor: Debtor, paid: { token: string; amount: string; key?: string }[]) {
  return await Promise.all(
    paid.map(({ token, amount, key }) =>
      debtor.visitor.ask(payByCard, {
        body: {
          payment_hash: { [debtor.debits[0] ?? 0]: amount },
          token,
          ...(key && { idempotency_key: key }),
        },
      }),
    ),
  );
}

const statuses = (replies: { status: number }[]) => replies.map((reply) => reply.status);
const counted = (list: number[], status: number) => list.filter((each) => each === status).length;

const many = inBriefOr(50, 200);

test("many simultaneous card payments on one debit charge no more than its balance", async () => {
  const debtor = await aDebtor(app, "anet", [10_000]);
  const before = sandboxes.anet.totals().capturedCents;
  // All amounts differ, from 4.00 up: some fit, the others are refused.
  const paid = (await tokens(debtor, many)).map((token, index) => ({
    token,
    amount: (4 + index / 25).toFixed(2),
  }));
  const seen = statuses(await payAll(debtor, paid));
  expect(counted(seen, 200) + counted(seen, 409)).toBe(many);
  const { balance, pending } = await standingOf(app.db, debtor.debits[0] ?? 0);
  expect(pending).toBe(0);
  expect(balance).toBeLessThan(400 + 4 * many);
  expect(sandboxes.anet.totals().capturedCents - before).toBe(10_000 - balance);
  expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
});

test("of many simultaneous payments of the whole balance, one is made", async () => {
  const debtor = await aDebtor(app, "anet", [7500]);
  const before = sandboxes.anet.totals().charges;
  const paid = (await tokens(debtor, many)).map((token) => ({ token, amount: "75.00" }));
  const seen = statuses(await payAll(debtor, paid));
  expect([counted(seen, 200), counted(seen, 409)]).toEqual([1, many - 1]);
  expect(sandboxes.anet.totals().charges - before).toBe(1);
});

test("a reopened dialog pays once: another token under the same name returns the first result", async () => {
  const debtor = await aDebtor(app, "anet", [9000]);
  const before = sandboxes.anet.totals().charges;
  const [first = "", second = "", third = ""] = await tokens(debtor, 3);
  const key = "debits 20.00 after payment 0";
  const named = key.replaceAll(" ", "_");
  const replies = await payAll(debtor, [{ token: first, amount: "20.00", key: named }]);
  replies.push(...(await payAll(debtor, [{ token: second, amount: "20.00", key: named }])));
  expect(statuses(replies)).toEqual([200, 200]);
  expect(sandboxes.anet.totals().charges - before).toBe(1);
  const later = await payAll(debtor, [{ token: third, amount: "20.00", key: "after_payment_1" }]);
  expect(statuses(later)).toEqual([200]);
  expect(sandboxes.anet.totals().charges - before).toBe(2);
});

test("while a payment is being made, the same amounts with another token are refused", async () => {
  const debtor = await aDebtor(app, "anet", [9000]);
  const [first = "", second = ""] = await tokens(debtor, 2);
  sandboxes.anet.fail({ call: "charge", kind: "slow", delayMs: 5_000 });
  const underWay = payAll(debtor, [{ token: first, amount: "20.00" }]);
  await expect.poll(() => sandboxes.anet.activeFaults()).toEqual([]); // it is being charged
  expect(statuses(await payAll(debtor, [{ token: second, amount: "20.00" }]))).toEqual([409]);
  expect(statuses(await underWay)).toEqual([200]);
});
