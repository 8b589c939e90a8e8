import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import type {
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChanges,
} from "#outgoing/webhooks/contract.ts";
import { endPause, findDelivery } from "#outgoing/webhooks/deliveries.ts";
import { addressIn, isPublicAddress } from "#outgoing/webhooks/public-address.ts";
import {
  encryptedSecret,
  newWebhookSecret,
  readableSecret,
} from "#outgoing/webhooks/webhook-secrets.ts";

const maxEndpoints = 10;

const columns = [
  "id",
  "url",
  "eventTypes",
  "active",
  "disabledReason",
  "failingSince",
  "lastSuccessAt",
  "createdAt",
  sql<string | null>`case when old_secret_expires_at > now() then old_secret_expires_at end`.as(
    "oldSecretExpiresAt",
  ),
] as const;

export async function listEndpoints(tx: Db, admin: Admin): Promise<WebhookEndpoint[]> {
  return await tx
    .selectFrom("webhookEndpoints")
    .select(columns)
    .where("networkId", "=", admin.networkId)
    .orderBy("id")
    .execute();
}

/** Throws 422 for a private address, 409 if the network already has ten webhooks. */
export async function addEndpoint(
  tx: Db,
  admin: Admin,
  wanted: NewWebhookEndpoint,
  appSecret: string,
): Promise<WebhookEndpoint & { secret: string }> {
  refusePrivateAddress(wanted.url);
  await refuseTooMany(tx, admin.networkId);
  const secret = newWebhookSecret();
  const added = await tx
    .insertInto("webhookEndpoints")
    .values({
      networkId: admin.networkId,
      url: wanted.url,
      eventTypes: wanted.event_types,
      createdBy: admin.userId,
      ...encryptedSecret(secret, admin.networkId, appSecret),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await auditEndpoint(tx, admin, "added", { ...added, after: shownState(added) });
  return { ...added, secret };
}

/** Switching an endpoint on clears its failures, also after an automatic switch-off, and sends what waits. */
export async function changeEndpoint(
  tx: Db,
  admin: Admin,
  id: number,
  wanted: WebhookEndpointChanges,
): Promise<WebhookEndpoint> {
  if (wanted.url !== undefined) refusePrivateAddress(wanted.url);
  const before = await lockEndpoint(tx, admin, id);
  const changed = await endpointRow(tx, admin.networkId, id)
    .set({
      url: wanted.url ?? before.url,
      eventTypes: wanted.event_types ?? before.eventTypes,
      active: wanted.active ?? before.active,
      ...(wanted.active !== undefined && { disabledReason: null }),
      ...((wanted.url !== undefined || wanted.active) && { failingSince: null, notBefore: null }),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await auditEndpoint(tx, admin, "changed", {
    ...changed,
    before: shownState(before),
    after: shownState(changed),
  });
  return changed;
}

export async function removeEndpoint(tx: Db, admin: Admin, id: number): Promise<{ id: number }> {
  const before = await lockEndpoint(tx, admin, id);
  await tx
    .deleteFrom("webhookEndpoints")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  await auditEndpoint(tx, admin, "removed", { id, before: shownState(before) });
  return { id };
}

/** The current secret also signs for 24 hours, unless it can no longer be decrypted; then it is dropped. */
export async function renewSecret(
  tx: Db,
  admin: Admin,
  id: number,
  appSecret: string,
): Promise<WebhookEndpoint & { secret: string }> {
  await lockEndpoint(tx, admin, id);
  const before = await tx
    .selectFrom("webhookEndpoints")
    .select(["networkId", "keyVersion", "encryptedSecret"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const keepsOldSecret = readableSecret(before, before.encryptedSecret, appSecret) !== null;
  const secret = newWebhookSecret();
  const renewed = await endpointRow(tx, admin.networkId, id)
    .set({
      encryptedOldSecret: keepsOldSecret ? sql<string>`encrypted_secret` : null,
      oldSecretExpiresAt: keepsOldSecret ? sql<string>`now() + interval '24 hours'` : null,
      ...encryptedSecret(secret, admin.networkId, appSecret),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await auditEndpoint(tx, admin, "renewed the secret of", { id });
  return { ...renewed, secret };
}

/** Throws 409 if the webhook is off, because nothing would be sent. */
export async function sendPing(tx: Db, admin: Admin, id: number): Promise<WebhookDelivery> {
  const { active } = await lockEndpoint(tx, admin, id);
  if (!active) throw new Refusal(409, "This webhook is off. Switch it on, then send a test.");
  const { networkId } = admin;
  await endPause(tx, networkId, id);
  const message = await tx
    .insertInto("webhookMessages")
    .values({ networkId, type: "ping", data: JSON.stringify({ webhook_endpoint_id: id }) })
    .returning("id")
    .executeTakeFirstOrThrow();
  const delivery = await tx
    .insertInto("webhookDeliveries")
    .values({ networkId, endpointId: id, messageId: message.id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await auditEndpoint(tx, admin, "tested", { id });
  return await findDelivery(tx, networkId, delivery.id);
}

/** Host names are resolved at each post, because their addresses may change. */
function refusePrivateAddress(text: string): void {
  const url = new URL(text);
  const address = addressIn(url);
  const isPrivate =
    address === null ? /(^|\.)localhost$/.test(url.hostname) : !isPublicAddress(address);
  if (isPrivate) throw invalid("url", "Url must be a public internet address.");
}

async function refuseTooMany(tx: Db, networkId: number): Promise<void> {
  await tx.selectFrom("networks").select("id").where("id", "=", networkId).forUpdate().execute();
  const { count } = await tx
    .selectFrom("webhookEndpoints")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("networkId", "=", networkId)
    .executeTakeFirstOrThrow();
  if (count >= maxEndpoints)
    throw new Refusal(409, `A network has at most ${maxEndpoints} webhooks. Remove one first.`);
}

async function lockEndpoint(tx: Db, { networkId }: Admin, id: number) {
  const found = await tx
    .selectFrom("webhookEndpoints")
    .select(columns)
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!found) throw notFound("webhook");
  return found;
}

const endpointRow = (tx: Db, networkId: number, id: number) =>
  tx.updateTable("webhookEndpoints").where("networkId", "=", networkId).where("id", "=", id);

const shownState = ({ url, eventTypes, active }: WebhookEndpoint) => ({
  url,
  events: eventTypes,
  active,
});

async function auditEndpoint(
  tx: Db,
  admin: Admin,
  action: string,
  { id, before, after }: { id: number; before?: object; after?: object },
): Promise<void> {
  await audit(tx, admin, { action, recordType: "webhook", recordId: id, before, after });
  notifyOnCommit(tx, admin.networkId, null, "administration");
}
