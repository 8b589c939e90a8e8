import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { exactLine, Id, IdText, Timestamp } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";

/** The events that webhooks send. docs/webhooks.md lists their data. */
export const eventTypes = [
  "payment.recorded",
  "payment.approved",
  "payment.denied",
  "payment.returned",
  "payment.refunded",
  "payment.charged_back",
  "debit.created",
  "matter.referred",
  "report.filed",
  "attorney.suspended",
  "attorney.reinstated",
  "attorney.paused",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Checks only the spelling of an address. Where it leads is checked at each post. */
function isPostable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  return url.port === "" || Number(url.port) > 1023;
}

const WebhookUrl = exactLine(500)
  .min(1, { error: "Enter an address that begins with https://.", abort: true })
  .refine(
    isPostable,
    "must begin with https://, without a password or a port below 1024, such as https://example.org/webhooks",
  );

const EventTypes = z
  .array(z.enum(eventTypes, { error: `must be one of ${eventTypes.join(", ")}` }))
  .min(1, "Choose at least one event.")
  .max(eventTypes.length, "must not list an event twice")
  .refine((types) => new Set(types).size === types.length, "must not list an event twice");

export const WebhookEndpoint = z.object({
  id: Id,
  url: z.string(),
  eventTypes: z.array(z.string()),
  active: z.boolean(),
  /** Why it was switched off automatically: the receiver is gone, or failed for three days. */
  disabledReason: z.enum(["gone", "failed"]).nullable(),
  /** Since when every delivery has failed; null if the last one was accepted. */
  failingSince: Timestamp.nullable(),
  lastSuccessAt: Timestamp.nullable(),
  /** Until when the old secret also signs. */
  oldSecretExpiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

/** The secret is shown only when it is made. */
const WithSecret = WebhookEndpoint.extend({ secret: z.string() });

export const deliveryStates = ["waiting", "delivered", "failed"] as const;

export const WebhookDelivery = z.object({
  id: Id,
  endpointId: Id,
  url: z.string(),
  /** The header `webhook-id`, the same in every attempt. */
  webhookId: z.string(),
  type: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.number().int(),
  nextAttemptAt: Timestamp.nullable(),
  /** The receiver's last HTTP status; null if there was no answer. */
  lastStatus: z.number().int().nullable(),
  lastProblem: z.string().nullable(),
  createdAt: Timestamp,
  deliveredAt: Timestamp.nullable(),
});
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

const ById = z.object({ id: IdText });

export const listWebhookEndpoints = endpoint({
  method: "GET",
  path: "/webhook_endpoints",
  summary: "The network's webhooks, oldest first",
  object: z.array(WebhookEndpoint),
});

export const addWebhookEndpoint = endpoint({
  method: "POST",
  path: "/webhook_endpoints",
  summary: "Add a webhook; answers its signing secret, shown only once",
  body: z.strictObject({ url: WebhookUrl, event_types: EventTypes }),
  object: WithSecret,
});
export type NewWebhookEndpoint = z.output<typeof addWebhookEndpoint.body>;

export const changeWebhookEndpoint = endpoint({
  method: "PATCH",
  path: "/webhook_endpoints/:id",
  summary: "Change a webhook's address or events, or switch it off or on; absent fields stay",
  params: ById,
  body: z.strictObject({ url: WebhookUrl, event_types: EventTypes, active: z.boolean() }).partial(),
  object: WebhookEndpoint,
});
export type WebhookEndpointChanges = z.output<typeof changeWebhookEndpoint.body>;

export const removeWebhookEndpoint = endpoint({
  method: "POST",
  path: "/webhook_endpoints/:id/removal",
  summary: "Remove a webhook and its deliveries",
  params: ById,
  object: z.object({ id: Id }),
});

export const renewWebhookSecret = endpoint({
  method: "POST",
  path: "/webhook_endpoints/:id/secret",
  summary: "Make a new secret for a webhook; the one before signs, too, for 24 hours",
  params: ById,
  object: WithSecret,
});

export const testWebhookEndpoint = endpoint({
  method: "POST",
  path: "/webhook_endpoints/:id/test",
  summary: "Send a `ping` to a webhook; answers its waiting delivery",
  params: ById,
  object: WebhookDelivery,
});

export const listWebhookDeliveries = endpoint({
  method: "GET",
  path: "/webhook_deliveries",
  summary: "Webhook deliveries of the last 30 days, newest first",
  query: PageQuery.extend({
    endpoint_id: IdText.optional(),
    state: z.enum(deliveryStates).optional(),
  }),
  object: pageOf(WebhookDelivery),
});

export const sendWebhookAgain = endpoint({
  method: "POST",
  path: "/webhook_deliveries/:id/again",
  summary: "Send a delivery again now, with the same `webhook-id`",
  params: ById,
  object: WebhookDelivery,
});
