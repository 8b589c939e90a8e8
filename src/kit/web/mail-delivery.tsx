import { Link } from "react-router";
import { pageMeta } from "./page-meta.tsx";

/** Whether email is sent. Without a mail server it is only stored. As of the page load. */
export const sendsMail = (): boolean => pageMeta("mail-delivery") === "server";

/**
 * After a sentence about someone who is emailed: nothing if email is sent, otherwise that it is only saved, with a
 * link to the settings.
 */
export function EmailNotSetUp() {
  if (sendsMail()) return null;
  return (
    <p>
      {emailNotSetUpText} <Link to="/admin/settings/mail">Email settings</Link>
    </p>
  );
}

/** The same where a link is not possible. */
export const emailNotSetUpText = "Email is not set up: messages are saved, not sent.";

/** A sentence about who is emailed, if email is sent; otherwise that messages are only saved. */
export const emailedText = (sentence: string): string =>
  sendsMail() ? sentence : emailNotSetUpText;
