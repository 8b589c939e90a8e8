import { Link } from "react-router";
import { pageMeta } from "./page-meta.tsx";

/** Whether mail reaches people: without a mail server it is only kept. As it was when the page was loaded. */
export const sendsMail = (): boolean => pageMeta("mail-delivery") === "server";

/** What follows a sentence about somebody who is mailed: nothing, or that the mail is only kept, and where that is changed. */
export function MailKept() {
  if (sendsMail()) return null;
  return (
    <p>
      {mailKeptWords} <Link to="/admin/settings/mail">Email settings</Link>
    </p>
  );
}

/** The same where there can be no link. */
export const mailKeptWords = "Mail is not set up: mails are kept, not sent.";

/** A sentence that says who is mailed, where it is true; else that mails are kept. */
export const mailedWords = (sentence: string): string => (sendsMail() ? sentence : mailKeptWords);
