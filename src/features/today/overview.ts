import { sql } from "kysely";
import type { PlainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { latestChanges } from "#features/activity/activity.ts";
import { totalReceivables } from "#features/receivables/receivables.ts";
import { findAttention } from "#features/today/attention.ts";
import type { Overview } from "#features/today/contract.ts";
import { monthsUntil, weeksUntil } from "#features/today/figures.ts";

const entriesShown = 6;

/** Everything on the administrator's first page, read from the records as they are at this moment. */
export async function readOverview(tx: Db, admin: Admin, today: PlainDate): Promise<Overview> {
  return {
    months: await monthsUntil(tx, admin, today),
    aging: await totalReceivables(tx, admin, today),
    referrals: await weeksUntil(tx, admin, today),
    lately: await latestChanges(tx, admin, entriesShown),
    begun: await hasBegun(tx, admin),
    attention: await findAttention(tx, admin, today), // it changes how the transaction's queries are planned
  };
}

async function hasBegun(tx: Db, { networkId }: Admin): Promise<Overview["begun"]> {
  const { rows } = await sql<Overview["begun"]>`
    select exists (select from attorneys where network_id = ${networkId}) as attorneys,
      exists (select from plans where network_id = ${networkId}) as plans,
      exists (select from card_processors where network_id = ${networkId}) as cards`.execute(tx);
  return rows[0] ?? { attorneys: false, plans: false, cards: false };
}
