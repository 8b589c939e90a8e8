import type { Cents } from "#kit/domain/money.ts";
import { amountToRefund } from "../sandbox.ts";
import type { Fields } from "./name-value.ts";
import { amountIn, answerOf, pacificTime, refused } from "./reply-fields.ts";
import {
  creditedCents,
  insertTransaction,
  newPnref,
  originalOf,
  type PayflowStore,
  type Transaction,
  voidSale,
} from "./store.ts";
import { resultOfAmount } from "./test-cards.ts";

/** The merchant's rule check: reference transactions are refused until they are allowed. */
const notAllowed = 117;

/** TRXTYPE=S with ORIGID: charge the card of an earlier transaction, if the merchant allows it. */
export function sellByReference(store: PayflowStore, vendor: string, fields: Fields): Fields {
  const amountCents = amountIn(fields);
  if (amountCents === null) return refused(4);
  const original = originalOf(store, vendor, fields);
  if (typeof original === "number") return refused(original);
  if (original.result !== 0) return refused(120);
  const result = store.allowsReferences
    ? original.laterResult || resultOfAmount(amountCents)
    : notAllowed;
  return answerOf(insertReference(store, original, { type: "S", amountCents, result, fields }));
}

/** TRXTYPE=V: before settlement; for a verification, only if reference transactions are allowed. */
export function voidTransaction(store: PayflowStore, vendor: string, fields: Fields): Fields {
  const original = originalOf(store, vendor, fields);
  if (typeof original === "number") return refused(original);
  if (original.type === "A" && !store.allowsReferences) return refused(notAllowed);
  if (!voidSale(store, original.pnref)) return refused(108);
  const TRANSTIME = pacificTime(store.context.clock.now());
  return { RESULT: "0", PNREF: newPnref(), RESPMSG: "Approved", TRANSTIME };
}

/** TRXTYPE=C: after settlement, in whole or in part, up to the amount. */
export function credit(store: PayflowStore, vendor: string, fields: Fields): Fields {
  const original = originalOf(store, vendor, fields);
  if (typeof original === "number") return refused(original);
  const amountCents = fields["AMT"] === undefined ? original.amountCents : amountIn(fields);
  if (amountCents === null) return refused(4);
  const given = creditedCents(store, original.pnref);
  if (!isCreditable(original) || given + amountCents > original.amountCents) return refused(105);
  return answerOf(insertReference(store, original, { type: "C", amountCents, result: 0, fields }));
}

/**
 * In PayPal Manager: all that is left of a settled sale, or a part. A credit copies the sale's INVNUM, but
 * not its CUSTREF. Source: Payflow Pro Developer's Guide, fields copied into a credit.
 */
export function creditElsewhere(store: PayflowStore, id: string, wanted?: number): boolean {
  const sale = store.transactions.get(id);
  if (!sale || !isCreditable(sale)) return false;
  const amountCents = amountToRefund(sale.amountCents - creditedCents(store, id), wanted);
  if (amountCents === null) return false;
  const fields = { INVNUM: sale.invnum };
  insertReference(store, sale, { type: "C", amountCents, result: 0, fields });
  return true;
}

const isCreditable = ({ type, state }: Transaction) => type === "S" && state === "settled";

interface NewReference {
  type: "S" | "C";
  amountCents: Cents;
  result: number;
  fields: Fields;
}

/** A transaction of the same card that refers to the original. */
function insertReference(
  store: PayflowStore,
  original: Transaction,
  { type, amountCents, result, fields }: NewReference,
): Transaction {
  return insertTransaction(store, {
    vendor: original.vendor,
    type,
    result,
    amountCents,
    card: original.card,
    laterResult: original.laterResult,
    custref: fields["CUSTREF"] ?? "",
    invnum: fields["INVNUM"] ?? "",
    origId: original.pnref,
  });
}
