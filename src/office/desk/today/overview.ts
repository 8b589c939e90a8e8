import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { latestChanges } from "#office/activity/activity.ts";
import { totalReceivables } from "#dues/ledger/receivables/receivables.ts";
import { findAttention } from "#office/desk/today/attention.ts";
import type { Overview } from "#office/desk/today/contract.ts";
import { monthsUntil, weeksUntil } from "#office/desk/today/figures.ts";

const entriesShown = 6;

/** Everything on the administrator's first page, as of now. */
export async function readOverview(
  tx: Db,
  admin: Admin,
  { today, sendsMail }: { today: PlainDate; sendsMail: boolean },
): Promise<Overview> {
  return {
    months: await monthsUntil(tx, admin, today),
    aging: await totalReceivables(tx, admin, today),
    referrals: await weeksUntil(tx, admin, today),
    lately: await latestChanges(tx, admin, entriesShown),
    begun: { ...(await hasBegun(tx, admin)), mail: sendsMail },
    attention: await findAttention(tx, admin, today), // last, as it changes how later queries are planned
  };
}

async function hasBegun(tx: Db, { networkId }: Admin): Promise<Omit<Overview["begun"], "mail">> {
  const { rows } = await sql<Omit<Overview["begun"], "mail">>`
    select exists (select from attorneys where network_id = n.id) as attorneys,
      exists (select from plans where network_id = n.id) as plans,
      n.postal_address <> '' as letterhead,
      exists (select from card_processors where network_id = n.id) as cards,
      n.first_steps_put_away_at is not null as is_put_away
    from networks n where n.id = ${networkId}`.execute(tx);
  const [begun] = rows;
  if (!begun) throw new Error(`There is no network ${networkId}.`);
  return begun;
}

/** Hide the first steps. Repeating it changes nothing. */
export async function putAway(tx: Db, admin: Admin): Promise<Record<string, never>> {
  const { numUpdatedRows } = await tx
    .updateTable("networks")
    .set({ firstStepsPutAwayAt: sql<string>`now()` })
    .where("id", "=", admin.networkId)
    .where("firstStepsPutAwayAt", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n)
    await audit(tx, admin, {
      action: "put away the first steps",
      recordType: "network",
      recordId: admin.networkId,
    });
  return {};
}
