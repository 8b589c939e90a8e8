import { sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#kit/domain/actor.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import type { listWebhookDeliveries, WebhookDelivery } from "#outgoing/webhooks/contract.ts";

/** The `webhook-id` of a message, the same for every endpoint. */
export const webhookIdOf = (webhookId: string): string => `msg_${webhookId.replaceAll("-", "")}`;

/** One page with the total. Throws 404 for an endpoint of another network. */
export async function listDeliveries(
  tx: Db,
  { networkId }: Admin,
  query: z.output<typeof listWebhookDeliveries.query>,
) {
  if (query.endpoint_id !== undefined)
    await refuseUnknownEndpoint(tx, networkId, query.endpoint_id);
  let matching = tx.selectFrom("webhookDeliveries as d").where("d.networkId", "=", networkId);
  if (query.endpoint_id !== undefined)
    matching = matching.where("d.endpointId", "=", query.endpoint_id);
  if (query.state !== undefined) matching = matching.where("d.state", "=", query.state);
  const { total } = await matching
    .select((is) => is.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const page = await matching
    .select("d.id")
    .orderBy("d.id", "desc")
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  const items = await deliveries(
    tx,
    networkId,
    page.map(({ id }) => id),
  );
  return { items, total, page: query.page, perPage: query.per_page };
}

export async function findDelivery(
  tx: Db,
  networkId: number,
  id: number,
): Promise<WebhookDelivery> {
  const [found] = await deliveries(tx, networkId, [id]);
  if (!found) throw notFound("delivery");
  return found;
}

/**
 * Send a delivery again now as the same message, with a fresh set of attempts. Throws 409 if its endpoint is off.
 * A delivery that is being sent at this moment may arrive twice.
 */
export async function sendAgain(tx: Db, admin: Admin, id: number): Promise<WebhookDelivery> {
  const { networkId } = admin;
  const { endpointId } = await findDelivery(tx, networkId, id);
  const { active } = await endPause(tx, networkId, endpointId);
  if (!active) throw new Refusal(409, "This webhook is off. Switch it on, then send this again.");
  await tx
    .updateTable("webhookDeliveries")
    .set({
      state: "waiting",
      attempts: 0,
      nextAttemptAt: sql<string>`now()`,
      deliveredAt: null,
    })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  const delivery = await findDelivery(tx, networkId, id);
  await audit(tx, admin, {
    action: "sent again to",
    recordType: "webhook",
    recordId: endpointId,
    after: { message: delivery.webhookId, event: delivery.type },
  });
  notifyOnCommit(tx, networkId, null, "administration");
  return delivery;
}

/** End the endpoint's pause, because sending by hand does not wait for it. Lock this row before those of deliveries. */
export async function endPause(
  tx: Db,
  networkId: number,
  id: number,
): Promise<{ active: boolean }> {
  return await tx
    .updateTable("webhookEndpoints")
    .set({ notBefore: null })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .returning("active")
    .executeTakeFirstOrThrow();
}

/** Delete messages older than 30 days and their deliveries, in batches. */
export async function removeOldMessages(db: Db, stopping?: AbortSignal): Promise<void> {
  const shouldContinue = () => !stopping?.aborted;
  for (let removed = 1; removed > 0 && shouldContinue();) {
    const { numAffectedRows } = await sql`
      delete from webhook_messages where (network_id, id) in (
        select network_id, id from webhook_messages
        where created_at < now() - interval '30 days'
        order by created_at limit 5000)`.execute(db);
    removed = Number(numAffectedRows ?? 0);
  }
}

async function refuseUnknownEndpoint(tx: Db, networkId: number, id: number): Promise<void> {
  const found = await tx
    .selectFrom("webhookEndpoints")
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!found) throw notFound("webhook");
}

/** Newest first. */
async function deliveries(tx: Db, networkId: number, ids: number[]): Promise<WebhookDelivery[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom("webhookDeliveries as d")
    .innerJoin("webhookEndpoints as e", (on) =>
      on.onRef("e.networkId", "=", "d.networkId").onRef("e.id", "=", "d.endpointId"),
    )
    .innerJoin("webhookMessages as m", (on) =>
      on.onRef("m.networkId", "=", "d.networkId").onRef("m.id", "=", "d.messageId"),
    )
    .select(["d.id", "d.endpointId", "e.url", "m.webhookId", "m.type", "d.state", "d.attempts"])
    .select(["d.lastStatus", "d.lastProblem", "d.createdAt", "d.deliveredAt"])
    .select(
      sql<
        string | null
      >`case when d.state = 'waiting' then greatest(d.next_attempt_at, e.not_before) end`.as(
        "nextAttemptAt",
      ),
    )
    .where("d.networkId", "=", networkId)
    .where("d.id", "in", ids)
    .orderBy("d.id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, webhookId: webhookIdOf(row.webhookId) }));
}
