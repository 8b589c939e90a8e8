import { z } from "zod";
import type { MailText } from "./texts/mail-text.ts";
import {
  CheckReturned,
  checkReturned,
  DuesReminder,
  duesReminder,
  MonthlyStatement,
  monthlyStatement,
  Receipt,
  receipt,
} from "./texts/payments.ts";
import {
  ReportsDue,
  reportsDue,
  Suspended,
  suspended,
  SuspensionLifted,
  suspensionLifted,
  SuspensionWarning,
  suspensionWarning,
} from "./texts/referrals.ts";
import { EmailChanged, emailChanged } from "./texts/sign-in.ts";

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
