import { sql } from "kysely";
import { afterEach, describe, expect } from "vitest";
import { centsFromDollars, dollarsText, sum, zero } from "#kit/domain/money.ts";
import { payByCard } from "#cards/contract.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { type ProcessorName } from "#cards/shapes.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { cardOf, isChargedInBrowser, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest({ processorTimeoutMs: 3_000 });
afterEach(() => {
  for (const name of allProcessors) sandboxes[name].stopFailing();
});

/** The call in which our server learns that the card was charged. */
const lostCall = (processor: ProcessorName) =>
  isChargedInBrowser(processor) ? "lookup" : "charge";
const declinedCard = (processor: ProcessorName) =>
  processor === "elavon" ? "4000000000009995" : "4000000000000002";

describe.each(allProcessors)("%s", (processor) => {
  /** Pay amounts in dollars, in the order of the debtor's debits, with a new token. */
  async function pay(debtor: Debtor, amounts: string[], number?: string) {
    const token = await tokenFrom(processor, {
      visitor: debtor.visitor,
      sandboxes,
      amount: dollarsText(sum(amounts.map((amount) => centsFromDollars(amount) ?? zero))),
      card: cardOf(processor, number),
    });
    return await send(debtor, amounts, token);
  }

  async function send(debtor: Debtor, amounts: string[], token: string) {
    const hash = Object.fromEntries(amounts.map((amount, index) => [debtor.debits[index], amount]));
    return await debtor.visitor.ask(payByCard, { body: { payment_hash: hash, token } });
  }

  const chargesOf = async (debtor: Debtor) => {
    const { rows } = await sql<{ reference: string }>`
      select coalesce(s.reference, c.reference) as reference from card_payments c
      left join card_sessions s on s.network_id = c.network_id and s.id = c.session_id
        and s.amount_cents is not null
      where c.network_id = ${debtor.network.id}`.execute(app.db);
    const ours = new Set(rows.map((row) => row.reference));
    return sandboxes[processor].charges().filter((charge) => ours.has(charge.reference ?? ""));
  };

  /** Activity's actions on payments and who did them, oldest first. */
  const activityOf = async (debtor: Debtor) => {
    const entries = await app.db
      .selectFrom("auditEntries")
      .select(["action", "actorName"])
      .where("networkId", "=", debtor.network.id)
      .where("recordType", "=", "payment")
      .orderBy("id")
      .execute();
    return entries.map(({ action, actorName }) => [action, actorName]);
  };

  test("unusual names of people and networks are accepted", async () => {
    const debtor = await aDebtor(app, processor);
    const odd = `Zoë "Bo" <王> & Söhne = [5]; ${"😀".repeat(60)}`;
    await app.db
      .updateTable("attorneys")
      .set({ firstName: odd, lastName: `x${odd}`, addressLine1: odd, addressZip: "10013-2413" })
      .where("networkId", "=", debtor.network.id)
      .execute();
    await sql`update networks set name = ${odd} where id = ${debtor.network.id}`.execute(app.db);
    expect((await pay(debtor, ["50.00"])).status).toBe(200);
  });

  test("two debits are paid by one charge", async () => {
    const debtor = await aDebtor(app, processor);
    const reply = await pay(debtor, ["50.00", "10.00"]);
    expect([reply.status, reply.message]).toEqual([200, null]);
    expect(reply.object.onlinePayments).toMatchObject([
      { quantity: "10.00", status: "paid" },
      { quantity: "50.00", status: "paid" },
    ]);
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 0, pending: 0 });
    expect(await standingOf(app.db, debtor.debits[1] ?? 0)).toEqual({ balance: 2000, pending: 0 });
    expect(await chargesOf(debtor)).toMatchObject([{ amountCents: 6000, state: "captured" }]);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test("a declined card is reported as declined, and its reserved amounts are released", async () => {
    const debtor = await aDebtor(app, processor);
    const reply = await pay(debtor, ["50.00"], declinedCard(processor));
    expect(reply.status).toBe(422);
    expect(reply.message).toMatch(/declined/i);
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 5000, pending: 0 });
    const again = await pay(debtor, ["50.00"]);
    expect(again.status).toBe(200);
    const payer = `${debtor.attorney.firstName} ${debtor.attorney.lastName}`;
    expect(await activityOf(debtor)).toEqual([
      ["began card payment", payer],
      ["declined card payment", processorLabels[processor]],
      ["began card payment", payer],
      ["captured card payment", processorLabels[processor]],
    ]);
  });

  test("the same token again returns the first result and charges nothing", async () => {
    const debtor = await aDebtor(app, processor);
    const token = await tokenFrom(processor, {
      visitor: debtor.visitor,
      sandboxes,
      amount: "50.00",
    });
    const replies = await Promise.all([1, 2, 3].map(() => send(debtor, ["50.00"], token)));
    expect(
      replies.map((reply) => reply.status).filter((status) => status === 200 || status === 202),
    ).toHaveLength(3);
    const later = await send(debtor, ["50.00"], token);
    expect(later.status).toBe(200);
    expect(await chargesOf(debtor)).toHaveLength(1);
  });

  test.each(["drop-after", "500-after", "malformed", "hang-after", "truncated", "html"] as const)(
    "a charge whose answer was lost by %s is confirmed by a lookup, and made once",
    async (kind) => {
      const debtor = await aDebtor(app, processor);
      const token = await tokenFrom(processor, {
        visitor: debtor.visitor,
        sandboxes,
        amount: "50.00",
      });
      // Twice: Stripe's SDK retries when a connection is lost, and Elavon needs two calls.
      sandboxes[processor].fail({ call: lostCall(processor), kind, times: 2 });
      const reply = await send(debtor, ["50.00"], token);
      expect(reply.status).toBe(202);
      expect(reply.message).toMatch(/being confirmed/);
      expect(reply.object.onlinePayments).toMatchObject([{ status: "processing" }]);
      sandboxes[processor].stopFailing();
      await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
      expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 0, pending: 0 });
      expect(await chargesOf(debtor)).toMatchObject([{ amountCents: 5000, state: "captured" }]);
    },
  );

  test.each(["drop-before", "500-before", "503-before"] as const)(
    "a charge prevented by %s is given up only when it must have been listed",
    async (kind) => {
      const debtor = await aDebtor(app, processor);
      const token = await tokenFrom(processor, {
        visitor: debtor.visitor,
        sandboxes,
        amount: "50.00",
      });
      if (isChargedInBrowser(processor)) return; // the browser charged it before our server called
      sandboxes[processor].fail({ call: "charge", kind, times: kind === "drop-before" ? 2 : 1 });
      expect((await send(debtor, ["50.00"], token)).status).toBe(202);
      sandboxes[processor].stopFailing();
      for (const laterMinutes of [1, 2]) {
        await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes }));
        expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({
          balance: 5000,
          pending: 5000,
        });
      }
      await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 30 }));
      expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({
        balance: 5000,
        pending: 0,
      });
      expect(await chargesOf(debtor)).toEqual([]);
    },
  );
});
