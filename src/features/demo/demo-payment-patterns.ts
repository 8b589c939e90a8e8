import type { DemoDebit, DebitStory } from "#features/demo/demo-stories.ts";

/** How an attorney pays a debit; `number` counts the attorney's debits, the newest being 0. */
type PaymentPattern = (debit: DemoDebit, number: number) => DebitStory;

const inFull =
  (afterDays: number): PaymentPattern =>
  ({ amountCents }) => ({ checks: [{ afterDays, amountCents }] });

/** What a debit that is paid late is increased by. */
export const lateFee = { amountCents: 15_00, note: "Late fee" };

const paysOnlyWithLateFee: PaymentPattern = ({ amountCents }) => ({
  adjusted: { afterDays: 31, ...lateFee },
  checks: [{ afterDays: 40, amountCents: amountCents + lateFee.amountCents }],
});

/** The bank returns one check in five; a second one follows. */
const writesBadChecks: PaymentPattern = (debit, number) => {
  const { amountCents } = debit;
  if (number % 5 !== 1) return inFull(8)(debit, number);
  return {
    checks: [
      { afterDays: 8, amountCents, isDenied: true },
      { afterDays: 22, amountCents },
    ],
  };
};

const hasStoppedPaying: PaymentPattern = (debit, number) =>
  debit.ageInDays < 120 ? { checks: [] } : inFull(18)(debit, number);

const paysInHalves: PaymentPattern = ({ amountCents }) => {
  const half = Math.floor(amountCents / 2);
  return {
    checks: [
      { afterDays: 10, amountCents: half },
      { afterDays: 45, amountCents: amountCents - half },
    ],
  };
};

const isGrantedHalf: PaymentPattern = (debit, number) => {
  const half = Math.floor(debit.amountCents / 2);
  if (debit.ageInDays > 100) return inFull(12)(debit, number);
  return {
    adjusted: { afterDays: 5, amountCents: -half, note: "Reduced by half: hardship request" },
    checks: [{ afterDays: 25, amountCents: debit.amountCents - half }],
  };
};

const paymentPatterns: readonly PaymentPattern[] = [
  inFull(6),
  paysOnlyWithLateFee,
  inFull(11),
  writesBadChecks,
  inFull(4),
  hasStoppedPaying,
  inFull(9),
  paysInHalves,
  inFull(2),
  isGrantedHalf,
];

/** The stories of an ordinary attorney's debits: each attorney has a pattern, so that debits are in every state. */
export function storiesByPattern(
  debits: DemoDebit[],
  attorneyNumber: number,
): Map<DemoDebit, DebitStory> {
  const pattern = paymentPatterns[attorneyNumber % paymentPatterns.length] ?? inFull(6);
  return new Map(debits.map((debit, number) => [debit, pattern(debit, number)]));
}
