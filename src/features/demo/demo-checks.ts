import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "#db/database.ts";
import { recordWholeCheck } from "#features/checks/record-check.ts";
import * as contract from "#features/checks/contract.ts";
import { decideWholeChecks } from "#features/checks/decide-checks.ts";
import { returnWholeCheck } from "#features/checks/return-check.ts";
import type { DemoNetwork } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";

/**
 * Checks at the money desk, one in each state, beside those that attorneys recorded themselves: with credit and
 * approved, waiting, denied, and returned by the bank with a fee. Each is of an attorney of its own.
 */
export async function makeDemoChecks(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const doer = { networkId: network.id, userId: network.admin.userId, name: "Dana Whitfield" };
  const { today } = network;
  const daysAgo = (days: number) => today.subtract({ days }).toString();
  const record = async (place: number, check_number: string, days: number, approve = false) => {
    const attorneyId = attorneys[place]?.id ?? 0;
    const owed = await oldestOwed(tx, network, attorneyId);
    const wanted = contract.recordWholeCheck.body.parse({
      check_number,
      amount: (owed.reduce((sum, debit) => sum + debit.cents, 4_000) / 100).toFixed(2),
      received_on: daysAgo(days),
      attorney_id: attorneyId,
      shares: Object.fromEntries(owed.map(({ id, cents }) => [id, (cents / 100).toFixed(2)])),
      credits: { [attorneyId]: "40.00" },
      approve,
    });
    const answer = await recordWholeCheck(tx, doer, wanted, today);
    return z.object({ id: z.number() }).parse(JSON.parse(answer.text)).id;
  };
  await record(9, "4417", 6, true);
  await record(11, "2093", 1);
  const denied = await record(13, "778", 12);
  await decideWholeChecks(tx, doer, { approve: [], deny: [denied] });
  const bounced = await record(15, "5120", 20, true);
  const note = "Insufficient funds.";
  const wanted = contract.returnCheck.body.parse({ returned_on: daysAgo(3), fee: "35.00", note });
  await returnWholeCheck(tx, doer, { id: bounced, wanted, today });
  // Nobody at the demo's addresses reads mail.
  await sql`delete from mails where network_id = ${network.id}`.execute(tx);
}

/** The oldest two debits on which something can be paid, and how much. */
async function oldestOwed(tx: Db, network: DemoNetwork, attorneyId: number) {
  const { rows } = await sql<{ id: number; cents: number }>`
    select id, balance_cents - pending_cents as cents from debits
    where network_id = ${network.id} and attorney_id = ${attorneyId} and balance_cents > pending_cents
    order by due_on, id limit 2`.execute(tx);
  return rows;
}
