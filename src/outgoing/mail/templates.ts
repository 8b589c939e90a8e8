import { z } from "zod";
import { type Day, daysBetween, formatDay } from "#kit/domain/day.ts";
import { cents, formatMoney, negated, sum } from "#kit/domain/money.ts";

/*
 * The words of every mail: what it tells of goes in, its text comes out. Where a mail is about a page,
 * its address is put below the body (outbox.ts).
 */

export interface MailText {
  subject: string;
  body: string;
}

/** An account was made: `link` is single-use, for seven days. */
export function invitation(to: { name: string; networkName: string; link: string }): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\n${to.networkName} has made an account for you. Choose a password here within seven days; the link works once:\n\n${to.link}`,
  };
}

/** An attorney who had left is back: `link` is single-use, for seven days. */
export function accessAfterReturn(to: {
  name: string;
  networkName: string;
  link: string;
}): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\n${to.networkName} has taken you back on its panel. The password and the passkeys that you had no longer work. Choose a new password here within seven days; the link works once:\n\n${to.link}`,
  };
}

/** Another email address was asked for, for an account in use. */
export interface EmailChangeAsked {
  name: string;
  networkName: string;
  askedBy: string;
  oldEmail: string;
  newEmail: string;
}

/** To the new address: `link` is good for thirty days. */
export function newEmailToConfirm(of: EmailChangeAsked & { link: string }): MailText {
  return {
    subject: "Confirm your new email address",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from ${of.oldEmail} to this one. Confirm within thirty days that it is yours:\n\n${of.link}\n\nIf you know nothing of this, ignore this mail: nothing changes.`,
  };
}

/** To the old one, by which the change can be undone. It counts without a word from there from `appliesOn` on. */
export function oldEmailToConfirm(
  of: EmailChangeAsked & { link: string; appliesOn: Day },
): MailText {
  return {
    subject: "Your email address is to be changed",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from this one to ${of.newEmail}. Confirm this, or keep this address:\n\n${of.link}\n\nIf you do neither, the change takes effect on ${formatDay(of.appliesOn)}, provided that the new address is confirmed. Until then you sign in with this address.\n\nIf you have not asked for this, keep this address and tell ${of.networkName}.`,
  };
}

/** Why a change that was asked for was not made; `by` has called it off. */
export type WhyEmailKept = "undone" | "expired" | "taken" | { by: string };

export function emailKept(of: EmailChangeAsked & { why: WhyEmailKept }): MailText {
  const change = `the change to ${of.newEmail} that ${of.askedBy} asked for`;
  const because =
    typeof of.why === "object"
      ? `${of.why.by} has called off ${change}`
      : {
          undone: `${change} was refused by the link in our mail to ${of.oldEmail}`,
          expired: `${change} was not confirmed by the new address within thirty days`,
          taken: `${change} was not made, because that address belongs to somebody else`,
        }[of.why];
  return {
    subject: "Your email address stays as it was",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} is still ${of.oldEmail}: ${because}.`,
  };
}

/** To the new address, once the change has taken effect. */
export function newEmailCounts(of: { name: string; networkName: string }): MailText {
  return {
    subject: "You sign in with this address now",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} was changed to this one. Sign in with it from now on; mail comes here. You are signed out everywhere.\n\nTo sign in:`,
  };
}

/** Somebody asked for a new password: `link` is single-use, for two hours. */
export function passwordReset(to: { name: string; link: string }): MailText {
  return {
    subject: "Choose a new password",
    body: `Dear ${to.name},\n\nSomeone, most likely you, asked for a new password. Choose it here within two hours:\n\n${to.link}\n\nIf it was not you, ignore this mail: nothing has changed.`,
  };
}

/** Only who knows the password is asked for a code. */
export function codesGuessed(to: { name: string }): MailText {
  return {
    subject: "Wrong codes were entered for your account",
    body: `Dear ${to.name},\n\nSomebody entered your password, and then wrong codes of your authenticator app, so often that no more are taken for a while. Nobody got in by this.\n\nIf it was not you, somebody knows your password: choose a new one at once. That also ends their tries:`,
  };
}

/** An administrator has ended all sessions, or by null the operator. */
export function signedOut(of: { name: string; by: string | null }): MailText {
  return {
    subject: "You were signed out everywhere",
    body: `Dear ${of.name},\n\n${of.by ?? "Whoever runs this service"} has signed you out on every device. You can sign in again at any time.\n\nIf somebody else may have used your account, choose a new password. If you do not know why this was done, ask your referral service:`,
  };
}

