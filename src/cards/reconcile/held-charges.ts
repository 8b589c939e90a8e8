import { sql } from "kysely";
import type { z } from "zod";
import type { PageQuery } from "#kit/contract/page.ts";
import type { Cents } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { processorNamed } from "#cards/settings/card-accounts.ts";
import type { listHeldCharges } from "#cards/contract.ts";

interface HeldRow {
  attorneyId: number;
  attorneyName: string;
  amountCents: Cents;
  processor: string;
  transactionId: string | null;
  paymentId: number | null;
  reference: string;
  problem: string | null;
  createdAt: string;
  heldAt: string;
}

/** The rows of `listHeld`, with `attorney_id`, `amount_cents`, `created_at` and `held_at`. */
export const heldCharges = (networkId: number) => sql`(
    select c.attorney_id, p.amount_cents, c.processor, c.transaction_id, c.payment_id, c.reference,
      null as problem, c.created_at, c.held_at
    from card_payments c
    join payments p on p.network_id = c.network_id and p.id = c.payment_id
    where c.network_id = ${networkId} and c.state = 'processing' and c.held_at is not null
    union all
    select s.attorney_id, s.amount_cents, s.processor, s.held_transaction_id, null, s.reference,
      s.problem, s.created_at, s.held_at
    from card_sessions s
    where s.network_id = ${networkId} and s.held_at is not null and not exists (
      select from card_payments c where c.network_id = s.network_id and c.session_id = s.id
        and c.state = 'processing'))`;

/**
 * Authorised charges that wait at their processor until the network accepts or declines them, oldest first.
 * Includes charges of browsers that never came back, and those whose outcome the processor cannot say: no
 * payment shows them.
 */
export async function listHeld(
  tx: Db,
  admin: Admin,
  wanted: PageQuery,
): Promise<z.output<typeof listHeldCharges.object>> {
  const held = sql`${heldCharges(admin.networkId)} as h`;
  const { rows } = await sql<HeldRow>`
    select h.attorney_id, a.first_name || ' ' || a.last_name as attorney_name, h.amount_cents,
      h.processor, h.transaction_id, h.payment_id, h.reference, h.problem, iso(h.created_at) as created_at,
      iso(h.held_at) as held_at
    from ${held}
    join attorneys a on a.network_id = ${admin.networkId} and a.id = h.attorney_id
    order by h.created_at, h.reference
    limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page}`.execute(tx);
  const counted = await sql<{ total: number }>`select count(*) as total from ${held}`.execute(tx);
  return {
    items: rows.map(({ amountCents, processor: name, ...row }) => {
      const processor = processorNamed(name);
      const reviewedIn = processor.reviewedIn ?? `the pages of ${processor.label}`;
      return { ...row, amount: amountCents, processor: processor.name, reviewedIn };
    }),
    total: counted.rows[0]?.total ?? 0,
    page: wanted.page,
    perPage: wanted.per_page,
  };
}
