import type { PlainDate } from "#kit/domain/calendar.ts";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { invalid } from "#kit/contract/refusal.ts";

interface DepositedCheck {
  checkNumber: string;
  receivedOn: Day;
  returnedOn: Day | null;
}

/** Throws 422 for a day of a deposit that is over a year back or over 7 days ahead. */
export function refuseFarDay(day: Day, today: PlainDate): void {
  if (day < today.subtract({ years: 1 }).toString())
    throw invalid("deposited_on", "Deposited on must be at most a year back.");
  const latest = today.add({ days: 7 }).toString();
  if (day > latest)
    throw invalid(
      "deposited_on",
      `Deposited on must be at most 7 days ahead, ${formatDay(latest)} or earlier.`,
    );
}

/**
 * Throws 422 for a day before a check was received, or after the bank returned one, naming that day. A deposit that was
 * dated ahead, `before` its day, may be later than the return of a check already.
 */
export function refuseImpossibleDay(
  day: Day,
  checks: readonly DepositedCheck[],
  before: Day = day,
): void {
  for (const { checkNumber, receivedOn, returnedOn } of checks) {
    const check = `Check ${checkNumber}`;
    if (day < receivedOn)
      throw invalid(
        "deposited_on",
        `${check} was received on ${formatDay(receivedOn)}: Deposited on must not be earlier.`,
      );
    if (returnedOn !== null && day > returnedOn && before <= returnedOn)
      throw invalid(
        "deposited_on",
        `The bank returned check ${checkNumber} on ${formatDay(returnedOn)}: Deposited on must not be later.`,
      );
  }
}

/**
 * Throws 422 for a day on which the bank cannot have a deposit: one to come, or before the deposit's own, naming that.
 * Source: book rule 3.
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
    throw invalid("banked_on", `Banked on must not be before the deposit's date, ${own}.`);
}
