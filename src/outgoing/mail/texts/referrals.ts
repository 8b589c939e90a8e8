import { z } from "zod";
import { type Day, daysBetween, formatDay } from "#kit/domain/day.ts";
import type { MailText } from "./mail-text.ts";

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
export const ReportsDue = z.object({
  kind: z.literal("reports due"),
  firstName: z.string(),
  reports: z.int(),
});

export function reportsDue({ firstName, reports }: z.output<typeof ReportsDue>): MailText {
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
export const SuspensionWarning = z.object({
  kind: z.literal("suspension warning"),
  firstName: z.string(),
  today: z.string(),
  dueOn: z.string(),
  suspendedOn: z.string(),
});

export function suspensionWarning(of: z.output<typeof SuspensionWarning>): MailText {
  const due = `${of.dueOn < of.today ? "that was due on" : "due on"} ${formatDay(of.dueOn)}`;
  const day = formatDay(of.suspendedOn);
  const daysLeft = daysBetween(of.today, of.suspendedOn);
  const when = daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
  return {
    subject: `You will be suspended on ${day} unless you report`,
    body: `Dear ${of.firstName},\n\nA status report ${due} has not been filed. If you do not file it, you will be suspended on ${day} (${when}) and will receive no new referrals until you do.\n\nFile it here:`,
  };
}

export const Suspended = z.object({
  kind: z.literal("suspended"),
  firstName: z.string(),
  /** The sentence shown on the attorney's record. */
  reason: z.string(),
});

export function suspended({ firstName, reason }: z.output<typeof Suspended>): MailText {
  return {
    subject: "You are suspended from receiving referrals",
    body: `Dear ${firstName},\n\nYou will not receive new referrals for now: ${reason}\n\nFile every overdue report and the suspension ends immediately:`,
  };
}

export const SuspensionLifted = z.object({
  kind: z.literal("suspension lifted"),
  firstName: z.string(),
});

export function suspensionLifted({ firstName }: z.output<typeof SuspensionLifted>): MailText {
  return {
    subject: "Your suspension is lifted",
    body: `Dear ${firstName},\n\nYour suspension is lifted. You can receive referrals again.\n\nYour referrals:`,
  };
}
