import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import { isAfter, plainDate } from "#domain/calendar.ts";
import { cents, dollarsText, sum } from "#domain/money.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { returnWholeCheck } from "#features/checks/return-check.ts";
import { makeDepositOf } from "#features/deposits/deposits.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";

const account = "First Harbor Bank, operating account";

/** The newest approved checks wait to be deposited; those before them stand in a deposit that is still open. */
const waiting = 6;
const inOpenDeposit = 12;

/**
 * A year of deposits, one a month and banked, all but the newest checks in one. Call it before what the demo does
 * today, so that activity is in order.
 */
export async function bankPastMonths(tx: Db, network: DemoNetwork, admin: Admin): Promise<void> {
  const older = (await approvedChecks(tx, network, "in none")).slice(inOpenDeposit).toReversed();
  const months = Map.groupBy(older, ({ decidedOn }) => decidedOn.slice(0, 7));
  let number = 0;
  for (const [month, held] of months) {
    number += 1;
    await bankMonth(tx, network, admin, { month, held, number });
  }
}

/** A deposit that is open, checks that wait for one, and a deposited check that came back. */
export async function makeDeposits(tx: Db, network: DemoNetwork, admin: Admin): Promise<void> {
  const [lastBanked] = await approvedChecks(tx, network, "in a deposit");
  const open = (await approvedChecks(tx, network, "in none")).slice(waiting);
  const today = network.today.toString();
  if (open.length > 0)
    await makeDepositOf(
      tx,
      admin,
      { check_ids: open.map(({ id }) => id), deposited_on: today, account_name: account },
      network.today,
    );
  if (lastBanked)
    await returnWholeCheck(tx, admin, {
      id: lastBanked.id,
      wanted: { returned_on: today, note: "Insufficient funds" },
      today: network.today,
    });
}

interface ApprovedCheck {
  id: number;
  cents: number;
  decidedOn: string;
}

/** Newest first. */
async function approvedChecks(
  tx: Db,
  network: DemoNetwork,
  which: "in none" | "in a deposit",
): Promise<ApprovedCheck[]> {
  const { rows } = await sql<ApprovedCheck>`
    select id, amount_cents as cents, (decided_at at time zone ${network.timeZone})::date::text as decided_on
    from received_checks
    where network_id = ${network.id} and status = 'approved' and (deposit_id is null) = ${which === "in none"}
    order by decided_at desc, id desc`.execute(tx);
  return rows;
}

interface MonthOfChecks {
  /** `2026-05` */
  month: string;
  held: readonly ApprovedCheck[];
  number: number;
}

/** The product's own functions know no past: the rows and the activity are written as they leave them, on the day. */
async function bankMonth(
  tx: Db,
  network: DemoNetwork,
  admin: Admin,
  { month, held, number }: MonthOfChecks,
): Promise<void> {
  const lastDay = plainDate(`${month}-01`).add({ months: 1 }).subtract({ days: 1 });
  const depositedOn = (isAfter(lastDay, network.today) ? network.today : lastDay).toString();
  const at = instantOn(network, lastDay, "15:00");
  const { id } = await tx
    .insertInto("deposits")
    .values({
      networkId: network.id,
      number,
      depositedOn,
      accountName: account,
      createdBy: admin.userId,
      createdAt: at,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .updateTable("receivedChecks")
    .set({ depositId: id })
    .where("networkId", "=", network.id)
    .where(
      "id",
      "in",
      held.map((check) => check.id),
    )
    .execute();
  await tx
    .updateTable("deposits")
    .set({ bankedBy: admin.userId, bankedAt: at })
    .where("networkId", "=", network.id)
    .where("id", "=", id)
    .execute();
  const amount = dollarsText(sum(held.map((check) => cents(check.cents))));
  const made = { depositedOn, accountName: account, checks: held.length, amount };
  const deposit = { recordType: "deposit", recordId: id, at };
  await audit(tx, admin, { ...deposit, action: "made deposit", after: made });
  await audit(tx, admin, {
    ...deposit,
    action: "marked deposit as banked",
    before: { status: "open", ...made },
    after: { status: "banked", ...made },
  });
}