/** An administrator has done it, or by null the operator. */
export function secondFactorRemoved(of: { name: string; by: string | null }): MailText {
  return {
    subject: "Your second factor was removed",
    body: `Dear ${of.name},\n\n${of.by ?? "Whoever runs this service"} has removed the second factor of your account, because it was said to be lost. You are signed out everywhere, and sign in with your password alone until you set up another one.\n\nIf you have not asked for this, choose a new password at once and tell your referral service.\n\nTo set one up:`,
  };
}

/** An administrator has tried to, too soon after `changed` was changed. */
export function secondFactorKept(of: {
  name: string;
  by: string;
  changed: "email address" | "password";
}): MailText {
  return {
    subject: "Somebody asked to remove your second factor",
    body: `Dear ${of.name},\n\n${of.by} has asked to remove the second factor of your account, because it was said to be lost. It was not removed: your ${of.changed} was changed less than seven days ago.\n\nIf you have not asked for this, choose a new password at once and tell your referral service:`,
  };
}

/** Mail is read by others than its recipient: who the client is stands behind the link alone. */
export function referral(to: {
  firstName: string;
  networkName: string;
  reportDueOn: Day;
}): MailText {
  return {
    subject: "A client has been referred to you",
    body: `Dear ${to.firstName},\n\n${to.networkName} has referred a client to you. Your first status report on this referral is due on ${formatDay(to.reportDueOn)}.\n\nHow to reach the client, and where to report:`,
  };
}

/** A referral was given to another attorney, or taken back. Neither the client nor the reason stands in a mail. */
export function referralEnded(of: {
  firstName: string;
  networkName: string;
  referredOn: Day;
  how: "reassigned" | "withdrawn";
  hasLeft: boolean;
}): MailText {
  const what =
    of.how === "reassigned"
      ? `given the referral that was made to you on ${formatDay(of.referredOn)} to another attorney`
      : `withdrawn the referral that was made to you on ${formatDay(of.referredOn)}`;
  return {
    subject: `A referral was ${of.how}`,
    body: `Dear ${of.firstName},\n\n${of.networkName} has ${what}. You owe no further report on it.${of.hasLeft ? "" : "\n\nYour referrals:"}`,
  };
}

/** `reports` fall due today. */
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

/** The oldest report is or was due on `dueOn`; unless it is filed, `suspendedOn` is the day. */
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
    body: `Dear ${of.firstName},\n\nA status report ${due} has not been filed. On ${day}, ${when}, you will be suspended and receive no new referrals until it is.\n\nFile it here:`,
  };
}

const Suspended = z.object({
  kind: z.literal("suspended"),
  firstName: z.string(),
  /** A sentence, as the attorney's record shows it. */
  reason: z.string(),
});

function suspended({ firstName, reason }: z.output<typeof Suspended>): MailText {
  return {
    subject: "You are suspended from receiving referrals",
    body: `Dear ${firstName},\n\nYou receive no new referrals for now: ${reason}\n\nFile what is overdue and the suspension ends at once. Here:`,
  };
}

const SuspensionLifted = z.object({
  kind: z.literal("suspension lifted"),
  firstName: z.string(),
});

function suspensionLifted({ firstName }: z.output<typeof SuspensionLifted>): MailText {
  return {
    subject: "Your suspension is lifted",
    body: `Dear ${firstName},\n\nYour suspension is lifted: you can receive referrals again. Yours are here:`,
  };
}

/**
 * What a receipt tells of: a check in one of its states, a card payment captured, given back, not
 * given back after all, not collected by its processor, or collected after all; or the credit of a
 * check whose shares were decided one by one.
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
    "has been recorded. It awaits confirmation; until then these amounts are reserved:",
  ],
  approved: ["is approved", "has been approved. Thank you. These amounts are paid:"],
  denied: ["was not accepted", "was not accepted. These amounts are owed as before:"],
  captured: ["is received", "has been received. Thank you. These amounts are paid:"],
  refunded: ["is refunded", "has been refunded. These amounts are owed again:"],
  "counts again": [
    "counts again",
    "could not be refunded: the card processor returned the refund to your referral service. The payment counts again. These amounts are paid:",
  ],
  failed: [
    "could not be collected",
    "was approved, but the card processor could not collect it from your card's bank. These amounts are owed again:",
  ],
  "came through": [
    "came through after all",
    "could be collected from your card's bank after all. These amounts are paid; there is no need to pay them again:",
  ],
  credited: ["brought you credit", "has brought you credit, which is kept on your account:"],
};

/** Whether an event opens what a card had paid, or takes off what it had brought. */
const takesBack = (event: ReceiptEvent) => event === "refunded" || event === "failed";

