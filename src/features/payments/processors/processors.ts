import type { ProcessorName } from "#features/payments/shapes.ts";
import { anet } from "#features/payments/processors/anet.ts";
import { elavon } from "#features/payments/processors/elavon.ts";
import { lawpay } from "#features/payments/processors/lawpay.ts";
import { payflow } from "#features/payments/processors/payflow.ts";
import type { Processor } from "#features/payments/processors/processor.ts";
import { stripe } from "#features/payments/processors/stripe.ts";

/** Every processor there is, in the order in which an administrator chooses. */
export const processors: Record<ProcessorName, Processor> = {
  stripe,
  anet,
  lawpay,
  elavon,
  paypal_payflow_pro: payflow,
};
