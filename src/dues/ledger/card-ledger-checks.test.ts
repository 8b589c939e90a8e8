import { type RawBuilder, sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import { aFoundCharge, happened } from "#tests/support/found-charges.ts";

let network: MadeNetwork;
let attorney: MadeAttorney;
let paymentId: number;
let shareId: number;

const test = databaseTest({ asOwner: true });

/** A network with a debit of $50.00, for which a card was charged $60.00, of which $15.00 was refunded. */
beforeEach(async () => {
  network = await makeNetwork(db);
  attorney = await makeAttorney(db, network);
  await makeDebit(db, network, attorney);
  const charge = { attorneyId: attorney.id, processor: "elavon", amountCents: 6000 } as const;
  const payment = await aFoundCharge(db, network, charge);
  await happened(db, payment, "refund", 1500);
  paymentId = payment.paymentId;
  const share = await db
    .selectFrom("paymentAllocations")
    .select("id")
    .where("paymentId", "=", paymentId)
    .executeTakeFirstOrThrow();
  shareId = share.id;
});

async function found(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(db, network.id);
  const wrong = results.filter(({ offenders }) => offenders > 0);
  return Object.fromEntries(
    wrong.map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

/** Write with every trigger and index disabled, as an operator in psql could. */
async function damage(...statements: RawBuilder<unknown>[]): Promise<void> {
  const tables = [
    "card_payments",
    "card_transactions",
    "card_refunds",
    "payments",
    "payment_allocations",
    "debits",
    "entries",
  ];
  const turn = (which: string) =>
    tables.map((table) => `alter table ${table} ${which} trigger user`).join("; ");
  await inTransaction(db, async (tx) => {
    await sql.raw(turn("disable")).execute(tx);
    for (const statement of statements) await statement.execute(tx);
    await sql.raw(turn("enable")).execute(tx);
  });
}

test("finds nothing wrong with a card payment that the product wrote", async () => {
  expect(await found()).toEqual({});
});

const ofPayment = () => sql`network_id = ${network.id} and payment_id = ${paymentId}`;
const summary = (state: string, received: string, transactions: string, entries: string) =>
  `card payment ${paymentId} of 60.00, ${state}: received ${received}, by its transactions ${transactions}, by its entries ${entries}`;
const kindsOf = (changes: Record<string, string>) => {
  const { first, again, gone, back, entries, won } = { ...asMade, ...changes };
  return `card payment ${paymentId} of 60.00: first charged ${first}, charged again ${again}, refunded or failed ${gone}, charged back ${back}, by its entries ${entries}, won ${won}`;
};
const asMade = {
  first: "60.00",
  again: "0.00",
  gone: "15.00",
  back: "0.00",
  entries: "0.00",
  won: "0.00",
};
const cash = (expected: string, kept = "45.00") => [
  `clearing:elavon: ${kept} by the entries, ${expected} by checks, deposits and cards`,
];

test.each<[what: string, fault: () => RawBuilder<unknown>[], named: () => object]>([
  [
    "a card payment without a processor record",
    () => [
      sql`delete from card_transactions where ${ofPayment()}`,
      sql`delete from card_payments where ${ofPayment()}`,
    ],
    () => ({ cards: [`card payment ${paymentId}: no processor was asked`], cash: cash("0.00") }),
  ],
  [
    "a declined card payment with approved shares",
    () => [
      sql`delete from card_transactions where ${ofPayment()}`,
      sql`update card_payments set state = 'declined', received_cents = 0 where ${ofPayment()}`,
    ],
    () => ({
      cards: [`card payment ${paymentId}: declined, transaction T1, shares approved`],
      cash: cash("0.00"),
      transactions: [summary("declined", "0.00", "0.00", "45.00")],
    }),
  ],
  [
    "a state that its transactions contradict",
    () => [
      sql`update card_payments set state = 'refunded', refunded_at = now() where ${ofPayment()}`,
    ],
    () => ({ transactions: [summary("refunded", "45.00", "45.00", "45.00")] }),
  ],
  [
    "a deleted transaction",
    () => [sql`delete from card_transactions where ${ofPayment()} and kind = 'refund'`],
    () => ({ transactions: [summary("captured", "45.00", "60.00", "45.00")] }),
  ],
  [
    "a transaction without its entries",
    () => [
      sql`insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by)
        values (${network.id}, ${paymentId}, 'chargeback', 100, '2026-01-01', 'hand')`,
      sql`update card_payments set received_cents = received_cents - 100 where ${ofPayment()}`,
    ],
    () => ({
      transactions: [summary("captured", "44.00", "44.00", "45.00")],
      "kinds of transactions": [kindsOf({ back: "1.00" })],
      cash: cash("44.00"),
    }),
  ],
  [
    "an entry of a share without a transaction",
    () => [
      sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id,
          allocation_id)
        select network_id, 'reversal', 'clearing:elavon', 'receivable', 100, network_day(network_id), attorney_id, debit_id, id
        from payment_allocations where ${ofPayment()}`,
      sql`update debits set balance_cents = balance_cents + 100 where network_id = ${network.id}`,
    ],
    () => ({
      shares: [expect.stringContaining(`share ${shareId}`)],
      transactions: [summary("captured", "45.00", "45.00", "44.00")],
      cash: cash("45.00", "44.00"),
    }),
  ],
  [
    "a share reversed by another amount than its entries",
    () => [sql`update payment_allocations set taken_back_cents = 700 where ${ofPayment()}`],
    () => ({ shares: [expect.stringContaining(`share ${shareId}`)] }),
  ],
  [
    "money at another processor than the payment's",
    () => [
      sql`update entries set to_account = 'clearing:stripe' where network_id = ${network.id} and cause = 'payment'`,
    ],
    () => ({
      transactions: [summary("captured", "45.00", "45.00", "-5.00")],
      cash: expect.arrayContaining([
        "clearing:elavon: -5.00 by the entries, 45.00 by checks, deposits and cards",
        "clearing:stripe: 50.00 by the entries, 0.00 by checks, deposits and cards",
      ]),
    }),
  ],
  [
    "a finished refund without a transaction",
    () => [
      sql`delete from card_transactions where ${ofPayment()} and kind = 'refund'`,
      sql`update card_payments set received_cents = 6000 where ${ofPayment()}`,
      sql`insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id, reference,
          amount_cents, reason, requested_by_name, state, kind, settled_at)
        select network_id, processor, card_processor_id, transaction_id, payment_id, 'ABCDEFGHJK02', 1500, 'Twice',
          'Ada', 'done', 'refunded', now() from card_payments where ${ofPayment()}`,
    ],
    () => ({
      transactions: expect.arrayContaining([
        summary("captured", "60.00", "60.00", "45.00"),
        expect.stringMatching(/^refund \d+ of payment \d+ is done but has no transaction$/),
      ]),
      cash: cash("60.00"),
    }),
  ],
  [
    "a refund with another amount than its transaction",
    () => [
      sql`insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id, reference,
          amount_cents, reason, requested_by_name, state, kind, settled_at)
        select network_id, processor, card_processor_id, transaction_id, payment_id, 'ABCDEFGHJK02', 1600, 'Too much',
          'Ada', 'done', 'refunded', now() from card_payments where ${ofPayment()}`,
      sql`update card_transactions t set refund_id = r.id from card_refunds r
        where t.network_id = r.network_id and t.payment_id = r.payment_id and t.kind = 'refund'
          and r.network_id = ${network.id}`,
    ],
    () => ({
      transactions: [
        expect.stringMatching(/^transaction \d+ of payment \d+ is 15\.00 of a refund of 16\.00$/),
      ],
    }),
  ],
  [
    "one of two refunds made here without a transaction",
    () => [
      sql`insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id, reference,
          amount_cents, reason, requested_by_name, state, kind, settled_at)
        select network_id, processor, card_processor_id, transaction_id, payment_id, one.reference, 1500, 'Twice',
          'Ada', 'done', 'refunded', now()
        from card_payments, (values ('ABCDEFGHJK02'), ('ABCDEFGHJK03')) as one (reference) where ${ofPayment()}`,
      sql`update card_transactions t set done_by = 'here',
          refund_id = (select max(id) from card_refunds where network_id = ${network.id})
        where ${ofPayment()} and kind = 'refund'`,
    ],
    () => ({
      transactions: [
        expect.stringMatching(/^refund \d+ of payment \d+ is done but has no transaction$/),
      ],
    }),
  ],
  [
    "a transaction of a refund that is still requested",
    () => [
      sql`insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id, reference,
          amount_cents, reason, requested_by_name, next_look_at)
        select network_id, processor, card_processor_id, transaction_id, payment_id, 'ABCDEFGHJK02', 1500, 'Again',
          'Ada', now() from card_payments where ${ofPayment()}`,
      sql`update card_transactions t set refund_id = (select max(id) from card_refunds where network_id = ${network.id})
        where ${ofPayment()} and kind = 'refund'`,
    ],
    () => ({
      transactions: [
        expect.stringMatching(
          /^transaction \d+ of payment \d+ is a refund by refund \d+ of payment \d+, which is requested$/,
        ),
      ],
    }),
  ],
  [
    "a refund recorded as a chargeback",
    () => [
      sql`update card_transactions set kind = 'chargeback' where ${ofPayment()} and kind = 'refund'`,
    ],
    () => ({
      "kinds of transactions": [kindsOf({ gone: "0.00", back: "15.00" })],
    }),
  ],
  [
    "a purchase and a refund that are both too large",
    () => [
      sql`update card_transactions set amount_cents = amount_cents + 500 where ${ofPayment()}`,
    ],
    () => ({ "kinds of transactions": [kindsOf({ first: "65.00", gone: "20.00" })] }),
  ],
  [
    "more won back than was charged back",
    () => [
      sql`update card_transactions set amount_cents = 2000 where ${ofPayment()} and kind = 'refund'`,
      sql`insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by)
        values (${network.id}, ${paymentId}, 'chargeback_reversed', 500, '2026-01-01', 'hand')`,
    ],
    () => ({ "kinds of transactions": [kindsOf({ gone: "20.00", won: "5.00" })] }),
  ],
  [
    "a share reversed for another reason than its entry says",
    () => [
      sql`update payment_allocations set status = 'refunded', taken_back_cents = 0 where ${ofPayment()}`,
      sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id,
          allocation_id, note)
        select network_id, 'reversal', 'clearing:elavon', 'receivable', 4500, network_day(network_id), attorney_id,
          debit_id, id, 'failed'
        from payment_allocations where ${ofPayment()}`,
      sql`update debits set balance_cents = 5000 where network_id = ${network.id}`,
      sql`insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by)
        values (${network.id}, ${paymentId}, 'refund', 4500, '2026-01-01', 'hand')`,
      sql`update card_payments set received_cents = 0, state = 'refunded', refunded_at = now() where ${ofPayment()}`,
    ],
    () => ({
      shares: [`share ${shareId} of 50.00, refunded: its last reversal says "failed"`],
    }),
  ],
  [
    "a processor refund on two payments",
    () => [
      sql`insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by, processor_id)
        select c.network_id, c.payment_id, one.kind, 100, '2026-01-01', 'processor', 'R1'
        from card_payments c cross join (values ('refund'), ('purchase')) as one (kind) where c.network_id = ${network.id}`,
    ],
    () => ({ transactions: [expect.stringMatching(/^elavon refund R1: payments \d+, \d+$/)] }),
  ],
  [
    "a card of another attorney than its payment",
    () => [
      sql`alter table card_payments drop constraint card_payments_network_id_attorney_id_payment_id_fkey`,
      sql`update card_payments set attorney_id = ${attorney.id + 1} where ${ofPayment()}`,
    ],
    () => ({
      cards: [`card payment ${paymentId}: of attorney ${attorney.id + 1}, paid for ${attorney.id}`],
    }),
  ],
  [
    "a processor transaction on two payments",
    () => [
      sql`drop index card_payments_transaction`,
      sql`update card_payments set transaction_id = 'T1' where network_id = ${network.id}`,
    ],
    () => ({ transactions: [expect.stringMatching(/^elavon transaction T1: payments \d+, \d+$/)] }),
  ],
])("finds %s", async (what, fault, named) => {
  if (what.endsWith("two payments")) {
    const other = { attorneyId: attorney.id, processor: "elavon", amountCents: 100 } as const;
    await aFoundCharge(db, network, { ...other, transactionId: "T2" });
  }
  await damage(...fault());
  expect(await found()).toEqual(named());
});

test("a card payment needs a processor record, and its share cannot be decided by hand", async () => {
  const made = db
    .insertInto("payments")
    .values({
      networkId: network.id,
      attorneyId: attorney.id,
      method: "online",
      amountCents: cents(100),
      checkNumber: null,
      createdBy: null,
    })
    .execute();
  await expect(made).rejects.toThrow(/made with its processor/);
  const decided = sql`update payment_allocations set status = 'refunded', taken_back_cents = 0
    where payment_id = ${paymentId}`;
  await expect(decided.execute(db)).rejects.toThrow(/its transactions and its entries/);
});

test("a charge found twice is posted once", async () => {
  const again = db
    .updateTable("cardPayments")
    .set({ transactionId: "T2" })
    .where("paymentId", "=", paymentId)
    .execute();
  await expect(again).rejects.toThrow(/keeps its transaction/);
});
