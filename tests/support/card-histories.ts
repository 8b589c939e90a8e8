import { sql } from "kysely";
import { expect } from "vitest";
import { cents, dollarsText } from "#kit/domain/money.ts";
import { type FaultOrder, seededRandom } from "#sandboxes/faults.ts";
import type { Sandboxes } from "#sandboxes/start.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { payByCard, refundCard } from "#cards/contract.ts";
import { checkAcceptedRefunds } from "#cards/refund/refund-failures.ts";
import { carryOutOpenRefunds } from "#cards/refund/refund-job.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { cardOf, isChargedInBrowser, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  anotherDebtor,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { rounds } from "#tests/support/rounds.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * Random histories: payers pay, press twice, return late or never; administrators refund; merchants void and
 * refund at the processor, and decide payments held for review; every call on the wire may fail in every way.
 * At the end, once the processors have been asked about open payments, their charges and our ledger agree to
 * the cent.
 */

/** A history's server and sandbox. */
export interface World {
  app: RunningApp;
  sandboxes: Sandboxes;
  seed: number;
}

/** The payments of all histories together; each processor has a part of them. */
const payments = Number(process.env["HISTORY_PAYMENTS"] ?? rounds(60, 2000));
const parts: Record<ProcessorName, number> = {
  anet: 0.27,
  lawpay: 0.27,
  stripe: 0.2,
  paypal_payflow_pro: 0.16,
  // Its only way to look a charge up is to list a whole day.
  elavon: 0.1,
};

/** The probability of each fault in each call on the wire; higher ones find bugs that need two faults. */
const faultChance = Number(process.env["HISTORY_FAULTS"] ?? 0.012);

/** As requested, or random: printed, so that a history can be repeated. */
export function chooseSeed(): number {
  const seed = Number(process.env["HISTORY_SEED"] ?? Math.floor(Math.random() * 1e9));
  console.log(`Histories of ${payments} card payments, HISTORY_SEED=${seed}`);
  return seed;
}

/** More would be slower: two processors' time would go into switching between them. */
const payersAtOnce = 8;

const faults: FaultOrder["kind"][] = [
  "drop-before",
  "drop-after",
  "500-before",
  "500-after",
  "503-before",
  "503-after",
  "unsure-before",
  "unsure-after",
  "busy",
  "malformed",
  "truncated",
  "html",
  "bom",
  "hang-before",
  "hang-after",
];

const declinedCards: Record<ProcessorName, string> = {
  anet: "4000000000000002",
  stripe: "4000000000000002",
  lawpay: "4000000000000002",
  elavon: "4000000000009995",
  paypal_payflow_pro: "4000000000000010",
};

/** Held for review; charged and not screened; answered with a code in no table. */
const oddCards: Partial<Record<ProcessorName, string[]>> = {
  paypal_payflow_pro: ["4000000000000259", "4000000000000127", "4000000000003402"],
};

/** Its refund is accepted, and fails at the sandbox's next settlement. */
const failingRefunds: Partial<Record<ProcessorName, string>> = { stripe: "4000000000005126" };

/** Approved in part, whatever amount is requested. */
const partlyApproved: Partial<Record<ProcessorName, string>> = {
  anet: "4000000000001240",
  lawpay: "4000000000001240",
};

interface Story extends World {
  processor: ProcessorName;
  debtor: Debtor;
  admin: Visitor;
  random: () => number;
}

/** Cards of one turn: mostly one that is simply approved. */
function numberFor(processor: ProcessorName, random: () => number): string | undefined {
  const kind = random();
  if (kind < 0.1) return declinedCards[processor];
  const odd = oddCards[processor];
  if (odd) return kind < 0.25 ? odd[Math.floor(random() * odd.length)] : undefined;
  if (kind < 0.4) return failingRefunds[processor];
  return kind < 0.5 ? partlyApproved[processor] : undefined;
}

