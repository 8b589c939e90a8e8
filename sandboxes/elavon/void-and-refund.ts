import { type Cents, centsFromDollars } from "#kit/domain/money.ts";
import { amountToRefund } from "../sandbox.ts";
import { errorReply } from "./errors.ts";
import { type Caller, saleFields } from "./query.ts";
import { type ElavonStore, newTxnId, returnedCents, type Transaction } from "./store.ts";
import type { Fields } from "./xml.ts";

/** ccvoid: while the batch is open. The answer has its own id. */
export function voidSale(caller: Caller, fields: Fields): Fields {
  const found = transactionOf(caller, fields);
  if (found?.state !== "open" || !found.outcome.isApproved) return errorReply("5040");
  const { transactions } = caller.store;
  const voided = transactions.set(found.id, { ...found, state: "voided" });
  return { ...saleFields(voided), ssl_txn_id: newTxnId(caller.store) };
}

/** In Converge's own pages; false if it is too late. */
export function voidAtProcessor({ transactions }: ElavonStore, id: string): boolean {
  const found = transactions.get(id);
  if (found?.state !== "open" || !found.outcome.isApproved) return false;
  transactions.set(id, { ...found, state: "voided" });
  return true;
}

/** In Converge's own pages: all that is left of a settled sale, or a part. */
export function refundAtProcessor(store: ElavonStore, id: string, wanted?: number): boolean {
  const sale = store.transactions.get(id);
  if (sale?.state !== "settled" || sale.type !== "SALE") return false;
  const amountCents = amountToRefund(sale.amountCents - returnedCents(store, id), wanted);
  if (amountCents === null) return false;
  insertReturn(store, sale, amountCents);
  return true;
}

/** ccreturn: after settlement, in whole or in part, up to the amount. */
export function refundSale(caller: Caller, fields: Fields): Fields {
  const { store } = caller;
  const sale = transactionOf(caller, fields);
  if (sale?.state !== "settled" || sale.type !== "SALE") return errorReply("5040");
  const { ssl_amount: amount } = fields;
  const amountCents = amount === undefined ? sale.amountCents : centsFromDollars(amount);
  if (amountCents === null || amountCents <= 0) return errorReply("5002");
  if (returnedCents(store, sale.id) + amountCents > sale.amountCents) return errorReply("5091");
  return saleFields(insertReturn(store, sale, amountCents));
}

function insertReturn(store: ElavonStore, sale: Transaction, amountCents: Cents): Transaction {
  const id = newTxnId(store);
  return store.transactions.set(id, {
    ...sale,
    id,
    type: "RETURN",
    amountCents,
    state: "open",
    saleId: sale.id,
    at: store.context.clock.now(),
  });
}

function transactionOf({ store, merchantId }: Caller, fields: Fields): Transaction | undefined {
  const found = store.transactions.get(fields["ssl_txn_id"] ?? "");
  return found?.merchantId === merchantId ? found : undefined;
}
