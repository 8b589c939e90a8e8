/** What an email says. For an email about a page, outbox.ts adds the page's address below the body. */
export interface MailText {
  subject: string;
  body: string;
}