/**
 * One payer's turn: a payment, sometimes declined, repeated, refunded, or never reported. Returns true if the
 * payer has turns left: while a browser's charge is undecided there is no other.
 */
async function playTurn({ sandboxes, processor, debtor, admin, random }: Story): Promise<boolean> {
  const debit = debtor.debits[Math.floor(random() * debtor.debits.length)] ?? 0;
  // Elavon's demo answers by the cents: whole dollars are approved.
  const amount = dollarsText(cents(100 * (1 + Math.floor(random() * 40))));
  const number = numberFor(processor, random);
  const token = await tokenOrNot(sandboxes, processor, debtor, amount, number);
  if (token === null || random() < 0.05) return !isChargedInBrowser(processor); // the browser never returns
  const body = { payment_hash: { [debit]: amount }, token };
  const pay = () => debtor.visitor.ask(payByCard, { body });
  const replies = await Promise.all(random() < 0.15 ? [pay(), pay()] : [pay()]);
  if (random() < 0.1) replies.push(await pay());
  for (const { status } of replies) expect([200, 202, 409, 422]).toContain(status);
  const paid = replies.at(-1)?.object?.onlinePayments[0];
  if (!paid || random() > 0.15) return true;
  const asked = { params: { id: paid.paymentId }, body: { reason: "A random change of mind" } };
  expect([200, 202, 409, 422]).toContain((await admin.ask(refundCard, asked)).status);
  return true;
}

/** Null if the fault came before there was a token, or the session was refused. */
async function tokenOrNot(
  sandboxes: Sandboxes,
  processor: ProcessorName,
  debtor: Debtor,
  amount: string,
  number: string | undefined,
): Promise<string | null> {
  try {
    const shown = { visitor: debtor.visitor, sandboxes, amount, card: cardOf(processor, number) };
    return await tokenFrom(processor, { ...shown, givesUpAfterMs: 2_000 });
  } catch {
    return null; // as a browser shows it: the payment failed
  }
}

/** One sale in twenty fails when its batch is settled, at processors that support it. */
function settleSome({ sandboxes }: World, name: ProcessorName, random: () => number): void {
  const due = sandboxes[name].charges().filter(({ state }) => state === "captured");
  sandboxes[name].settle(due.filter(() => random() < 0.05).map(({ id }) => id));
}

/** One sale in twenty is voided before its batch is settled. */
function voidSome({ sandboxes }: World, name: ProcessorName, random: () => number): void {
  const open = sandboxes[name].charges().filter(({ state }) => state === "captured");
  for (const { id } of open) if (random() < 0.05) sandboxes[name].voidAtProcessor(id);
}

/**
 * One settled sale in ten is refunded at the processor, half of them in part, if the processor reports that.
 */
function refundSome({ sandboxes }: World, name: ProcessorName, random: () => number): void {
  if (name === "paypal_payflow_pro") return;
  for (const { id, state, amountCents, refundedCents } of sandboxes[name].charges()) {
    const left = amountCents - refundedCents;
    if (state !== "settled" || left <= 0 || random() > 0.1) continue;
    sandboxes[name].refundAtProcessor(id, random() < 0.5 ? left : Math.ceil(left * random()));
  }
}

/** The merchant accepts or declines all or some held payments. */
function decideHeld(
  { sandboxes }: World,
  name: ProcessorName,
  random: () => number,
  share: number,
): void {
  for (const { id, state } of sandboxes[name].charges())
    if (state === "held" && random() < share)
      sandboxes[name].decide(id, random() < 0.6 ? "approve" : "decline");
}

