import { createHmac, randomUUID } from "node:crypto";
import { dollarsText } from "#domain/money.ts";
import type { Faults } from "../faults.ts";
import type { House } from "../house.ts";
import type { Delivery } from "../webhooks.ts";
import type { Ledger, Transaction, Webhook } from "./ledger.ts";

/** All but the settlement, for which there is no event. */
export const eventTypes = [
  "authcapture.created",
  "authorization.created",
  "capture.created",
  "priorAuthCapture.created",
  "refund.created",
  "void.created",
  "fraud.held",
  "fraud.approved",
  "fraud.declined",
].map((name) => `net.authorize.payment.${name}`);

export interface Sending {
  house: House;
  ledger: Ledger;
  faults: Faults;
  signatureKeyOf: (login: string) => string | undefined;
  delivered: (delivery: Delivery) => void;
}

/** Tell the merchant's active webhooks that listen to this event. */
export function notify(sending: Sending, event: string, transaction: Transaction): void {
  const eventType = `net.authorize.payment.${event}`;
  for (const webhook of sending.ledger.webhooks.values()) {
    const listens = webhook.status === "active" && webhook.eventTypes.includes(eventType);
    if (webhook.login === transaction.login && listens) {
      sendOne(sending, webhook, eventType, transaction);
    }
  }
}

function sendOne(sending: Sending, webhook: Webhook, eventType: string, transaction: Transaction) {
  const notificationId = randomUUID();
  const body = JSON.stringify({
    notificationId,
    eventType,
    eventDate: sending.house.clock.iso(),
    webhookId: webhook.webhookId,
    payload: {
      responseCode: Number(transaction.verdict.responseCode),
      authCode: transaction.authCode,
      avsResponse: transaction.avs,
      authAmount: Number(dollarsText(transaction.amountCents)),
      merchantReferenceId: transaction.refId,
      invoiceNumber: transaction.invoiceNumber,
      entityName: "transaction",
      id: transaction.transId,
    },
  });
  const key = sending.signatureKeyOf(webhook.login) ?? "";
  sending.house.post.send({
    faults: sending.faults,
    eventId: notificationId,
    type: eventType,
    url: webhook.url,
    body,
    headers: (isForged) => ({
      "X-ANET-Signature": `sha512=${signature(isForged ? `not ${key}` : key, body)}`,
    }),
    delivered: sending.delivered,
  });
}

/** The key is used as the text of its hexadecimal digits, not as the bytes that they stand for. */
function signature(key: string, body: string): string {
  return createHmac("sha512", key).update(body).digest("hex").toUpperCase();
}
