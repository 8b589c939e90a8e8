import { z } from "zod";
import { type Day, daysBetween, formatDay } from "#kit/domain/day.ts";
import { cents, formatMoney, negated, sum } from "#kit/domain/money.ts";

/*
 * The text of every email, one function each. For an email about a page, outbox.ts adds the page's address
 * below the body.
 */

export interface MailText {
  subject: string;
  body: string;
}

/** A new account. `link` works once, for seven days. */
export function invitation(to: { name: string; networkName: string; link: string }): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\n${to.networkName} has created an account for you. Choose a password here within seven days. The link works once:\n\n${to.link}`,
  };
}

/** An attorney has returned to the panel. `link` works once, for seven days. */
export function accessAfterReturn(to: {
  name: string;
  networkName: string;
  link: string;
}): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\nWelcome back to the panel of ${to.networkName}. Your old password and passkeys no longer work. Choose a new password here within seven days. The link works once:\n\n${to.link}`,
  };
}

/** A requested change of an account's email address. */
export interface EmailChangeAsked {
  name: string;
  networkName: string;
  askedBy: string;
  oldEmail: string;
  newEmail: string;
}

/** To the new address. `link` works for thirty days. */
export function newEmailToConfirm(of: EmailChangeAsked & { link: string }): MailText {
  return {
    subject: "Confirm your new email address",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from ${of.oldEmail} to this one. Confirm within thirty days that this address is yours:\n\n${of.link}\n\nIf you do not know about this, ignore this email. Nothing will change.`,
  };
}

/** To the old address, which can stop the change. Without an answer, the change takes effect on `appliesOn`. */
export function oldEmailToConfirm(
  of: EmailChangeAsked & { link: string; appliesOn: Day },
): MailText {
  return {
    subject: "A change of your email address was requested",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from this one to ${of.newEmail}. Confirm the change, or keep this address:\n\n${of.link}\n\nIf you do neither, the change takes effect on ${formatDay(of.appliesOn)}, once the new address is confirmed. Until then, sign in with this address.\n\nIf you did not ask for this, keep this address and contact ${of.networkName}.`,
  };
}

/** Why a requested change was not made. `by` is the person who canceled it. */
export type WhyEmailKept = "undone" | "expired" | "taken" | { by: string };

export function emailKept(of: EmailChangeAsked & { why: WhyEmailKept }): MailText {
  const change = `the change to ${of.newEmail} requested by ${of.askedBy}`;
  const because =
    typeof of.why === "object"
      ? `${of.why.by} canceled ${change}`
      : {
          undone: `${change} was refused through the link in our email to ${of.oldEmail}`,
          expired: `${change} was not confirmed from the new address within thirty days`,
          taken: `${change} was not made because another account uses that address`,
        }[of.why];
  return {
    subject: "Your email address was not changed",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} is still ${of.oldEmail}: ${because}.`,
  };
}

/** To the new address, when the change takes effect. */
export function newEmailCounts(of: { name: string; networkName: string }): MailText {
  return {
    subject: "Sign in with this address from now on",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} was changed to this one. Sign in with it from now on. We will send your email here. You have been signed out everywhere.\n\nSign in:`,
  };
}

/** A new password was requested. `link` works once, for two hours. */
export function passwordReset(to: { name: string; link: string }): MailText {
  return {
    subject: "Choose a new password",
    body: `Dear ${to.name},\n\nSomeone, most likely you, asked for a new password. Choose it here within two hours:\n\n${to.link}\n\nIf it was not you, ignore this email. Nothing has changed.`,
  };
}

/** Codes are asked for only after the right password. */
export function codesGuessed(to: { name: string }): MailText {
  return {
    subject: "Wrong codes were entered for your account",
    body: `Dear ${to.name},\n\nSomeone entered your password and then too many wrong codes from your authenticator app. We accept no more codes for a while. Nobody got in.\n\nIf it was not you, someone knows your password. Choose a new one now to stop them:`,
  };
}

/** All sessions were ended by an administrator, or by the system administrator (`by` is null). */
export function signedOut(of: { name: string; by: string | null }): MailText {
  return {
    subject: "You were signed out everywhere",
    body: `Dear ${of.name},\n\n${of.by ?? "Your system administrator"} has signed you out on every device. You can sign in again at any time.\n\nIf someone else may have used your account, choose a new password. If you do not know why you were signed out, ask your referral service:`,
  };
}

/** Removed by an administrator, or by the system administrator (`by` is null). */
export function secondFactorRemoved(of: { name: string; by: string | null }): MailText {
  return {
    subject: "Your second factor was removed",
    body: `Dear ${of.name},\n\n${of.by ?? "Your system administrator"} has removed the second factor from your account because it was reported lost. You have been signed out everywhere. Until you set up another one, you sign in with only your password.\n\nIf you did not ask for this, choose a new password now and contact your referral service.\n\nSet up a second factor:`,
  };
}

/** An administrator tried to remove it too soon after `changed` was changed. */
export function secondFactorKept(of: {
  name: string;
  by: string;
  changed: "email address" | "password";
}): MailText {
  return {
    subject: "Someone asked to remove your second factor",
    body: `Dear ${of.name},\n\n${of.by} has asked to remove the second factor from your account because it was reported lost. It was not removed, because your ${of.changed} was changed less than seven days ago.\n\nIf you did not ask for this, choose a new password now and contact your referral service:`,
  };
}

/** Other people may read this email, so only the linked page names the client. */
export function referral(to: {
  firstName: string;
  networkName: string;
  reportDueOn: Day;
}): MailText {
  return {
    subject: "A client has been referred to you",
    body: `Dear ${to.firstName},\n\n${to.networkName} has referred a client to you. Your first status report on this referral is due on ${formatDay(to.reportDueOn)}.\n\nSee the client's contact details and file reports here:`,
  };
}