/** What the credit of a payment is called in its receipt. */
function creditWords(event: ReceiptEvent): string {
  if (event === "denied") return "Credit, not received";
  if (takesBack(event)) return "Taken off your credit";
  return event === "recorded" ? "Credit, once confirmed" : "Credit on your account";
}

const Receipt = z.object({
  kind: z.literal("receipt"),
  event: ReceiptEvent,
  firstName: z.string(),
  /** Null of a card payment. */
  checkNumber: z.string().nullable(),
  /** What was paid, in the order in which it is listed. */
  shares: z.array(
    z.object({
      plan: z.string(),
      note: z.string(),
      dueOn: z.string(),
      amountCents: z.int().transform(cents),
    }),
  ),
  /** What of a check pays no debit and is kept as credit. */
  creditCents: z.int().default(0).transform(cents),
  /** What the card paid, of which this may be a part; null of a check. */
  paidCents: z.int().nullable().default(null),
  /** The law firm whose check it is; null of one's own. */
  firm: z.string().nullable().default(null),
  /** Of the panel: the page below the mail is not open to them any more. */
  hasLeft: z.boolean().default(false),
});

type Share = z.output<typeof Receipt>["shares"][number];

const shareLine = ({ plan, note, dueOn, amountCents }: Share): string =>
  `  ${plan}${note && ` (${note})`}, due ${formatDay(dueOn)}: ${formatMoney(amountCents)}`;

function receipt(of: z.output<typeof Receipt>): MailText {
  const { event, firstName, checkNumber, shares, creditCents, firm, hasLeft } = of;
  const [subject, words] = receipts[event];
  const isAllOwed = shares.length > 0 && creditCents === 0;
  const sentence =
    takesBack(event) && !isAllOwed
      ? words.replace("These amounts are owed again:", "This is what changed:")
      : words;
  const totalCents = sum([...shares.map((share) => share.amountCents), creditCents]);
  const total = formatMoney(totalCents);
  const check = `check ${checkNumber}${firm === null ? "" : ` of ${firm}`} for ${total}`;
  const whose = firm === null ? "Your" : "Your part of";
  const payment =
    of.paidCents !== null && totalCents < of.paidCents
      ? `${total} of your card payment of ${formatMoney(cents(of.paidCents))}`
      : `${whose} ${checkNumber === null ? `card payment of ${total}` : check}`;
  const amounts = shares.map(shareLine);
  if (creditCents > 0) amounts.push(`  ${creditWords(event)}: ${formatMoney(creditCents)}`);
  return {
    subject: `${payment} ${subject}`,
    body: [
      `Dear ${firstName},`,
      `${payment} ${sentence}`,
      amounts.join("\n"),
      ...(hasLeft ? [] : ["The payment, to read or to print:"]),
    ].join("\n\n"),
  };
}

/** The bank returned a check: what it had paid is owed again. Its number stands in no subject. */
const CheckReturned = Receipt.pick({
  firstName: true,
  shares: true,
  firm: true,
  hasLeft: true,
}).extend({
  kind: z.literal("check returned"),
  checkNumber: z.string(),
  returnedOn: z.string(),
  /** Credit that it had brought and that nobody used. */
  takenBackCents: z.int().transform(cents),
  /** Credit that it had brought and that was given back to the attorney since. */
  chargedCents: z.int().transform(cents),
  /** Its denied part, where that was given back before. */
  heldCents: z.int().default(0).transform(cents),
  feeCents: z.int().transform(cents),
  /** What other credit has paid of these three at once. */
  fromCreditCents: z.int().default(0).transform(cents),
});

function checkReturned(of: z.output<typeof CheckReturned>): MailText {
  const { firstName, checkNumber, firm, returnedOn, shares } = of;
  const check = firm === null ? `your check ${checkNumber}` : `check ${checkNumber} of ${firm}`;
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
      ? [`${formatMoney(of.takenBackCents)} of credit that it brought is taken off your account.`]
      : []),
    ...(of.chargedCents > 0
      ? [
          `${formatMoney(of.chargedCents)} of credit that it brought was given back to you, and is charged to your account.`,
        ]
      : []),
    ...(of.heldCents > 0
      ? [
          `${formatMoney(of.heldCents)} of this check was not accepted and was given back. It is now charged to your account.`,
        ]
      : []),
    ...(of.feeCents > 0
      ? [`A fee of ${formatMoney(of.feeCents)} for the returned check is charged to your account.`]
      : []),
    ...(of.fromCreditCents > 0
      ? [
          `Other credit on your account has paid ${formatMoney(of.fromCreditCents)} of what is charged.`,
        ]
      : []),
    ...(owed > 0 ? [`Together, you owe ${formatMoney(owed)} for it.`] : []),
    ...(owed === 0 && of.fromCreditCents > 0 ? ["You owe nothing for it."] : []),
    ...(of.hasLeft ? [] : ["Your account:"]),
  ];
  return {
    subject: `${firm === null ? "Your check" : "A check of your firm"} was returned by the bank`,
    body: paragraphs.join("\n\n"),
  };
}

