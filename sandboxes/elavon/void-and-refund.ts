import { centsFromDollars } from "#domain/money.ts";
import { errorReply } from "./errors.ts";
import { type Caller, saleFields } from "./query.ts";
import { newTxnId, returnedCents, type Transaction } from "./store.ts";
import type { Fields } from "./xml.ts";

/** ccvoid: while the batch is open. The answer carries an id of its own. */
export function voidSale(caller: Caller, fields: Fields): Fields {
  const found = transactionOf(caller, fields);
  if (found?.state !== "open" || !found.outcome.isApproved) return errorReply("5040");
  const { transactions } = caller.store;
  const voided = transactions.set(found.id, { ...found, state: "voided" });
  return { ...saleFields(voided), ssl_txn_id: newTxnId(caller.store) };
}

/** ccreturn: after settlement, the whole or a part, up to the amount. */
export function refundSale(caller: Caller, fields: Fields): Fields {
  const { store } = caller;
  const sale = transactionOf(caller, fields);
  if (sale?.state !== "settled" || sale.type !== "SALE") return errorReply("5040");
  const { ssl_amount: amount } = fields;
  const amountCents = amount === undefined ? sale.amountCents : centsFromDollars(amount);
  if (amountCents === null || amountCents <= 0) return errorReply("5002");
  if (returnedCents(store, sale.id) + amountCents > sale.amountCents) return errorReply("5091");
  const refund: Transaction = {
    ...sale,
    id: newTxnId(store),
    type: "RETURN",
    amountCents,
    state: "open",
    saleId: sale.id,
    at: store.context.clock.now(),
  };
  return saleFields(store.transactions.set(refund.id, refund));
}

function transactionOf({ store, merchantId }: Caller, fields: Fields): Transaction | undefined {
  const found = store.transactions.get(fields["ssl_txn_id"] ?? "");
  return found?.merchantId === merchantId ? found : undefined;
}