/** A referral was reassigned or withdrawn. The email names neither the client nor the reason. */
export function referralEnded(of: {
  firstName: string;
  networkName: string;
  referredOn: Day;
  how: "reassigned" | "withdrawn";
  hasLeft: boolean;
}): MailText {
  const what =
    of.how === "reassigned"
      ? `reassigned your referral of ${formatDay(of.referredOn)} to another attorney`
      : `withdrawn your referral of ${formatDay(of.referredOn)}`;
  return {
    subject: `A referral was ${of.how}`,
    body: `Dear ${of.firstName},\n\n${of.networkName} has ${what}. You do not need to file any more reports on it.${of.hasLeft ? "" : "\n\nYour referrals:"}`,
  };
}

/** `reports`: how many status reports are due today. */
const ReportsDue = z.object({
  kind: z.literal("reports due"),
  firstName: z.string(),
  reports: z.int(),
});

function reportsDue({ firstName, reports }: z.output<typeof ReportsDue>): MailText {
  const [subject, which] =
    reports === 1
      ? ["A status report is due today", "The status report on one of your referrals is"]
      : [
          `${reports} status reports are due today`,
          `Status reports on ${reports} of your referrals are`,
        ];
  return {
    subject,
    body: `Dear ${firstName},\n\n${which} due today. Filing takes under a minute:`,
  };
}

/** The oldest report is or was due on `dueOn`. The attorney is suspended on `suspendedOn` unless it is filed. */
const SuspensionWarning = z.object({
  kind: z.literal("suspension warning"),
  firstName: z.string(),
  today: z.string(),
  dueOn: z.string(),
  suspendedOn: z.string(),
});

function suspensionWarning(of: z.output<typeof SuspensionWarning>): MailText {
  const due = `${of.dueOn < of.today ? "that was due on" : "due on"} ${formatDay(of.dueOn)}`;
  const day = formatDay(of.suspendedOn);
  const daysLeft = daysBetween(of.today, of.suspendedOn);
  const when = daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
  return {
    subject: `You will be suspended on ${day} unless you report`,
    body: `Dear ${of.firstName},\n\nA status report ${due} has not been filed. If you do not file it, you will be suspended on ${day} (${when}) and will receive no new referrals until you do.\n\nFile it here:`,
  };
}

const Suspended = z.object({
  kind: z.literal("suspended"),
  firstName: z.string(),
  /** The sentence shown on the attorney's record. */
  reason: z.string(),
});

function suspended({ firstName, reason }: z.output<typeof Suspended>): MailText {
  return {
    subject: "You are suspended from receiving referrals",
    body: `Dear ${firstName},\n\nYou will not receive new referrals for now: ${reason}\n\nFile every overdue report and the suspension ends immediately:`,
  };
}

const SuspensionLifted = z.object({
  kind: z.literal("suspension lifted"),
  firstName: z.string(),
});

function suspensionLifted({ firstName }: z.output<typeof SuspensionLifted>): MailText {
  return {
    subject: "Your suspension is lifted",
    body: `Dear ${firstName},\n\nYour suspension is lifted. You can receive referrals again.\n\nYour referrals:`,
  };
}

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

const Receipt = z.object({
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

function receipt(of: z.output<typeof Receipt>): MailText {
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
const CheckReturned = Receipt.pick({
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

function checkReturned(of: z.output<typeof CheckReturned>): MailText {
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
const MonthlyStatement = z.object({
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

function monthlyStatement(of: z.output<typeof MonthlyStatement>): MailText {
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
const DuesReminder = z.object({
  kind: z.literal("dues reminder"),
  firstName: z.string(),
  networkName: z.string(),
  today: z.string(),
  debits: Receipt.shape.shares,
  /** Less than the sum of the debits. */
  creditCents: z.int().default(0).transform(cents),
});

function duesReminder(of: z.output<typeof DuesReminder>): MailText {
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

/** To the old address. */
const EmailChanged = z.object({
  kind: z.literal("email changed"),
  name: z.string(),
  networkName: z.string(),
});

function emailChanged({ name, networkName }: z.output<typeof EmailChanged>): MailText {
  return {
    subject: "The email address of your account was changed",
    body: `Dear ${name},\n\nThe email address of your account at ${networkName} was changed: sign in with the new one from now on. We no longer send email here. All sessions and sign-in links of the account have ended.\n\nIf you did not ask for this, contact ${networkName} immediately.`,
  };
}

/** The data of a queued email, as SQL statements store it, and the text that it becomes. */
const MailFacts = z.discriminatedUnion("kind", [
  ReportsDue.transform(reportsDue),
  SuspensionWarning.transform(suspensionWarning),
  Suspended.transform(suspended),
  SuspensionLifted.transform(suspensionLifted),
  Receipt.transform(receipt),
  CheckReturned.transform(checkReturned),
  MonthlyStatement.transform(monthlyStatement),
  DuesReminder.transform(duesReminder),
  EmailChanged.transform(emailChanged),
]);

/** An email is stored either as text or as facts. */
export interface StoredText {
  subject: string | null;
  body: string | null;
  facts: unknown;
}

/** The stored text of an email, or the text made from its facts. */
export function renderMail(mail: StoredText): MailText {
  const { subject, body } = mail;
  if (subject !== null && body !== null) return { subject, body };
  return MailFacts.parse(mail.facts);
}

/** The same, but null for facts that only another version of the product can read. */
export function renderKnownMail(mail: StoredText): MailText | null {
  try {
    return renderMail(mail);
  } catch (problem) {
    if (problem instanceof z.ZodError) return null;
    throw problem;
  }
}