/** What was owed before and after a month, which ended before it is mailed. */
const MonthlyStatement = z.object({
  kind: z.literal("statement"),
  firstName: z.string(),
  from: z.string(),
  to: z.string(),
  openingCents: z.int().transform(cents),
  chargedCents: z.int().transform(cents),
  paidCents: z.int().transform(cents),
  /** Mails that an older version queued have these in the sums above. */
  takenBackCents: z.int().default(0).transform(cents),
  adjustedCents: z.int().default(0).transform(cents),
  closingCents: z.int().transform(cents),
  creditCents: z.int().transform(cents),
});

function monthlyStatement(of: z.output<typeof MonthlyStatement>): MailText {
  const month = monthWords(of.from);
  const lines = [
    `  Owed before ${formatDay(of.from)}: ${formatMoney(of.openingCents)}`,
    `  Charges: ${formatMoney(of.chargedCents)}`,
    `  Payments: ${formatMoney(of.paidCents)}`,
    ...(of.takenBackCents === 0
      ? []
      : [`  Payments taken back: ${formatMoney(of.takenBackCents)}`]),
    ...(of.adjustedCents === 0 ? [] : [`  Adjustments: ${formatMoney(of.adjustedCents)}`]),
    `  Owed on ${formatDay(of.to)}: ${formatMoney(of.closingCents)}`,
  ];
  if (of.creditCents > 0) {
    lines.push(`  Beside it, credit on your account: ${formatMoney(of.creditCents)}`);
    if (of.closingCents > 0) {
      const left = cents(Math.max(of.closingCents - of.creditCents, 0));
      lines.push(`  Owed after your credit: ${left === 0 ? "nothing" : formatMoney(left)}`);
    }
  }
  return {
    subject: `Your statement for ${month}`,
    body: `Dear ${of.firstName},\n\nThis is your statement for ${month}:\n\n${lines.join("\n")}\n\nEach charge and payment, to read, print or download:`,
  };
}

/** "October 2026". */
function monthWords(day: Day): string {
  const format = new Intl.DateTimeFormat("en-US", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return format.format(new Date(day));
}

/** An administrator reminds of what is overdue; none of `debits` awaits confirmation. */
const DuesReminder = z.object({
  kind: z.literal("dues reminder"),
  firstName: z.string(),
  networkName: z.string(),
  today: z.string(),
  debits: Receipt.shape.shares,
  /** Less than these come to together. */
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
  const together = debits.length > 1 ? [`Together, ${formatMoney(overdue)} is overdue.`] : [];
  const credit =
    creditCents > 0
      ? [`You have ${formatMoney(creditCents)} of credit. After it, ${left} is left to pay.`]
      : [];
  return {
    subject: `${left} of your dues is overdue`,
    body: [
      `Dear ${firstName},`,
      `${networkName} has not received ${debits.length === 1 ? "this payment" : "these payments"} yet:`,
      lines.join("\n"),
      ...together,
      ...credit,
      "If you have just paid, thank you: nothing more is needed. Otherwise you can pay here:",
    ].join("\n\n"),
  };
}

/** What a mail that waits tells of, as statements that queue whole sets of mails write it, and its text. */
/** To where the person was reached so far. */
const EmailChanged = z.object({
  kind: z.literal("email changed"),
  name: z.string(),
  networkName: z.string(),
});

function emailChanged({ name, networkName }: z.output<typeof EmailChanged>): MailText {
  return {
    subject: "The email address of your account was changed",
    body: `Dear ${name},\n\nThe email address of your account at ${networkName} was changed: you now sign in with the new one, and mail no longer comes here. Every session and every sign-in link of the account has ended.\n\nIf you did not ask for this, tell ${networkName} at once.`,
  };
}

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

/** A mail has either its text or its facts. */
export interface StoredText {
  subject: string | null;
  body: string | null;
  facts: unknown;
}

/** The text of a mail: as it was written or, of one that waits as facts, as it is written now. */
export function renderMail(mail: StoredText): MailText {
  const { subject, body } = mail;
  if (subject !== null && body !== null) return { subject, body };
  return MailFacts.parse(mail.facts);
}

/** The same for a list of mails: null of facts that only another version of the product can read. */
export function renderKnownMail(mail: StoredText): MailText | null {
  try {
    return renderMail(mail);
  } catch (problem) {
    if (problem instanceof z.ZodError) return null;
    throw problem;
  }
}
