import { Temporal } from "temporal-polyfill";
import type { Cents } from "#domain/money.ts";
import type { AttorneyActor } from "#server/actor.ts";
import { Refusal } from "#server/refusal.ts";
import { lookForCharge } from "#features/payments/session-watch.ts";
import type { Till } from "#features/payments/till.ts";

/**
 * Never two sessions at once that could both charge the card: an earlier one is looked up first. What
 * it charged a while ago is posted now; what it has just charged is left to the browser that did it.
 */
export async function refuseUndecided(
  till: Till,
  actor: AttorneyActor,
  amountCents: Cents | null,
): Promise<void> {
  const open = await till.db
    .selectFrom("cardSessions as s")
    .select(["s.id", "s.createdAt"])
    .where("s.networkId", "=", actor.networkId)
    .where("s.attorneyId", "=", actor.attorneyId)
    .where("s.state", "=", "open")
    .where("s.amountCents", "is not", null)
    .orderBy("s.id")
    .execute();
  const twin = await till.db
    .selectFrom("cardPayments as c")
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .select("c.paymentId")
    .where("c.networkId", "=", actor.networkId)
    .where("c.attorneyId", "=", actor.attorneyId)
    .where("c.state", "=", "processing")
    .$if(amountCents !== null, (query) => query.where("p.amountCents", "=", amountCents as Cents))
    .executeTakeFirst();
  if (twin) throw new Refusal(409, confirming);
  for (const session of open) {
    const found = await lookForCharge(
      till,
      { networkId: actor.networkId, id: session.id },
      {
        postsFrom: Temporal.Instant.from(session.createdAt).add({ minutes: 2 }),
        doer: actor,
      },
    );
    if (found === "posted") throw new Refusal(409, wentThrough);
    if (found === "charged" || found === "unknown") throw new Refusal(409, confirming);
  }
}

const confirming =
  "An earlier card payment is being confirmed. Wait a moment, then reload the page before you pay again.";
const wentThrough =
  "Your earlier card payment went through and has been posted. Reload the page before you pay again.";
