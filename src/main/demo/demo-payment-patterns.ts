import type { PlainDate } from "#kit/domain/calendar.ts";

/** A debit of an attorney; `number` counts its plan's debits, the newest being 0. */
export interface DemoDebit {
  plan: string;
  dueOn: PlainDate;
  amountCents: number;
  ageInDays: number;
  number: number;
}

/** One debit's adjustments and checks, in days after it was due; those after today are left out. */
export interface DebitStory {
  adjusted?: { afterDays: number; amountCents: number; note: string };
  checks: { afterDays: number; amountCents: number; isDenied?: boolean }[];
}

/** How an attorney pays a debit. */
type PaymentPattern = (debit: DemoDebit) => DebitStory;

/** Days from a debit's due date to the payday, a day of the month, `months` later. */
function daysUntil({ dueOn }: DemoDebit, payday: number, months = 0): number {
  const paidOn = dueOn.with({ day: payday }).add({ months });
  return dueOn.until(paidOn).days;
}

/** One check a month for everything due in it: plans are due on the 15th at the latest. */
const fullAmounts =
  (payday: number): PaymentPattern =>
  (debit) => ({
    checks: [{ afterDays: daysUntil(debit, payday), amountCents: debit.amountCents }],
  });

/** The increase of a debit that is paid late. */
export const lateFee = { amountCents: 15_00, note: "Late fee" };

/** One check a quarter, in its last month. */
const inFullEachQuarter =
  (payday: number): PaymentPattern =>
  (debit) => {
    const afterDays = daysUntil(debit, payday, (12 - debit.dueOn.month) % 3);
    return { checks: [{ afterDays, amountCents: debit.amountCents }] };
  };

/** For the last half year; earlier, on time. */
const paysOnlyWithLateFee: PaymentPattern = (debit) => {
  if (debit.ageInDays > 180) return fullAmounts(20)(debit);
  const amountCents = debit.amountCents + lateFee.amountCents;
  return {
    adjusted: { afterDays: 31, ...lateFee },
    checks: [{ afterDays: daysUntil(debit, 20, 1), amountCents }],
  };
};

/** The bank returns one check in five; a second one follows. */
const writesBadChecks: PaymentPattern = (debit) => {
  const { amountCents, number } = debit;
  const payday = 18;
  if (number % 5 !== 1) return fullAmounts(payday)(debit);
  return {
    checks: [
      { afterDays: daysUntil(debit, payday), amountCents, isDenied: true },
      { afterDays: daysUntil(debit, payday, 1), amountCents },
    ],
  };
};

const hasStoppedPaying: PaymentPattern = (debit) =>
  debit.ageInDays < 120 ? { checks: [] } : fullAmounts(25)(debit);

const paysInHalves: PaymentPattern = (debit) => {
  const half = Math.floor(debit.amountCents / 2);
  return {
    checks: [
      { afterDays: daysUntil(debit, 21), amountCents: half },
      { afterDays: daysUntil(debit, 21, 1), amountCents: debit.amountCents - half },
    ],
  };
};

const isGrantedHalf: PaymentPattern = (debit) => {
  const half = Math.floor(debit.amountCents / 2);
  if (debit.ageInDays > 100) return fullAmounts(26)(debit);
  return {
    adjusted: { afterDays: 5, amountCents: -half, note: "Reduced by half: hardship request" },
    checks: [{ afterDays: daysUntil(debit, 26), amountCents: debit.amountCents - half }],
  };
};

const paymentPatterns: readonly PaymentPattern[] = [
  fullAmounts(17),
  paysOnlyWithLateFee,
  inFullEachQuarter(22),
  writesBadChecks,
  fullAmounts(16),
  hasStoppedPaying,
  inFullEachQuarter(19),
  paysInHalves,
  inFullEachQuarter(24),
  isGrantedHalf,
];

/** An ordinary attorney's debit. Attorneys have different patterns, so that debits are in every state. */
export function storyByPattern(debit: DemoDebit, attorneyNumber: number): DebitStory {
  const pattern = paymentPatterns[attorneyNumber % paymentPatterns.length] ?? fullAmounts(17);
  return pattern(debit);
}
