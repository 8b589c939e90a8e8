import { sql } from "kysely";
import { cents, sum } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

export interface NewCheck {
  attorneyId: number;
  checkNumber: string;
  shares: { debitId: number; amountCents: number }[];
  /** The decision, if it is not pending. */
  decided?: { status: "approved" | "denied"; at: string; by: number };
}

/** Record checks and their decisions, in a transaction. Returns the ids of their shares in order. */
export async function makeChecks(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  checks: NewCheck[],
): Promise<number[]> {
  const payments = await tx
    .insertInto("payments")
    .values(
      checks.map(({ attorneyId, checkNumber, shares }) => ({
        networkId,
        attorneyId,
        method: "check",
        amountCents: sum(shares.map(({ amountCents }) => cents(amountCents))),
        checkNumber,
      })),
    )
    .returning("id")
    .execute();
  const made = checks.map((check, place) => ({ ...check, paymentId: payments[place]?.id ?? 0 }));
  const shares = await tx
    .insertInto("paymentAllocations")
    .values(
      made.flatMap(({ attorneyId, paymentId, checkNumber, shares }) => {
        const payment = { networkId, attorneyId, paymentId, checkNumber };
        return shares.map(({ debitId, amountCents }) => ({
          ...payment,
          debitId,
          amountCents: cents(amountCents),
        }));
      }),
    )
    .returning("id")
    .execute();
  const decisions = made.flatMap(({ decided, paymentId }) =>
    decided ? [{ ...decided, paymentId }] : [],
  );
  await sql`
    update payment_allocations as s
    set status = decision.status, decided_at = at, decided_by = "by"
    from jsonb_to_recordset(${JSON.stringify(decisions)}::jsonb)
      as decision ("paymentId" bigint, status text, at timestamptz, "by" bigint)
    where s.network_id = ${networkId} and s.payment_id = "paymentId"`.execute(tx);
  return shares.map(({ id }) => id);
}
