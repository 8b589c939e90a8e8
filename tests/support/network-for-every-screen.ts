import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { cents } from "#kit/domain/money.ts";
import { addFirm } from "#panel/firms/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDeposit } from "#payments/deposits/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { insertOnlinePayment } from "#cards/reconcile/found-charges.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { aCheck, decideCheck } from "#tests/support/check-records.ts";
import { givePassword } from "#tests/support/passwords.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { todayInNewYork } from "#tests/support/today.ts";
import { signedIn } from "#tests/support/visitor.ts";

/**
 * A network with a record for each screen that shows one, and its administrator and attorney, who owes
 * $175.50.
 */
export async function aNetworkForEveryScreen(app: RunningApp) {
  const network = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await givePassword(app.db, (await makeAccount(app.db, network, attorney)).userId);
  await givePassword(app.db, network.admin.userId);
  const admin = await signedIn(app, "admin", network);
  const lawyer = await signedIn(app, attorney, network);
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await makeDebit(app.db, network, attorney, { planName: "Website listing", amountCents: 12_550 });
  const matter = await makeMatter(app.db, network, { attorney, dueOn: "2026-01-01" });
  const paid = await admin.call(payByCheck, {
    body: { payment_hash: { [debit]: "10" }, check_number: "1001" },
  });
  const receipt = paid.checkPayments[0]?.paymentId ?? 0;
  const plan = (await makePlan(app.db, network)).id;
  const hale = { name: "Hale LLP", attorney_ids: [attorney.id] };
  const firm = (await admin.call(addFirm, { body: hale })).id;
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, creditCents: 500 }],
  });
  await decideCheck(app.db, network, check, "approved");
  const deposit = await admin.call(makeDeposit, {
    body: { check_ids: [check], deposited_on: todayInNewYork(), account_name: "Operating" },
  });
  const records = { matter, receipt, plan, firm, check, deposit: deposit.id };
  return { network, attorney, admin, lawyer, records };
}

/** Another network, which takes cards, with a card payment. */
export async function aNetworkWithCardPayment(app: RunningApp) {
  const network = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, network);
  await makeDebit(app.db, network, attorney, { amountCents: cents(5000) });
  await takesCards(app, network, "anet");
  const cardPayment = await aCardPaymentOf(app, network.id, attorney.id);
  return { admin: await signedIn(app, "admin", network), cardPayment };
}

/** A card payment being confirmed, of an attorney's debit in a network that takes cards. Returns its id. */
export async function aCardPaymentOf(
  { db }: Pick<RunningApp, "db">,
  networkId: number,
  attorneyId: number,
): Promise<number> {
  const ofNetwork = (tx: Db, table: "cardProcessors" | "debits") =>
    tx.selectFrom(table).select("id").where("networkId", "=", networkId).limit(1);
  return await inTransaction(db, async (tx) => {
    const account = await ofNetwork(tx, "cardProcessors").executeTakeFirstOrThrow();
    const debit = await ofNetwork(tx, "debits")
      .where("attorneyId", "=", attorneyId)
      .whereRef("balanceCents", ">", "pendingCents")
      .executeTakeFirstOrThrow();
    const of = { networkId, attorneyId };
    const shares = [{ debitId: debit.id, amountCents: cents(1) }];
    const paymentId = await insertOnlinePayment(tx, { ...of, createdBy: null, shares });
    const hashes = { tokenHash: "token", sharesHash: "shares", reference: "0123456789AB" };
    await tx
      .insertInto("cardPayments")
      .values({
        ...of,
        ...hashes,
        paymentId,
        processor: "anet",
        cardProcessorId: account.id,
        nextLookAt: sql<string>`now()`,
      })
      .execute();
    return paymentId;
  });
}
