import type { FastifyInstance } from "fastify";
import { success } from "#kit/http/envelope.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { versionOf } from "#cards/settings/card-accounts.ts";
import { confirmPayment } from "#cards/reconcile/confirmation.ts";
import type { Headers, Notice } from "#cards/processors/processor.ts";
import { NoResponse } from "#cards/processors/send-request.ts";
import { checkRefundsOfCharge } from "#cards/refund/refund-failures.ts";
import { ProcessorName } from "#cards/shapes.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * `POST /webhooks/PROCESSOR/NETWORK`: notices from a processor, verified by its signature over the exact
 * bytes. A notice is a hint: we look up the payment, so order does not matter. Each notice is handled once.
 */
export function webhookRoutes(app: FastifyInstance, context: CardPaymentContext): void {
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body);
    });
    own.post<{ Params: { processor: string; network: string } }>(
      "/webhooks/:processor/:network",
      { config: { isForPrograms: true, takesAnyEncoding: true } },
      async (request, reply) => {
        const { processor, network } = request.params;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        await receive(context, { processor, network, body, headers: request.headers });
        return reply.type("application/json; charset=utf-8").send(success(["null"]).join(""));
      },
    );
  });
}

interface Delivery {
  processor: string;
  network: string;
  body: Buffer;
  headers: Headers;
}

/**
 * Throws 404 unless the network has used the processor, 401 unless one of its keys signed the notice, and
 * 503 if the processor does not answer, so that the notice is sent again.
 */
async function receive(context: CardPaymentContext, delivery: Delivery): Promise<void> {
  const networkId = /^[1-9]\d{0,14}$/.test(delivery.network) ? Number(delivery.network) : 0;
  const name = ProcessorName.safeParse(delivery.processor).data;
  const notice =
    name && (await readWithAnyKey(context, networkId, name, delivery).catch(refuseForNow));
  if (!name || notice === undefined) throw notFound("webhook");
  if (!notice) throw new Refusal(401, "The signature is not valid.");
  const key = { networkId, processor: name, eventId: notice.eventId.slice(0, 200) };
  if (await isKnown(context, key)) return;
  await lookUpNamed(context, networkId, name, notice);
  await context.db
    .insertInto("webhookEvents")
    .values({ ...key, eventType: notice.eventType.slice(0, 100) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function refuseForNow(problem: unknown): never {
  throw problem instanceof NoResponse ? notLookedUp() : problem;
}

const notLookedUp = () =>
  new Refusal(503, "The payment could not be looked up. Please send this again.");

const maxVersions = 10;

/**
 * Tries the newest keys first; older keys are still valid for what was charged with them. Undefined: no
 * such webhook.
 */
async function readWithAnyKey(
  context: CardPaymentContext,
  networkId: number,
  processor: ProcessorName,
  delivery: Delivery,
): Promise<Notice | null | undefined> {
  const versions = await context.db
    .selectFrom("cardProcessors")
    .select("id as cardProcessorId")
    .where("networkId", "=", networkId)
    .where("processor", "=", processor)
    .orderBy("id", "desc")
    .limit(maxVersions)
    .execute();
  let read: Notice | null | undefined;
  for (const { cardProcessorId } of versions) {
    const used = await versionOf(context, { networkId, cardProcessorId });
    if (!used.processor.readNotice) return undefined;
    read = await used.processor.readNotice(used.account, delivery.body, delivery.headers);
    if (read) return read;
  }
  return read;
}

async function isKnown(
  context: CardPaymentContext,
  key: { networkId: number; processor: string; eventId: string },
): Promise<boolean> {
  const known = await context.db
    .selectFrom("webhookEvents")
    .select("eventId")
    .where("networkId", "=", key.networkId)
    .where("processor", "=", key.processor)
    .where("eventId", "=", key.eventId)
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * Look up the payment that a notice names, and its refunds; ignore notices about anything else. Throws 503,
 * so that the notice is sent again, if the processor does not answer about a payment: its next look may be
 * a week away.
 */
async function lookUpNamed(
  context: CardPaymentContext,
  networkId: number,
  processor: ProcessorName,
  notice: Notice,
): Promise<void> {
  const payments = await context.db
    .selectFrom("cardPayments")
    .select(["networkId", "attorneyId", "paymentId"])
    .where("networkId", "=", networkId)
    .where("processor", "=", processor)
    .where((column) =>
      column.or([
        column("reference", "=", notice.reference ?? ""),
        column("transactionId", "=", notice.transactionId ?? ""),
      ]),
    )
    .execute();
  const author = { networkId, userId: null, name: `Webhook of ${processor}` };
  for (const payment of payments) {
    const { state, outcome } = await confirmPayment(context, payment, author);
    const isAnswered = outcome.kind !== "unknown" || outcome.transactionId !== undefined;
    if (!isAnswered && state !== "processing") throw notLookedUp();
  }
  const { transactionId } = notice;
  if (transactionId) await checkRefundsOfCharge(context, { networkId, processor, transactionId });
}
