import type { ProcessorName } from "#features/cards/shapes.ts";
import { anet } from "#features/cards/processors/anet.ts";
import { elavon } from "#features/cards/processors/elavon.ts";
import { lawpay } from "#features/cards/processors/lawpay.ts";
import { payflow } from "#features/cards/processors/payflow.ts";
import type { Processor } from "#features/cards/processors/processor.ts";
import { stripe } from "#features/cards/processors/stripe.ts";

/** Every processor there is, in the order in which an administrator chooses. */
export const processors: Record<ProcessorName, Processor> = {
  stripe,
  anet,
  lawpay,
  elavon,
  paypal_payflow_pro: payflow,
};
