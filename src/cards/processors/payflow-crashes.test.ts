import { type KyselyPlugin, sql } from "kysely";
import { expect } from "vitest";
import { type Cents, cents } from "#kit/domain/money.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import { payByCard } from "#cards/charge/card-payments.ts";
import { openPayflowSession } from "#cards/session/card-sessions.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import { cardOf, postToPayflow } from "#tests/support/card-browser.ts";
import { takesCards, cardPaymentContext } from "#tests/support/card-network.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { app } from "#tests/support/app-test.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/*
 * A Payflow payment whose process dies before each of its statements in turn. The payer tries again, and
 * owes more than this payment. Whatever the bank answers, PayPal's charges and the book agree in the end,
 * and the card is charged once.
 */

const test = cardTest();

const name = "paypal_payflow_pro";
const owed = cents(50_00);
class Death extends Error {}

/** A context whose process dies before one of its statements: that one and all later ones never run. */
function mortalTill(statements: number): { context: CardPaymentContext; hasDied: () => boolean } {
  let left = statements;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      left -= 1;
      if (left < 0) throw new Death("The process has died.");
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const context = cardPaymentContext(app, sandboxes);
  return { context: { ...context, db: app.db.withPlugin(plugin) }, hasDied: () => left < 0 };
}

interface Payer {
  actor: AttorneyActor;
  debit: number;
}

async function aPayer(network: MadeNetwork): Promise<Payer> {
  const attorney = await makeAttorney(app.db, network);
  const debit = await makeDebit(app.db, network, attorney, { amountCents: owed });
  await makeDebit(app.db, network, attorney, { amountCents: owed });
  return { actor: await makeAccount(app.db, network, attorney), debit };
}

/** Open a session, charge the card in it and verify it, like the pay dialog. */
async function pay(
  context: CardPaymentContext,
  { actor, debit }: Payer,
  number: string,
): Promise<void> {
  const named = { idempotency_key: `debit-${debit}` };
  const session = await openPayflowSession(context, actor, { amount: owed, ...named });
  await postToPayflow(session, cardOf(name, number));
  const wanted = { payment_hash: { [debit]: owed }, token: session.secureTokenId, ...named };
  await payByCard(context, actor, wanted);
}

/** Run the jobs at every minute that matters, with the merchant's decision in between. */
async function runJobs(decision: "approve" | "decline"): Promise<void> {
  const run = async (laterMinutes: number) => {
    const context = cardPaymentContext(app, sandboxes, { laterMinutes });
    await confirmOpenPayments(context);
    await reconcileSessions(context);
    await lookUpCapturedPayments(context);
  };
  for (const minutes of [1, 3, 22, 34]) await run(minutes);
  for (const { id, state } of sandboxes[name].charges())
    if (state === "held") sandboxes[name].decide(id, decision);
  for (const minutes of [60, 130, 300, 26 * 60]) await run(minutes);
}

/** The amounts PayPal took in an attorney's sessions, and the amounts in the book, in cents. */
async function standingOf({ actor }: Payer): Promise<{ taken: number; booked: number }> {
  const { rows } = await sql<{ references: string[]; booked: Cents }>`
    select array(select reference from card_sessions
        where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}) as references,
      (select coalesce(sum(received_cents), 0)::bigint from card_payments
        where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}) as booked`.execute(
    app.db,
  );
  const { references = [], booked = 0 } = rows[0] ?? {};
  const taken = sandboxes[name]
    .charges()
    .filter(({ reference, state }) => state === "captured" && references.includes(reference ?? ""))
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  return { taken, booked };
}

type Sale = [outcome: string, number: string, decision: "approve" | "decline"];

const differentSales: Sale[] = [
  ["approved", "4111111111111111", "approve"],
  ["held, then accepted", "4000000000000259", "approve"],
  ["answered with an unknown number, then charged", "4000000000003402", "approve"],
  ["declined", "4000000000009995", "approve"],
];
const otherSales: Sale[] = [
  ["held, then declined", "4000000000000259", "decline"],
  ["not screened (127)", "4000000000000127", "approve"],
  ["answered with an unknown number, then not", "4000000000003402", "decline"],
];

test.each(inBriefOr(differentSales, [...differentSales, ...otherSales]))(
  "a sale that is %s is posted once, whenever the process dies",
  async (_outcome, number, decision) => {
    const network = await makeNetwork(app.db);
    await takesCards(app, network, name);
    const payers: Payer[] = [];
    for (let statements = 0, hasDied = true; hasDied; statements += 1) {
      const payer = await aPayer(network);
      payers.push(payer);
      const mortal = mortalTill(statements);
      await pay(mortal.context, payer, number).catch(() => undefined); // death, or a decline
      hasDied = mortal.hasDied();
      await pay(cardPaymentContext(app, sandboxes), payer, number).catch(() => undefined); // pressed again: often refused
    }
    expect(payers.length).toBeGreaterThan(20);
    await runJobs(decision);
    for (const payer of payers) {
      const { taken, booked } = await standingOf(payer);
      expect(booked).toBe(taken);
      expect(taken).toBeLessThanOrEqual(owed);
    }
    const { rows } = await sql`
      select payment_id as id, problem from card_payments
      where network_id = ${network.id} and state = 'processing'
      union all
      select id, 'session' from card_sessions where network_id = ${network.id} and state = 'open'`.execute(
      app.db,
    );
    expect(rows).toEqual([]);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  },
);
