import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { callNames, faultKinds } from "./faults.ts";
import { isProcessorName, type ProcessorName } from "./processors.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Sandboxes } from "./sandboxes.ts";

const Order = z.strictObject({
  call: z.enum(callNames).optional(),
  kind: z.enum(faultKinds),
  times: z.int().min(1).optional(),
  chance: z.number().min(0).max(1).optional(),
  delayMs: z.int().min(0).optional(),
});
const Settlement = z.strictObject({ failing: z.array(z.string()).optional() });
const Decision = z.strictObject({ id: z.string(), decision: z.enum(["approve", "decline"]) });
const Voided = z.strictObject({ id: z.string() });
const References = z.strictObject({ allowed: z.boolean() });
const Address = z.strictObject({ url: z.url() });
const Advance = z.strictObject({ advanceMs: z.int() });

/**
 * Steering over HTTP, for other processes.
 *
 * Only JSON is taken and no other origin is let in, so a web page elsewhere cannot steer a sandbox.
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
  const orderAll = (path: string, obey: (body: unknown) => void) =>
    app.post(path, (request, reply) => {
      obey(request.body);
      void reply.send({});
    });
  orderAll("/clock", (body) => sandboxes.advance(read(Advance, body).advanceMs));
  orderAll("/reset", () => sandboxes.reset());

  const ask = (path: string, answer: (sandbox: Sandbox) => object) =>
    app.get<{ Params: { processor: string } }>(`/:processor/${path}`, async (request, reply) => {
      const sandbox = named(sandboxes, request.params.processor);
      return sandbox ? answer(sandbox) : await unknown(reply);
    });
  ask("charges", (sandbox) => ({ charges: sandbox.charges(), totals: sandbox.totals() }));
  ask("calls", (sandbox) => ({ calls: sandbox.calls() }));
  ask("deliveries", (sandbox) => ({ deliveries: sandbox.deliveries() }));
  ask("faults", (sandbox) => ({ faults: sandbox.standingFaults() }));

  const order = (path: string, answer: (sandbox: Sandbox, body: unknown) => object) =>
    app.post<{ Params: { processor: string } }>(`/:processor/${path}`, async (request, reply) => {
      const sandbox = named(sandboxes, request.params.processor);
      return sandbox ? answer(sandbox, request.body) : await unknown(reply);
    });
  order("faults", (sandbox, body) => {
    sandbox.fail(read(Order, body));
    return { faults: sandbox.standingFaults() };
  });
  order("settle", (sandbox, body) => ({
    settled: sandbox.settle(read(Settlement, body ?? "{}").failing),
  }));
  order("decide", (sandbox, body) => {
    const { id, decision } = read(Decision, body);
    return { decided: sandbox.decide(id, decision) };
  });
  order("void", (sandbox, body) => ({ voided: sandbox.voidElsewhere(read(Voided, body).id) }));
  order("references", (sandbox, body) => {
    sandbox.allowReferences(read(References, body).allowed);
    return {};
  });
  order("webhooks", (sandbox, body) => {
    sandbox.sendWebhooksTo(read(Address, body).url);
    return {};
  });
  app.delete<{ Params: { processor: string } }>("/:processor/faults", async (request, reply) => {
    const sandbox = named(sandboxes, request.params.processor);
    sandbox?.stopFailing();
    return sandbox ? { faults: [] } : await unknown(reply);
  });
}

function named(sandboxes: Sandboxes, name: string): Sandbox | null {
  return isProcessorName(name) ? sandboxes[name satisfies ProcessorName] : null;
}

async function unknown(reply: FastifyReply) {
  return await reply.code(404).send({ message: "There is no such processor." });
}

/** Throws a ZodError or a SyntaxError, both answered with 422. */
function read<T>(shape: z.ZodType<T>, body: unknown): T {
  return shape.parse(JSON.parse(String(body)));
}
