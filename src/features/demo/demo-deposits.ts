import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { returnWholeCheck } from "#features/checks/return-check.ts";
import { makeDepositOf } from "#features/deposits/deposits.ts";
import type { DemoNetwork } from "#features/demo/demo-network.ts";

const account = "First Harbor Bank, operating account";

/** The newest approved checks wait to be deposited; those before them stand in a deposit that is still open. */
const waiting = 6;
const inOpenDeposit = 12;

/** A year of deposits, one a month and banked, one of whose checks came back; one open; and checks that wait. */
export async function makeDeposits(tx: Db, network: DemoNetwork, admin: Admin): Promise<void> {
  const { rows: checks } = await sql<{ id: number; month: string }>`
    select id, to_char(decided_at at time zone ${network.timeZone}, 'YYYY-MM') as month from received_checks
    where network_id = ${network.id} and status = 'approved' order by decided_at desc, id desc`.execute(
    tx,
  );
  const older = checks.slice(waiting + inOpenDeposit);
  const months = [...new Set(older.map(({ month }) => month))].toSorted();
  for (const month of months) {
    const held = older.filter((check) => check.month === month);
    await bankMonth(tx, network, { month, checkIds: held.map(({ id }) => id) });
  }
  const open = checks.slice(waiting, waiting + inOpenDeposit);
  if (open.length > 0)
    await makeDepositOf(
      tx,
      admin,
      {
        check_ids: open.map(({ id }) => id),
        deposited_on: network.today.toString(),
        account_name: account,
      },
      network.today,
    );
  const [lastBanked] = older;
  if (lastBanked)
    await returnWholeCheck(tx, admin, {
      id: lastBanked.id,
      wanted: { returned_on: network.today.toString(), note: "Insufficient funds" },
      today: network.today,
    });
}

interface MonthOfChecks {
  /** `2026-05` */
  month: string;
  checkIds: number[];
}

async function bankMonth(
  tx: Db,
  network: DemoNetwork,
  { month, checkIds }: MonthOfChecks,
): Promise<void> {
  const bankedAt = sql`least(now(),
    (${`${month}-01`}::date + interval '1 month' - interval '9 hours') at time zone ${network.timeZone})`;
  await sql`
    with made as (
      insert into deposits (network_id, number, deposited_on, account_name, created_by, created_at)
      select ${network.id}::bigint, count(*) + 1, (${bankedAt} at time zone ${network.timeZone})::date, ${account},
        ${network.admin.userId}::bigint, ${bankedAt}
      from deposits where network_id = ${network.id}
      returning network_id, id
    )
    update received_checks k set deposit_id = made.id from made
    where k.network_id = made.network_id and k.id = any(${checkIds}::bigint[])`.execute(tx);
  await sql`update deposits set banked_at = created_at, banked_by = ${network.admin.userId}
    where network_id = ${network.id} and banked_at is null`.execute(tx);
}
