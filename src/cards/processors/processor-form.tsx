import type { z } from "zod";
import type { Answer } from "#kit/web/api.tsx";
import type { Attorney } from "#people/contract.ts";
import type { dashboardSettings } from "#cards/contract.ts";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";

/** The network's card settings that a browser may know. */
export type CardAcceptance = z.output<typeof dashboardSettings.object>;

/** The server's answer to a card payment; its message explains anything but a plain "paid". */
export type Paid = Answer<Attorney>;

/**
 * Everything the product needs of a card processor in the browser: a form that turns a card into a token
 * and pays with it. Each file beside this one is one processor's; `CardPayment.tsx` lists them and loads
 * only the one the network uses. docs/adding-a-processor.md
 */
export interface ProcessorFormProps {
  acceptance: CardAcceptance;
  payment: Payment;
  /**
   * Send the token to our server, which charges the card or verifies that the browser did. The same token
   * again returns the payment's outcome. Throws a CallFailure when the card is declined.
   */
  pay: (token: string) => Promise<Paid>;
  onPaid: (paid: Paid) => void;
}

/** The processor's result for a card: a single-use token, or its own error messages. */
export type CardRead = { token: string } | { apiErrors: readonly string[] };
