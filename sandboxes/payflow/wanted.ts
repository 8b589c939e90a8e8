import { type Cents, centsFromDollars } from "#domain/money.ts";
import type { Fields } from "./name-value.ts";
import { textOf } from "./results.ts";

/** `1234.50`, without a currency sign, above zero. Null for anything else. */
export function amountIn({ AMT: amount = "" }: Fields): Cents | null {
  const cents = /^\d+(\.\d{1,2})?$/.test(amount) ? centsFromDollars(amount) : null;
  return cents !== null && cents > 0 ? cents : null;
}

/** A refusal before anything was run: no PNREF. */
export function refused(result: number, detail = ""): Fields {
  return { RESULT: String(result), RESPMSG: `${textOf(result)}${detail && `: ${detail}`}` };
}
