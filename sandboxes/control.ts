import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { callNames, faultKinds } from "./faults.ts";
import { isProcessorName } from "./processors.ts";
import { disputeSteps, type Sandbox, type Sandboxes } from "./sandbox.ts";

const FaultOrder = z.strictObject({
  call: z.enum(callNames).optional(),
  kind: z.enum(faultKinds),
  times: z.int().min(1).optional(),
  chance: z.number().min(0).max(1).optional(),
  delayMs: z.int().min(0).optional(),
});
const Settlement = z.strictObject({ failing: z.array(z.string()).optional() });
const Decision = z.strictObject({ id: z.string(), decision: z.enum(["approve", "decline"]) });
const Void = z.strictObject({ id: z.string() });
const Refund = z.strictObject({ id: z.string(), amountCents: z.int().min(1).optional() });
const Dispute = Refund.extend({ step: z.enum(disputeSteps) });
const References = z.strictObject({ allowed: z.boolean() });
const Webhooks = z.strictObject({ url: z.url() });
const Advance = z.strictObject({ advanceMs: z.int() });

/**
 * HTTP control of the sandboxes, for other processes.
 *
 * Accepts only JSON and no other origin, so a web page elsewhere cannot control a sandbox.
 */
export function controlRoutes(app: FastifyInstance, sandboxes: Sandboxes): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler(async (error, _request, reply) => {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return await reply.code(422).send({ message });
  });

  app.get("/", async () => ({
    origin: sandboxes.origin,
    addresses: sandboxes.addresses,
    accounts: sandboxes.accounts,
    calls: callNames,
    kinds: faultKinds,
  }));
  app.post("/clock", async ({ body }) => {
    sandboxes.advance(read(Advance, body).advanceMs);
    return {};
  });
  app.post("/reset", async () => {
    sandboxes.reset();
    return {};
  });

  const route = (
    method: "GET" | "POST" | "DELETE",
    path: string,
    run: (sandbox: Sandbox, body: unknown) => object | void,
  ) =>
    app.route<{ Params: { processor: string } }>({
      method,
      url: `/:processor/${path}`,
      handler: async ({ params: { processor }, body }, reply) =>
        isProcessorName(processor)
          ? (run(sandboxes[processor], body) ?? {})
          : await reply.code(404).send({ message: "There is no such processor." }),
    });
  const faultsOf = (sandbox: Sandbox) => ({ faults: sandbox.activeFaults() });
  route("GET", "charges", (each) => ({ charges: each.charges(), totals: each.totals() }));
  route("GET", "calls", (each) => ({ calls: each.calls() }));
  route("GET", "deliveries", (each) => ({ deliveries: each.deliveries() }));
  route("GET", "faults", faultsOf);
  route("POST", "faults", (each, body) => {
    each.fail(read(FaultOrder, body));
    return faultsOf(each);
  });
  route("DELETE", "faults", (each) => {
    each.stopFailing();
    return faultsOf(each);
  });
  route("POST", "settle", (each, body) => ({
    settled: each.settle(read(Settlement, body ?? "{}").failing),
  }));
  route("POST", "decide", (each, body) => {
    const { id, decision } = read(Decision, body);
    return { decided: each.decide(id, decision) };
  });
  route("POST", "void", (each, body) => ({ voided: each.voidAtProcessor(read(Void, body).id) }));
  route("POST", "refund", (each, body) => {
    const { id, amountCents } = read(Refund, body);
    return { refunded: each.refundAtProcessor(id, amountCents) };
  });
  route("POST", "dispute", (each, body) => {
    const { id, step, amountCents } = read(Dispute, body);
    return { disputed: each.dispute(id, step, amountCents) };
  });
  route("POST", "references", (each, body) => each.allowReferences(read(References, body).allowed));
  route("POST", "webhooks", (each, body) => each.sendWebhooksTo(read(Webhooks, body).url));
}

/** Throws a ZodError or a SyntaxError, both answered with 422. */
function read<T>(shape: z.ZodType<T>, body: unknown): T {
  return shape.parse(JSON.parse(String(body)));
}
