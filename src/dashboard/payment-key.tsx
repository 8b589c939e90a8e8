import { runningTotal } from "#kit/domain/money.ts";
import type { Debit } from "#dues/ledger/contract.ts";
import { type Payment, type PaymentAmounts, paymentHash } from "#dues/ledger/typed-amounts.tsx";
import { newIdempotencyKey } from "#kit/web/idempotency-key.tsx";

const keysOf = new WeakMap<readonly Debit[], Map<string, string>>();

/** The payment of `amounts` on `debits`, with its idempotency key as its name. */
export function paymentOf(debits: readonly Debit[], amounts: PaymentAmounts): Payment {
  const hash = paymentHash(amounts);
  return {
    hash,
    total: runningTotal(Object.values(amounts)),
    name: idempotencyKeyFor(debits, hash),
  };
}

/**
 * The idempotency key of a card payment: the same for the same amounts on the same debits, so a second
 * press, or a press after a lost answer, repeats the payment. It is new once the debits have changed:
 * then an equal amount is another payment.
 */
function idempotencyKeyFor(
  debits: readonly Debit[],
  hash: Readonly<Record<string, string>>,
): string {
  const known = keysOf.get(debits) ?? new Map<string, string>();
  keysOf.set(debits, known);
  const amounts = JSON.stringify(hash);
  const key = known.get(amounts) ?? newIdempotencyKey();
  known.set(amounts, key);
  return key;
}
