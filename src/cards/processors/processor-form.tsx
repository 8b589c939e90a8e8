import type { z } from "zod";
import type { Answer } from "#kit/web/api.tsx";
import type { Attorney } from "#people/contract.ts";
import type { dashboardSettings } from "#cards/contract.ts";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";

/** How the network takes cards, as far as a browser may know. */
export type CardAcceptance = z.output<typeof dashboardSettings.object>;

/** What the server answers to a card payment; a message says what is not simply "paid". */
export type Paid = Answer<Attorney>;

/**
 * All that the product asks of a card processor in the browser: a form which turns a card into a
 * token and pays with it. Each of the files beside this one is one processor's; `CardPayment.tsx`
 * lists them, and loads only the one that the network uses. docs/adding-a-processor.md
 */
export interface ProcessorFormProps {
  acceptance: CardAcceptance;
  payment: Payment;
  /**
   * Send the token to our server, which charges the card, or verifies that the browser did. The same
   * token again answers what has become of it. Throws a CallFailure when the card is declined.
   */
  pay: (token: string) => Promise<Paid>;
  onPaid: (paid: Paid) => void;
}

/** What a processor made of a card: a token to be used once, or its own words why not. */
export type CardRead = { token: string } | { apiErrors: readonly string[] };
