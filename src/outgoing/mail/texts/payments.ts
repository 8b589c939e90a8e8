import { z } from "zod";
import { type Day, daysBetween, formatDay } from "#kit/domain/day.ts";
import { cents, formatMoney, negated, sum } from "#kit/domain/money.ts";
import type { MailText } from "./mail-text.ts";

/**
 * What happened to the payment: a check changed state; or a card payment was captured, refunded, not refunded
 * after all, not collected by the processor, or collected after all; or a check whose shares were decided one
 * by one brought credit.
 */
const ReceiptEvent = z.enum([
  "recorded",
  "approved",
  "denied",
  "captured",
  "refunded",
  "counts again",
  "failed",
  "came through",
  "credited",
]);
export type ReceiptEvent = z.output<typeof ReceiptEvent>;

/** Both follow "Your check 1001 for $75.00" or "Your card payment of $75.00". */
const receipts: Record<ReceiptEvent, [subject: string, sentence: string]> = {
  recorded: [
    "is recorded",
    "has been recorded and is waiting for confirmation. Until then, these amounts are reserved:",
  ],
  approved: ["is approved", "has been approved. Thank you. These amounts are paid:"],
  denied: ["was not accepted", "was not accepted. You still owe these amounts:"],
  captured: ["is received", "has been received. Thank you. These amounts are paid:"],
  refunded: ["is refunded", "has been refunded. These amounts are owed again:"],
  "counts again": [
    "could not be refunded",
    "could not be refunded: the card processor returned the refund to your referral service. Your payment is valid again. These amounts are paid:",
  ],
  failed: [
    "could not be collected",
    "was approved, but the card processor could not collect it from your card's bank. These amounts are owed again:",
  ],
  "came through": [
    "was collected after all",
    "was collected from your card's bank after all. These amounts are paid. You do not need to pay them again:",
  ],
  credited: ["added credit to your account", "has added credit to your account:"],
};

/** Whether an event reopens debits that a card had paid, or removes credit that it had added. */
const reversesPayment = (event: ReceiptEvent) => event === "refunded" || event === "failed";

/** The label of a payment's credit in its receipt. */
function creditLabel(event: ReceiptEvent): string {
  if (event === "denied") return "Credit not received";
  if (reversesPayment(event)) return "Credit removed";
  return event === "recorded" ? "Credit once confirmed" : "Credit on your account";
}

export const Receipt = z.object({
  kind: z.literal("receipt"),
  event: ReceiptEvent,
  firstName: z.string(),
  /** Null for a card payment. */
  checkNumber: z.string().nullable(),
  /** In the order of the list. */
  shares: z.array(
    z.object({
      plan: z.string(),
      note: z.string(),
      dueOn: z.string(),
      amountCents: z.int().transform(cents),
    }),
  ),
  /** The part of a check that pays no debit and becomes credit. */
  creditCents: z.int().default(0).transform(cents),
  /** The whole card payment, of which this may be a part. Null for a check. */
  paidCents: z.int().nullable().default(null),
  /** The law firm that wrote the check. Null for the attorney's own check. */
  firm: z.string().nullable().default(null),
  /** The attorney has left the panel and cannot open the linked page. */
  hasLeft: z.boolean().default(false),
});

type Share = z.output<typeof Receipt>["shares"][number];

const shareLine = ({ plan, note, dueOn, amountCents }: Share): string =>
  `  ${plan}${note && ` (${note})`}, due ${formatDay(dueOn)}: ${formatMoney(amountCents)}`;

export function receipt(of: z.output<typeof Receipt>): MailText {
  const { event, firstName, checkNumber, shares, creditCents, firm, hasLeft } = of;
  const [subject, text] = receipts[event];
  const isAllOwed = shares.length > 0 && creditCents === 0;
  const sentence =
    reversesPayment(event) && !isAllOwed
      ? text.replace("These amounts are owed again:", "These amounts changed:")
      : text;
  const totalCents = sum([...shares.map((share) => share.amountCents), creditCents]);
  const total = formatMoney(totalCents);
  const check = `check ${checkNumber}${firm === null ? "" : ` from ${firm}`} for ${total}`;
  const whose = firm === null ? "Your" : "Your part of";
  const payment =
    of.paidCents !== null && totalCents < of.paidCents
      ? `${total} of your card payment of ${formatMoney(cents(of.paidCents))}`
      : `${whose} ${checkNumber === null ? `card payment of ${total}` : check}`;
  const amounts = shares.map(shareLine);
  if (creditCents > 0) amounts.push(`  ${creditLabel(event)}: ${formatMoney(creditCents)}`);
  return {
    subject: `${payment} ${subject}`,
    body: [
      `Dear ${firstName},`,
      `${payment} ${sentence}`,
      amounts.join("\n"),
      ...(hasLeft ? [] : ["View or print the payment:"]),
    ].join("\n\n"),
  };
}

/** The bank returned a check, so its debits are owed again. The subject leaves out the check number. */
export const CheckReturned = Receipt.pick({
  firstName: true,
  shares: true,
  firm: true,
  hasLeft: true,
}).extend({
  kind: z.literal("check returned"),
  checkNumber: z.string(),
  returnedOn: z.string(),
  /** Unused credit from the check. */
  takenBackCents: z.int().transform(cents),
  /** Credit from the check that was since refunded to the attorney. */
  chargedCents: z.int().transform(cents),
  /** The denied part of the check, if it was already refunded. */
  heldCents: z.int().default(0).transform(cents),
  feeCents: z.int().transform(cents),
  /** How much of these three other credit has paid immediately. */
  fromCreditCents: z.int().default(0).transform(cents),
});

