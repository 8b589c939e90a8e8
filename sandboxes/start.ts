import fastify, { type FastifyInstance } from "fastify";
import { demoAccounts } from "./accounts.ts";
import { anet } from "./anet/anet.ts";
import { controlRoutes } from "./control.ts";
import { elavon } from "./elavon/elavon.ts";
import { seededRandom } from "./faults.ts";
import { Clock, type House } from "./house.ts";
import { lawpay } from "./lawpay/lawpay.ts";
import { pageRoutes } from "./page.ts";
import { payflow } from "./payflow/payflow.ts";
import { addressesAt, type ProcessorName, processorNames } from "./processors.ts";
import { type Processor, sandboxOf } from "./sandbox.ts";
import type { Sandboxes } from "./sandboxes.ts";
import { Memory } from "./shelf.ts";
import { stripe } from "./stripe/stripe.ts";
import { Post } from "./webhooks.ts";

export type { Sandboxes } from "./sandboxes.ts";

export interface SandboxOptions {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  /** For faults by chance. */
  seed?: number;
  /** JSON lines that outlive the process; without it everything is in memory. */
  stateFile?: string | undefined;
  /** Every call takes at least this long. */
  latencyMs?: number;
}

const makers: Record<ProcessorName, { prefix: string; make: (house: House) => Processor }> = {
  anet: { prefix: "/anet", make: anet },
  // Stripe's SDK can be given a host and a port, but no prefix.
  stripe: { prefix: "/", make: stripe },
  elavon: { prefix: "/elavon", make: elavon },
  lawpay: { prefix: "/lawpay", make: lawpay },
  paypal_payflow_pro: { prefix: "/payflow", make: payflow },
};

/**
 * Open the stand-ins of all five card processors on one address; README.md shows what they offer.
 *
 * Rejects when the port is taken.
 */
export async function startSandboxes(options: SandboxOptions): Promise<Sandboxes> {
  const house: House = {
    clock: new Clock(),
    memory: new Memory(options.stateFile),
    random: seededRandom(options.seed ?? 1),
    latencyMs: options.latencyMs ?? 0,
    post: new Post(),
  };
  const app = fastify({ forceCloseConnections: true, bodyLimit: 1_000_000 });
  takeBodiesAsTheyCome(app);

  const processors = each((name) => makers[name].make(house));
  for (const name of processorNames) {
    const { routes } = processors[name];
    await app.register(async (scope) => routes(scope), { prefix: makers[name].prefix });
  }
  const origin = { value: "" };
  const sandboxes: Sandboxes = {
    ...each((name) => sandboxOf(processors[name])),
    get origin() {
      return origin.value;
    },
    get addresses() {
      return addressesAt(origin.value);
    },
    accounts: demoAccounts,
    advance: (ms) => house.clock.advance(ms),
    reset: () => {
      house.memory.forgetEverything();
      for (const name of processorNames) {
        processors[name].desk.forget();
        processors[name].forget?.();
      }
    },
    idle: () => house.post.idle(),
    close: async () => {
      await house.post.close();
      await app.close();
    },
  };
  await app.register(async (scope) => controlRoutes(scope, sandboxes), { prefix: "/_control" });
  pageRoutes(app);
  origin.value = await app.listen({ port: options.port, host: options.host ?? "127.0.0.1" });
  return sandboxes;
}

function each<T>(make: (name: ProcessorName) => T): Record<ProcessorName, T> {
  return {
    anet: make("anet"),
    stripe: make("stripe"),
    elavon: make("elavon"),
    lawpay: make("lawpay"),
    paypal_payflow_pro: make("paypal_payflow_pro"),
  };
}

/** Each processor reads its own kind of body: forms, JSON, XML in forms, PayPal's name-value text. */
function takeBodiesAsTheyCome(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
}
