import { type Cents, cents, formatMoney, sum } from "#kit/domain/money.ts";
import type { Check } from "./contract.ts";

/** What checks pay, counting each lawyer and each debit once. */
interface Paid {
  lawyers: number;
  debits: number;
  onDebits: Cents;
  asCredit: Cents;
}

export function paidBy(checks: readonly Check[]): Paid {
  const shares = checks.flatMap((check) => check.shares);
  const credits = checks.flatMap((check) => check.credits);
  return {
    lawyers: new Set([...shares, ...credits].map(({ attorneyId }) => attorneyId)).size,
    debits: new Set(shares.map(({ debitId }) => debitId)).size,
    onDebits: sum(shares.map(({ amount }) => amount)),
    asCredit: sum(credits.map(({ amount }) => amount)),
  };
}

/** "3 attorneys, 5 debits, $90.00 credit". Attorneys are counted only for a firm's check. */
export function forWords(check: Check): string {
  const { lawyers, debits, asCredit } = paidBy([check]);
  const parts = [
    check.payer.kind === "firm" && counted(lawyers, "attorney"),
    debits > 0 && counted(debits, "debit"),
    asCredit > 0 && `${formatMoney(asCredit)} credit`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}

/** "37 checks ($4,120.00)". */
export function checksWords(checks: readonly Check[]): string {
  return `${counted(checks.length, "check")} (${formatMoney(amountOf(checks))})`;
}

/** The checks with only their undecided shares and amounts. */
export function undecidedOf(checks: readonly Check[]): Check[] {
  return checks.map((check) => {
    const decided = check.shares.filter(({ status }) => status !== "pending");
    const amount = cents(check.amount - sum(decided.map((share) => share.amount)));
    return {
      ...check,
      amount,
      shares: check.shares.filter(({ status }) => status === "pending"),
    };
  });
}

/** Whether a share is already approved. Then the check's credit is received, whatever is decided about the rest. */
export const isPartlyApproved = ({ shares }: Check): boolean =>
  shares.some(({ status }) => status === "approved");

export const amountOf = (checks: readonly Check[]): Cents =>
  sum(checks.map(({ amount }) => amount));

/** "1 debit", "1,204 debits". */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
}

/** The address of the payer's page. */
export const payerAddress = ({ kind, id }: Check["payer"]): string =>
  `/admin/${kind === "firm" ? "firms" : "attorneys"}/${id}`;
