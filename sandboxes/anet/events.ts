import { createHmac, randomUUID } from "node:crypto";
import { dollarsText } from "#kit/domain/money.ts";
import { demoAccounts } from "../accounts.ts";
import type { AnetStore, Transaction } from "./store.ts";

type EventName =
  | "authcapture.created"
  | "void.created"
  | "refund.created"
  | "fraud.held"
  | "fraud.approved"
  | "fraud.declined";

const { apiLoginId, signatureKey } = demoAccounts.anet;

/** Send the demo account's webhook. Settlement sends none. */
export function sendEvent(store: AnetStore, event: EventName, transaction: Transaction): void {
  if (transaction.login !== apiLoginId) return;
  const id = randomUUID();
  const type = `net.authorize.payment.${event}`;
  const body = JSON.stringify({
    notificationId: id,
    eventType: type,
    eventDate: store.context.clock.iso(),
    webhookId: randomUUID(),
    payload: {
      responseCode: Number(transaction.outcome.responseCode),
      authCode: transaction.authCode,
      avsResponse: transaction.avs,
      authAmount: Number(dollarsText(transaction.amountCents)),
      merchantReferenceId: transaction.refId,
      invoiceNumber: transaction.invoiceNumber,
      entityName: "transaction",
      id: transaction.transId,
    },
  });
  store.webhooks.send({ id, type, body });
}

/** The key is the text of its hexadecimal digits, not their bytes. */
export function signatureHeaders(body: string, isForged: boolean): Record<string, string> {
  const key = isForged ? `not ${signatureKey}` : signatureKey;
  const hash = createHmac("sha512", key).update(body).digest("hex");
  return { "X-ANET-Signature": `sha512=${hash.toUpperCase()}` };
}