/** Ask about open payments, as the jobs do in the days after, until none is left. */
async function runJobsUntilSettled(
  world: World,
  name: ProcessorName,
  networkId: number,
  random: () => number,
): Promise<void> {
  const { app, sandboxes } = world;
  const run = async (laterMinutes: number) => {
    const context = { ...cardPaymentContext(app, sandboxes, { laterMinutes }), timeoutMs: 5000 };
    await confirmOpenPayments(context);
    await reconcileSessions(context);
    await carryOutOpenRefunds(context);
    await checkAcceptedRefunds(context);
    await lookUpCapturedPayments(context);
  };
  sandboxes[name].stopFailing();
  voidSome(world, name, random);
  settleSome(world, name, random);
  for (const laterMinutes of [1, 5, 17]) await run(laterMinutes);
  decideHeld(world, name, random, 1);
  for (const laterMinutes of [25, 45, 90, 200, 26 * 60]) await run(laterMinutes);
  voidSome(world, name, random);
  settleSome(world, name, random); // what failed before may succeed now
  refundSome(world, name, random);
  await run(52 * 60);
  refundSome(world, name, random);
  await run(11 * 24 * 60); // no more sales succeed
  const { rows } = await sql<{ open: string }>`
    select 'payment ' || payment_id || ': ' || coalesce(problem, '') as open from card_payments
    where network_id = ${networkId} and state = 'processing'
    union all
    select 'refund ' || id || ': ' || coalesce(problem, '') from card_refunds
    where network_id = ${networkId} and state = 'requested'
    union all
    select 'session ' || id from card_sessions where network_id = ${networkId} and state = 'open'`.execute(
    app.db,
  );
  expect(rows).toEqual([]);
}

/**
 * Differences between our ledger and the processor, by transaction id: the amount still charged, in cents.
 */
async function differences({ app, sandboxes }: World, name: ProcessorName, networkId: number) {
  const { rows } = await sql<{ id: string; taken: number }>`
    select transaction_id as id, sum(received_cents)::bigint as taken from card_payments
    where network_id = ${networkId} and transaction_id is not null
    group by transaction_id`.execute(app.db);
  const ours = new Map(rows.map(({ id, taken }) => [id, taken]));
  const theirs = sandboxes[name].charges();
  const taken = (charge: (typeof theirs)[number]) =>
    /^(captured|settled)$/.test(charge.state) ? charge.amountCents - charge.refundedCents : 0;
  const known = new Set(theirs.map((charge) => charge.id));
  return [
    ...theirs.filter((charge) => taken(charge) !== (ours.get(charge.id) ?? 0)),
    ...rows.filter(({ id, taken: cents }) => cents !== 0 && !known.has(id)),
  ];
}

async function countPayments({ app }: World, networkId: number): Promise<number> {
  const { rows } = await sql<{ made: number }>`
    select count(*) as made from card_payments where network_id = ${networkId}`.execute(app.db);
  return rows[0]?.made ?? 0;
}

const owed = [100_000, 50_000];

/** Play a processor's part of the histories, then check that its charges and our ledger agree. */
export async function liveThrough(world: World, processor: ProcessorName): Promise<void> {
  const { app, sandboxes, seed } = world;
  const random = seededRandom(seed + allProcessors.indexOf(processor));
  const { network } = await aDebtor(app, processor, []);
  const admin = await signedIn(app, "admin", network);
  const quota = Math.ceil(payments * parts[processor]);
  for (const kind of faults) {
    const isSlow = kind.startsWith("hang");
    sandboxes[processor].fail({ kind, chance: isSlow ? 0.002 : faultChance });
  }
  const onePayerAfterAnother = async () => {
    while ((await countPayments(world, network.id)) < quota) {
      const debtor = { network, ...(await anotherDebtor(app, network, owed)) };
      for (let turns = 0; turns < 10; turns += 1)
        if (!(await playTurn({ ...world, processor, debtor, admin, random }))) break;
      decideHeld(world, processor, random, 0.2);
      if (random() < 0.1) voidSome(world, processor, random);
      if (random() < 0.1) settleSome(world, processor, random);
    }
  };
  await Promise.all(Array.from({ length: payersAtOnce }, onePayerAfterAnother));
  await runJobsUntilSettled(world, processor, network.id, random);
  expect(await differences(world, processor, network.id)).toEqual([]);
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
}
