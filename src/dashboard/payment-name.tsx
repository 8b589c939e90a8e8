import { runningTotal } from "#kit/domain/money.ts";
import type { Debit } from "#dues/ledger/contract.ts";
import { type Payment, type PaymentAmounts, paymentHash } from "#dues/ledger/typed-amounts.tsx";
import { newIdempotencyKey } from "#kit/web/idempotency-key.tsx";

const names = new WeakMap<readonly Debit[], Map<string, string>>();

/** The payment of these amounts on these debits. */
export function paymentOf(debits: readonly Debit[], amounts: PaymentAmounts): Payment {
  const hash = paymentHash(amounts);
  return { hash, total: runningTotal(Object.values(amounts)), name: paymentName(debits, hash) };
}

/**
 * The idempotency key of a card payment: the same for the same amounts on the same debits, however often
 * the dialog is opened, so that a second press, or one after a lost answer, is the same payment. New
 * once the debits have changed: then an equal amount is another payment.
 */
function paymentName(debits: readonly Debit[], hash: Readonly<Record<string, string>>): string {
  const known = names.get(debits) ?? new Map<string, string>();
  names.set(debits, known);
  const what = JSON.stringify(hash);
  const name = known.get(what) ?? newIdempotencyKey();
  known.set(what, name);
  return name;
}
