import type { ProcessorName } from "#cards/shapes.ts";
import { anet } from "#cards/processors/anet.ts";
import { elavon } from "#cards/processors/elavon.ts";
import { lawpay } from "#cards/processors/lawpay.ts";
import { payflow } from "#cards/processors/payflow.ts";
import type { Processor } from "#cards/processors/processor.ts";
import { stripe } from "#cards/processors/stripe.ts";

/** In the order shown to administrators. */
export const processors: Record<ProcessorName, Processor> = {
  stripe,
  anet,
  lawpay,
  elavon,
  paypal_payflow_pro: payflow,
};
