import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { payByCard, refundPayment } from "#cards/contract.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import {
  aBackedUpPostgres,
  aRestoredPostgres,
  installedPostgres,
  type OwnPostgres,
} from "#tests/support/own-postgres.ts";
import { anAppOn, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, Visitor } from "#tests/support/visitor.ts";

/*
 * Events at card processors after the moment to which the database was restored: the processors are not
 * restored with it. `npm run rehearse point-in-time`.
 */

const bin = installedPostgres();
const secret = randomBytes(24).toString("base64url");
const fullAmount = "50.00";

let parent: string;
let sandboxes: Sandboxes;
let postgres: OwnPostgres;
let restored: OwnPostgres;
/** On the server before the restore, and on the restored one. */
let app: RunningApp;
let then: RunningApp;

interface Case {
  /** Charged before the moment, its answer lost; posted after it. */
  inFlight: Debtor;
  /** Paid before the moment, refunded after it. */
  refunded: Debtor & { paymentId: number };
  /** Paid after the moment. */
  later: Debtor & { token: string };
}
const cases = new Map<ProcessorName, Case>();

const appOn = (of: OwnPostgres, name: string) =>
  anAppOn(of.address("live"), {
    secret,
    sandboxes: sandboxes.addresses,
    processorTimeoutMs: 3_000,
    dataDir: join(parent, name),
  });

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-cards-"));
  chmodSync(parent, 0o777);
  sandboxes = await startSandboxes({ port: 0 });
  ({ postgres } = await aBackedUpPostgres(bin, parent, 60));
  postgres.run("createdb", "--maintenance-db", postgres.address("postgres"), "live");
  await migrate(postgres.address("live"));
  app = await appOn(postgres, "files");
  postgres.backRest("backup", "--type=full");
  for (const processor of allProcessors) await payBefore(processor);

  const { rows } = await sql<{ moment: string }>`select clock_timestamp()::text as moment`.execute(
    app.db,
  );
  for (const processor of allProcessors) await payAndRefundAfter(processor);
  await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));
  await restoreTo(rows[0]?.moment ?? "");
}, 600_000);

afterAll(async () => {
  await then?.close();
  await app?.close();
  await sandboxes?.close();
  restored?.stop(join(parent, "restored"));
  postgres?.stop(join(parent, "data"));
  rmSync(parent, { recursive: true, force: true });
}, 120_000);

async function payBefore(processor: ProcessorName): Promise<void> {
  const refunded = await aDebtor(app, processor);
  const { object } = await pay(refunded, await tokenOf(processor, refunded));

  const inFlight = await aDebtor(app, processor);
  const token = await tokenOf(processor, inFlight);
  sandboxes[processor].fail({ call: "charge", kind: "500-after" });
  sandboxes[processor].fail({ call: "lookup", kind: "500-before", chance: 1 });
  expect((await pay(inFlight, token)).status).toBe(202);
  sandboxes[processor].stopFailing();

  const later = await aDebtor(app, processor);
  cases.set(processor, {
    inFlight,
    refunded: { ...refunded, paymentId: object.onlinePayments[0]?.paymentId ?? 0 },
    later: { ...later, token: "" },
  });
}

async function payAndRefundAfter(processor: ProcessorName): Promise<void> {
  const { later, refunded } = caseOf(processor);
  later.token = await tokenOf(processor, later);
  expect((await pay(later, later.token)).status).toBe(200);
  expect((await refund(app, refunded)).status).toBe(200);
}

async function restoreTo(moment: string): Promise<void> {
  postgres.backRest("check"); // which archives all that is written so far
  ({ postgres: restored } = await aRestoredPostgres(bin, parent, { to: moment, name: "restored" }));
  then = await appOn(restored, "files");
}

const caseOf = (processor: ProcessorName): Case => {
  const found = cases.get(processor);
  if (!found) throw new Error(`${processor} was not paid with.`);
  return found;
};

const tokenOf = (processor: ProcessorName, { visitor }: Debtor) =>
  tokenFrom(processor, { visitor, sandboxes, amount: fullAmount });

const pay = ({ visitor, debits }: Debtor, token: string) =>
  visitor.ask(payByCard, { body: { payment_hash: { [debits[0] ?? 0]: fullAmount }, token } });

const refund = async (of: RunningApp, { network, paymentId }: Debtor & { paymentId: number }) =>
  (await signedIn(of, "admin", network)).ask(refundPayment, {
    params: { id: paymentId },
    body: { reason: "Paid twice" },
  });

/** The same person, whose session is older than the moment. */
function onRestoredServer(debtor: Debtor): Debtor {
  const visitor = new Visitor(then);
  for (const [name, value] of debtor.visitor.cookies) visitor.cookies.set(name, value);
  visitor.csrf = debtor.visitor.csrf;
  return { ...debtor, visitor };
}

const owed = async ({ debits }: Debtor) => await standingOf(then.db, debits[0] ?? 0);
const paid = { balance: 0, pending: 0 };
const unpaid = { balance: 5000, pending: 0 };

test("unfinished payments are found at the processor and posted, and no card is charged again", async () => {
  const charges = () => allProcessors.map((name) => sandboxes[name].totals().charges);
  const before = charges();
  const debtors = allProcessors.map((name) => caseOf(name).inFlight);
  for (const debtor of debtors)
    expect(await owed(debtor)).toEqual({ balance: 5000, pending: 5000 });
  await confirmOpenPayments(cardPaymentContext(then, sandboxes, { laterMinutes: 5 }));
  for (const debtor of debtors) {
    expect(await owed(debtor)).toEqual(paid);
    expect(await ledgerOffences(then.db, debtor.network.id)).toEqual([]);
  }
  expect(charges()).toEqual(before);
});

describe.each(allProcessors)("%s:", (processor) => {
  test("a refund made later is requested again, and is made once", async () => {
    const { refunded } = caseOf(processor);
    const before = sandboxes[processor].totals();
    expect(await owed(refunded)).toEqual(paid);
    expect((await refund(then, refunded)).status).toBe(200);
    expect(await owed(refunded)).toEqual(unpaid);
    expect(sandboxes[processor].totals()).toEqual(before);
    expect(await ledgerOffences(then.db, refunded.network.id)).toEqual([]);
  });

  test("a payment made later is known only to the processor; the page it was made on does not charge again", async () => {
    const { later } = caseOf(processor);
    const before = sandboxes[processor].totals();
    await confirmOpenPayments(cardPaymentContext(then, sandboxes, { laterMinutes: 5 }));
    expect(await owed(later)).toEqual(unpaid);
    const { status } = await pay(onRestoredServer(later), later.token);
    expect(sandboxes[processor].totals()).toEqual(before);
    // Stripe returns its first result, which is posted; others refuse a used token.
    const answered = { status, ...(await owed(later)) };
    expect(answered).toEqual(
      processor === "stripe" ? { status: 200, ...paid } : { status: 422, ...unpaid },
    );
    expect(await ledgerOffences(then.db, later.network.id)).toEqual([]);
  });
});
