import type { PlainDate } from "#kit/domain/calendar.ts";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { invalid } from "#kit/contract/refusal.ts";

interface DepositedCheck {
  checkNumber: string;
  receivedOn: Day;
  returnedOn: Day | null;
}

/** Throws 422 for a deposit's date more than a year ago or more than 7 days ahead. */
export function refuseFarDay(day: Day, today: PlainDate): void {
  if (day < today.subtract({ years: 1 }).toString())
    throw invalid("deposited_on", "Deposited on must be at most a year ago.");
  const latest = today.add({ days: 7 }).toString();
  if (day > latest)
    throw invalid(
      "deposited_on",
      `Deposited on must be at most 7 days ahead: ${formatDay(latest)} or earlier.`,
    );
}

/**
 * Throws 422 for a day before a check was received or after the bank returned one, naming that day. A deposit whose date
 * `before` this change was already later than a check's return may stay so.
 */
export function refuseImpossibleDay(
  day: Day,
  checks: readonly DepositedCheck[],
  before: Day = day,
): void {
  for (const { checkNumber, receivedOn, returnedOn } of checks) {
    const check = `check ${checkNumber}`;
    if (day < receivedOn)
      throw invalid(
        "deposited_on",
        `Deposited on must be ${formatDay(receivedOn)} or later, because ${check} was received on that date.`,
      );
    if (returnedOn !== null && day > returnedOn && before <= returnedOn)
      throw invalid(
        "deposited_on",
        `Deposited on must be ${formatDay(returnedOn)} or earlier, because the bank returned ${check} on that date.`,
      );
  }
}

/**
 * Throws 422 for a banked day in the future or before the deposit's date, naming the date. Source: book rule 3.
 */
export function refuseBankedOn(
  day: Day,
  deposit: { number: number; depositedOn: Day },
  today: PlainDate,
): void {
  const own = formatDay(deposit.depositedOn);
  if (deposit.depositedOn > today.toString())
    throw invalid(
      "banked_on",
      `Deposit ${deposit.number} is dated ${own}, which is in the future. Change its date first.`,
    );
  if (day > today.toString()) throw invalid("banked_on", "Banked on must not be in the future.");
  if (day < deposit.depositedOn)
    throw invalid("banked_on", `Banked on must be the deposit's date, ${own}, or later.`);
}
