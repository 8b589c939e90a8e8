import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { readNetworkDay } from "#kit/db/network-day.ts";
import type { LockedPayment } from "#cards/charge/locked-payment.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";

/**
 * Charge the chargeback fee, due today, to the attorney of a payment locked with `chargesToo`. Source: book
 * rule 7.
 */
export async function chargeFeeOfChargeback(
  tx: Db,
  { networkId, attorneyId }: LockedPayment,
  amountCents: Cents,
  author: ChangeAuthor,
): Promise<void> {
  await chargeAttorneys(tx, author, {
    attorneyIds: [attorneyId],
    name: "Chargeback fee",
    amountCents,
    dueOn: await readNetworkDay(tx, networkId),
    note: "",
  });
}

/** The network's fee for a chargeback that a processor reports; zero for none. */
export async function usualFeeOfChargeback(tx: Db, networkId: number): Promise<Cents> {
  const { chargebackFeeCents } = await tx
    .selectFrom("networks")
    .select("chargebackFeeCents")
    .where("id", "=", networkId)
    .executeTakeFirstOrThrow();
  return chargebackFeeCents;
}