export function checkReturned(of: z.output<typeof CheckReturned>): MailText {
  const { firstName, checkNumber, firm, returnedOn, shares } = of;
  const check = firm === null ? `your check ${checkNumber}` : `check ${checkNumber} from ${firm}`;
  const owed = sum([
    ...shares.map((share) => share.amountCents),
    of.chargedCents,
    of.heldCents,
    of.feeCents,
    negated(of.fromCreditCents),
  ]);
  const paragraphs = [
    `Dear ${firstName},`,
    `The bank returned ${check} on ${formatDay(returnedOn)}.`,
    ...(shares.length > 0
      ? ["These amounts are owed again:", shares.map(shareLine).join("\n")]
      : []),
    ...(of.takenBackCents > 0
      ? [
          `${formatMoney(of.takenBackCents)} of credit from this check was removed from your account.`,
        ]
      : []),
    ...(of.chargedCents > 0
      ? [
          `${formatMoney(of.chargedCents)} of credit from this check was already refunded to you. It is now charged to your account.`,
        ]
      : []),
    ...(of.heldCents > 0
      ? [
          `${formatMoney(of.heldCents)} of this check was not accepted and was refunded. It is now charged to your account.`,
        ]
      : []),
    ...(of.feeCents > 0
      ? [`A fee of ${formatMoney(of.feeCents)} for the returned check is charged to your account.`]
      : []),
    ...(of.fromCreditCents > 0
      ? [
          `Other credit on your account has paid ${formatMoney(of.fromCreditCents)} of these charges.`,
        ]
      : []),
    ...(owed > 0 ? [`In total, you owe ${formatMoney(owed)} for this check.`] : []),
    ...(owed === 0 && of.fromCreditCents > 0 ? ["You owe nothing for this check."] : []),
    ...(of.hasLeft ? [] : ["Your account:"]),
  ];
  return {
    subject: `${firm === null ? "Your check" : "A check from your firm"} was returned by the bank`,
    body: paragraphs.join("\n\n"),
  };
}

/** The balances before and after a month that has ended. */
export const MonthlyStatement = z.object({
  kind: z.literal("statement"),
  firstName: z.string(),
  from: z.string(),
  to: z.string(),
  openingCents: z.int().transform(cents),
  chargedCents: z.int().transform(cents),
  paidCents: z.int().transform(cents),
  /** Emails queued by an older version include these in the sums above. */
  takenBackCents: z.int().default(0).transform(cents),
  adjustedCents: z.int().default(0).transform(cents),
  closingCents: z.int().transform(cents),
  creditCents: z.int().transform(cents),
});

export function monthlyStatement(of: z.output<typeof MonthlyStatement>): MailText {
  const month = formatMonth(of.from);
  const lines = [
    `  Balance before ${formatDay(of.from)}: ${formatMoney(of.openingCents)}`,
    `  Charges: ${formatMoney(of.chargedCents)}`,
    `  Payments: ${formatMoney(of.paidCents)}`,
    ...(of.takenBackCents === 0 ? [] : [`  Payments reversed: ${formatMoney(of.takenBackCents)}`]),
    ...(of.adjustedCents === 0 ? [] : [`  Adjustments: ${formatMoney(of.adjustedCents)}`]),
    `  Balance on ${formatDay(of.to)}: ${formatMoney(of.closingCents)}`,
  ];
  if (of.creditCents > 0) {
    lines.push(`  Credit on your account: ${formatMoney(of.creditCents)}`);
    if (of.closingCents > 0) {
      const left = cents(Math.max(of.closingCents - of.creditCents, 0));
      lines.push(`  Balance after your credit: ${left === 0 ? "nothing" : formatMoney(left)}`);
    }
  }
  return {
    subject: `Your statement for ${month}`,
    body: `Dear ${of.firstName},\n\nThis is your statement for ${month}:\n\n${lines.join("\n")}\n\nView, print or download each charge and payment:`,
  };
}

/** "October 2026". */
function formatMonth(day: Day): string {
  const format = new Intl.DateTimeFormat("en-US", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return format.format(new Date(day));
}

/** An administrator's reminder. `debits` are overdue, without pending payments. */
export const DuesReminder = z.object({
  kind: z.literal("dues reminder"),
  firstName: z.string(),
  networkName: z.string(),
  today: z.string(),
  debits: Receipt.shape.shares,
  /** Less than the sum of the debits. */
  creditCents: z.int().default(0).transform(cents),
});

export function duesReminder(of: z.output<typeof DuesReminder>): MailText {
  const { firstName, networkName, today, debits, creditCents } = of;
  const overdue = sum(debits.map(({ amountCents }) => amountCents));
  const left = formatMoney(cents(overdue - creditCents));
  const lines = debits.map((debit) => {
    const days = daysBetween(debit.dueOn, today);
    return `${shareLine(debit)}, ${days} ${days === 1 ? "day" : "days"} overdue`;
  });
  const total = debits.length > 1 ? [`In total, ${formatMoney(overdue)} is overdue.`] : [];
  const credit =
    creditCents > 0
      ? [`You have ${formatMoney(creditCents)} of credit, which leaves ${left} to pay.`]
      : [];
  return {
    subject: `${left} of your dues is overdue`,
    body: [
      `Dear ${firstName},`,
      `${networkName} has not received ${debits.length === 1 ? "this payment" : "these payments"} yet:`,
      lines.join("\n"),
      ...total,
      ...credit,
      "If you have just paid, thank you. You do not need to do anything else. Otherwise, pay here:",
    ].join("\n\n"),
  };
}
