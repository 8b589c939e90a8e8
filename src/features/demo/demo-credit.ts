import { cents } from "#domain/money.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { recordWholeCheck } from "#features/checks/record-check.ts";
import { chargeAttorneys } from "#features/ledger/charges.ts";
import { spendCredit } from "#features/ledger/credit.ts";
import type { DemoNetwork } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";

/**
 * Credit in every state, and two charges: received with checks, applied to a debit by hand and to a new
 * charge by itself, given back. The first attorney keeps $40.00, and owes nothing more than before.
 */
export async function makeCreditAndCharges(
  tx: Db,
  network: DemoNetwork,
  admin: Admin,
  attorneys: DemoAttorney[],
): Promise<void> {
  const [first, other, late] = [attorneys[0], attorneys[11], attorneys[9]];
  if (!first || !other || !late) return;
  await receiveCredit(tx, network, admin, { attorney: first, dollars: 40 });
  await receiveCredit(tx, network, admin, { attorney: other, dollars: 150 });
  const dueOn = network.today.add({ days: 14 }).toString();
  await chargeAttorneys(tx, admin, {
    attorneyIds: [late.id, other.id],
    name: "Ethics seminar",
    amountCents: cents(60_00),
    dueOn,
    note: "Two hours of continuing education",
  });
  await chargeAttorneys(tx, admin, {
    attorneyIds: [late.id],
    name: "Late fee",
    amountCents: cents(25_00),
    dueOn: network.today.toString(),
    note: "",
  });
  const [oldest] = await tx
    .selectFrom("debits")
    .select("id")
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", other.id)
    .where((is) => is("balanceCents", ">=", cents(35_00)))
    .whereRef("balanceCents", "=", "amountCents")
    .where("pendingCents", "=", cents(0))
    .orderBy("dueOn")
    .orderBy("id")
    .limit(1)
    .execute();
  const attorneyId = other.id;
  if (oldest)
    await spendCredit(tx, admin, {
      attorneyId,
      wanted: { action: "apply", debit_id: oldest.id, amount: cents(35_00) },
    });
  await spendCredit(tx, admin, {
    attorneyId,
    wanted: { action: "give_back", amount: cents(20_00), note: "Our check 512" },
  });
}

/** A check that pays no debit: all of it is kept as the attorney's credit. */
async function receiveCredit(
  tx: Db,
  network: DemoNetwork,
  admin: Admin,
  { attorney, dollars }: { attorney: DemoAttorney; dollars: number },
): Promise<void> {
  const amount = cents(dollars * 100);
  await recordWholeCheck(
    tx,
    admin,
    {
      check_number: `77${attorney.id}`,
      amount,
      received_on: network.today.toString(),
      attorney_id: attorney.id,
      shares: {},
      credits: { [attorney.id]: amount },
      approve: true,
      another_check: false,
      note: "Paid ahead",
    },
    network.today,
  );
}
