import fastify, { type FastifyInstance } from "fastify";
import { demoAccounts } from "./accounts.ts";
import { anet } from "./anet/anet.ts";
import { Clock, type SandboxContext } from "./context.ts";
import { controlRoutes } from "./control.ts";
import { elavon } from "./elavon/elavon.ts";
import { seededRandom } from "./faults.ts";
import { lawpay } from "./lawpay/lawpay.ts";
import { pageRoutes } from "./page.ts";
import { payflow } from "./payflow/payflow.ts";
import { addressesAt, processorNames } from "./processors.ts";
import { RecordStore } from "./record-store.ts";
import { sandboxOf, type Sandboxes } from "./sandbox.ts";
import { stripe } from "./stripe/stripe.ts";

export type { Sandboxes } from "./sandbox.ts";

export interface SandboxOptions {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  /** For random faults. */
  seed?: number;
  /** JSON lines that survive the process; without it everything is in memory. */
  stateFile?: string | undefined;
}

const prefixes = {
  anet: "/anet",
  stripe: "/", // its SDK takes a host and a port, but no prefix
  elavon: "/elavon",
  lawpay: "/lawpay",
  paypal_payflow_pro: "/payflow",
};

/**
 * Start the sandboxes of all five card processors on one address; README.md describes them.
 *
 * Rejects if the port is taken.
 */
export async function startSandboxes(options: SandboxOptions): Promise<Sandboxes> {
  const { port, host = "127.0.0.1", seed = 1, stateFile } = options;
  const records = new RecordStore(stateFile);
  const context: SandboxContext = { clock: new Clock(), records, random: seededRandom(seed) };
  const processors = {
    anet: anet(context),
    stripe: stripe(context),
    elavon: elavon(context),
    lawpay: lawpay(context),
    paypal_payflow_pro: payflow(context),
  };
  const app = fastify({ forceCloseConnections: true, bodyLimit: 1_000_000 });
  keepBodiesAsText(app);
  for (const name of processorNames) {
    const { routes } = processors[name];
    await app.register(async (scope) => routes(scope), { prefix: prefixes[name] });
  }
  const all = Object.values(processors);
  const senders = all.flatMap(({ webhooks }) => webhooks ?? []);
  let origin = "";
  const sandboxes: Sandboxes = {
    anet: sandboxOf(processors.anet),
    stripe: sandboxOf(processors.stripe),
    elavon: sandboxOf(processors.elavon),
    lawpay: sandboxOf(processors.lawpay),
    paypal_payflow_pro: sandboxOf(processors.paypal_payflow_pro),
    get origin() {
      return origin;
    },
    get addresses() {
      return addressesAt(origin);
    },
    accounts: demoAccounts,
    advance: (ms) => context.clock.advance(ms),
    reset: () => {
      records.clear();
      for (const { handler } of all) handler.reset();
      for (const sender of senders) sender.reset();
      processors.paypal_payflow_pro.allowReferences?.(false);
    },
    idle: async () => void (await Promise.all(senders.map((sender) => sender.idle()))),
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()));
      await app.close();
    },
  };
  await app.register(async (scope) => controlRoutes(scope, sandboxes), { prefix: "/_control" });
  pageRoutes(app);
  origin = await app.listen({ port, host });
  return sandboxes;
}

/** Each processor reads its own kind of body: forms, JSON, XML in forms, PayPal's name-value text. */
function keepBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
}
