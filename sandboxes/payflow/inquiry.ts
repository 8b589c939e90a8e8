import type { Fields } from "./name-value.ts";
import { detailsOf, pacificTime, refused } from "./reply-fields.ts";
import { textOf, type TransactionState } from "./results.ts";
import { newPnref, originalOf, type PayflowStore, type Transaction } from "./store.ts";

const rangeMs = 30 * 86_400_000;

/** TRXTYPE=I: by ORIGID, by SECURETOKEN, or the newest by CUSTREF. RESULT only says that the inquiry worked. */
export function inquire(
  store: PayflowStore,
  vendor: string,
  fields: Fields,
  listedUntil: number,
): Fields {
  const found = findTransaction(store, vendor, fields, listedUntil);
  if (typeof found === "number") return refused(found);
  return {
    RESULT: "0",
    PNREF: newPnref(),
    ORIGRESULT: String(found.result),
    ORIGPNREF: found.pnref,
    RESPMSG: textOf(found.result),
    ...statusOf(found),
    ...detailsOf(found),
    CUSTREF: found.custref,
    INVNUM: found.invnum,
  };
}

/** The transaction, or the RESULT for a missing one. */
function findTransaction(
  store: PayflowStore,
  vendor: string,
  fields: Fields,
  listedUntil: number,
): Transaction | number {
  const { CUSTREF: custref = "", SECURETOKEN: secureToken } = fields;
  if (fields["ORIGID"] !== undefined) {
    const found = originalOf(store, vendor, fields);
    return typeof found === "object" && found.at > listedUntil ? 19 : found;
  }
  const own = store.transactions
    .values()
    .filter((each) => each.vendor === vendor && each.at <= listedUntil);
  if (secureToken !== undefined) {
    return own.findLast((each) => each.secureToken === secureToken) ?? 19;
  }
  if (custref === "") return 7;
  const since = store.context.clock.now() - rangeMs;
  return own.findLast((each) => each.custref === custref && each.at >= since) ?? 20;
}

const transStates: Record<Exclude<TransactionState, "voided">, number> = {
  verified: 0,
  refused: 1,
  pending: 6,
  settled: 8,
  "failed to settle": 11,
  unclear: 106,
  held: 206,
};

/** A void adds a thousand to the earlier state; states a hundred or two higher never settle. */
function statusOf({ state, voidedFrom = "pending", at }: Transaction): Fields {
  if (state === "voided") return { TRANSSTATE: String(1000 + transStates[voidedFrom]) };
  return {
    TRANSSTATE: String(transStates[state]),
    ...(state === "pending" && { DATE_TO_SETTLE: pacificTime(at) }),
    ...(state === "settled" && { SETTLE_DATE: pacificTime(at) }),
  };
}
