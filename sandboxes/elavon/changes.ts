import { centsFromDollars } from "#domain/money.ts";
import { type Batch, newTxnId, returnedCents, type Transaction } from "./batch.ts";
import { failure } from "./failures.ts";
import { saleFields, type View } from "./query.ts";
import type { Fields } from "./xml.ts";

/** ccvoid, ccdelete: while the batch is open. The answer carries an id of its own. */
export function takeBack(view: View, wanted: Fields, state: "voided" | "deleted"): Fields {
  const found = ofMerchant(view, wanted);
  if (found?.state !== "open" || !found.verdict.isApproved) return failure("5040");
  view.batch.transactions.set(found.id, { ...found, state });
  const type = state === "voided" ? "VOID" : "DELETE";
  return done(view.batch, found, type);
}

/** ccreturn: after settlement, the whole or a part, up to the amount. */
export function giveBack(view: View, wanted: Fields): Fields {
  const { batch } = view;
  const sale = ofMerchant(view, wanted);
  if (sale?.state !== "settled" || sale.type !== "SALE") return failure("5040");
  const amount = wanted["ssl_amount"];
  const amountCents = amount === undefined ? sale.amountCents : centsFromDollars(amount);
  if (amountCents === null || amountCents <= 0) return failure("5002");
  if (returnedCents(batch, sale.id) + amountCents > sale.amountCents) return failure("5091");
  const id = newTxnId(batch);
  const at = batch.house.clock.now();
  const returned: Transaction = {
    ...sale,
    id,
    type: "RETURN",
    amountCents,
    state: "open",
    saleId: sale.id,
    at,
  };
  return saleFields(batch.transactions.set(id, returned));
}

function ofMerchant({ batch, merchantId }: View, wanted: Fields): Transaction | undefined {
  const found = batch.transactions.get(wanted["ssl_txn_id"] ?? "");
  return found?.merchantId === merchantId ? found : undefined;
}

function done(batch: Batch, transaction: Transaction, type: string): Fields {
  return {
    ...saleFields(transaction),
    ssl_transaction_type: type,
    ssl_txn_id: newTxnId(batch),
  };
}
