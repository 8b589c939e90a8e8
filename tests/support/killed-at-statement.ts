import { Temporal } from "temporal-polyfill";
import type { Admin } from "#kit/domain/actor.ts";
import { dayIn } from "#kit/domain/calendar.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import type { PaymentKey } from "#cards/charge/locked-payment.ts";
import { recordOutcome } from "#cards/charge/settlement.ts";
import { recordCardTransaction } from "#cards/contract.ts";
import type { LookUpOutcome } from "#cards/processors/processor.ts";
import { recordManualTransaction } from "#cards/transactions/record-by-hand.ts";
import * as contract from "#payments/checks/contract.ts";
import { recordWholeCheck } from "#payments/checks/record-check.ts";
import { returnWholeCheck } from "#payments/checks/return-check.ts";

/*
 * A process that does one thing with a check or a card payment and is killed once it has sent its statement
 * of a given number: TEST_WORK is the work in JSON, TEST_STATEMENT the number. It prints "done" or the
 * refusal.
 */

interface Work {
  admin: Admin;
  record?: object;
  returned?: { id: number; body: object };
  /** An event of a card payment, entered by hand. */
  byHand?: { id: number; body: object };
  /** The event that its processor reports. */
  found?: { key: PaymentKey; outcome: LookUpOutcome };
}

const work = JSON.parse(process.env["TEST_WORK"] ?? "") as Work;
const fatalStatement = Number(process.env["TEST_STATEMENT"]);
const pool = openPool({ connectionString: process.env["TEST_DATABASE"] ?? "", connections: 1 });
const client = await pool.connect();
const send = client.query.bind(client) as (...args: unknown[]) => unknown;
let sent = -1; // the first one asks for the process id of the connection
client.query = ((...args: unknown[]) => {
  const answer = send(...args);
  if (sent === fatalStatement) setImmediate(() => process.kill(process.pid, "SIGKILL"));
  sent += 1;
  return sent - 1 === fatalStatement ? new Promise(() => undefined) : answer;
}) as typeof client.query;
client.release();

/** No processor is asked. */
const contextOf = (db: Db): CardPaymentContext => ({
  db,
  secret: "",
  publicUrl: "http://localhost:3000",
  sandboxes: null,
  limits: false,
  timeoutMs: 1,
  now: () => Temporal.Now.instant(),
  log: () => undefined,
});

const today = dayIn("UTC", Temporal.Now.instant());
const { admin, record, returned, byHand, found } = work;
try {
  const db = openDatabase(pool);
  if (found) await recordOutcome(contextOf(db), found.key, found.outcome, admin);
  await inTransaction(db, async (tx) => {
    if (byHand)
      await recordManualTransaction(
        tx,
        admin,
        byHand.id,
        recordCardTransaction.body.parse(byHand.body),
      );
    if (record)
      await recordWholeCheck(tx, admin, contract.recordWholeCheck.body.parse(record), today);
    if (returned) {
      const wanted = contract.returnCheck.body.parse(returned.body);
      await returnWholeCheck(tx, admin, { id: returned.id, wanted, today });
    }
  });
  console.log("done");
} catch (problem) {
  if (!(problem instanceof Refusal)) throw problem;
  console.log(problem.message);
}
await pool.end();
