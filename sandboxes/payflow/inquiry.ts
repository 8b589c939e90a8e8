import { Temporal } from "temporal-polyfill";
import { dollarsText } from "#domain/money.ts";
import {
  cardTypeOf,
  expiryOf,
  type Journal,
  newPnref,
  timeOf,
  type Transaction,
  type TransactionState,
} from "./journal.ts";
import type { Fields } from "./name-value.ts";
import { textOf } from "./results.ts";
import { originalOf } from "./transactions.ts";
import { refused } from "./wanted.ts";

const mostDaysMs = 30 * 86_400_000;

/** TRXTYPE=I: by ORIGID, by SECURETOKEN, or the newest by CUSTREF. RESULT only says that the inquiry worked. */
export function inquire(
  journal: Journal,
  vendor: string,
  wanted: Fields,
  listedUntil: number,
): Fields {
  const found = foundBy(journal, vendor, wanted, listedUntil);
  if (typeof found === "number") return refused(found);
  return {
    RESULT: "0",
    PNREF: newPnref(),
    ORIGRESULT: String(found.result),
    ORIGPNREF: found.pnref,
    RESPMSG: textOf(found.result),
    ...statusOf(found),
    AUTHCODE: found.authCode,
    AMT: dollarsText(found.amountCents),
    ACCT: found.card.last4,
    EXPDATE: expiryOf(found.card),
    CARDTYPE: cardTypeOf(found.card),
    AVSADDR: found.letters.address,
    AVSZIP: found.letters.zip,
    CVV2MATCH: found.letters.code,
    CUSTREF: found.custref,
    INVNUM: found.invnum,
    TRANSTIME: timeOf(found.at),
  };
}

function foundBy(
  journal: Journal,
  vendor: string,
  wanted: Fields,
  listedUntil: number,
): Transaction | number {
  const { CUSTREF: custref, SECURETOKEN: secureToken } = wanted;
  if (wanted["ORIGID"] !== undefined) {
    const found = originalOf(journal, vendor, wanted);
    return typeof found === "object" && found.at > listedUntil ? 19 : found;
  }
  const own = journal.transactions
    .values()
    .filter((each) => each.vendor === vendor && each.at <= listedUntil);
  if (secureToken !== undefined) {
    return own.findLast((each) => each.secureToken === secureToken) ?? 19;
  }
  if (custref === undefined || custref === "") return 7;
  const period = periodOf(wanted, journal.house.clock.now());
  if (!period) return 7;
  const isWithin = ({ at }: Transaction) => at >= period.from && at <= period.to;
  return own.findLast((each) => each.custref === custref && isWithin(each)) ?? 20;
}

/** The last thirty days, or at most thirty from STARTTIME to ENDTIME. */
function periodOf({ STARTTIME: start, ENDTIME: end }: Fields, nowMs: number) {
  const to = end === undefined ? nowMs : readTime(end);
  const from = start === undefined ? (to ?? nowMs) - mostDaysMs : readTime(start);
  if (from === null || to === null || to < from || to - from > mostDaysMs) return null;
  return { from, to };
}

/** `yyyymmddhhmmss`, in Pacific time. */
function readTime(text: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  try {
    const time = Temporal.PlainDateTime.from(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
    return time.toZonedDateTime("America/Los_Angeles").epochMilliseconds;
  } catch {
    return null; // no such day or time
  }
}

const transStates: Record<Exclude<TransactionState, "voided" | "authorized">, number> = {
  refused: 1,
  pending: 6,
  settled: 8,
  "failed to settle": 11,
  unclear: 106,
  held: 206,
};

/** A void adds a thousand to what it was; a hundred or two more do not settle. */
function statusOf({ state, voidedFrom, amountCents, at }: Transaction): Fields {
  const numberOf = (standing: TransactionState) => {
    if (standing === "authorized" || standing === "voided") return amountCents === 0 ? 0 : 3;
    return transStates[standing];
  };
  if (state === "voided") return { TRANSSTATE: String(1000 + numberOf(voidedFrom ?? "pending")) };
  const settles = state === "pending" && { DATE_TO_SETTLE: timeOf(at) };
  const hasSettled = state === "settled" && { SETTLE_DATE: timeOf(at) };
  return { TRANSSTATE: String(numberOf(state)), ...settles, ...hasSettled };
}
