/** A reply's code, and the enhanced status code (RFC 3463), where there is one: `550 5.1.1 No such mailbox`. */
const codes = /^(5\d\d)[ -](?:5\.(\d{1,3})\.(\d{1,3})\b)?/;

/** What a server says of whoever sends, not of the recipient: that would befall every mail until it is put right. */
const aboutTheSender = /\bsender\b/i;
const aboutTheClient = /relay|client host|authenticat|block/i;

/**
 * Why the recipient's mailbox takes no mail, for good: words that follow "Refused:". Null for a reply to the
 * command (`RCPT TO`, `DATA` …) that is not about the recipient, or not for good: the mail is tried again.
 *
 * What refuses the message itself (`DATA`), the sender or the sign-in may be the operator's to put right, and a reply
 * that names neither is taken for that: a mail that is tried too often does less harm than one that is lost. Every mail
 * has one recipient, so that a refused recipient is a refused mail.
 */
export function refusalOf(reply: string, command: string): string | null {
  const [, code, subject, detail] = codes.exec(reply) ?? [];
  if (code === undefined || Number(code) < 550 || aboutTheSender.test(reply)) return null;
  if (command !== "RCPT TO" && command !== "DATA") return null;
  const enhanced = subject && `${subject}.${detail}`;
  const named = enhanced === undefined ? undefined : ofMailbox[enhanced];
  if (named !== undefined) return named;
  if (command !== "RCPT TO" || aboutTheClient.test(reply)) return null;
  if (enhanced === undefined) return ofCode[code] ?? byServer;
  if (subject === "7") return "not allowed by the rules of its mail server";
  // 5.1.7 and 5.1.8 are of the sender's address, 5.3 of the server, 5.4 of the network, 5.5 of the protocol.
  return enhanced === "1.0" || subject === "2" ? byServer : null;
}

const noMailbox = "no such mailbox";
const full = "the mailbox is full";
const byServer = "its mail server takes no mail for it";

/** By the enhanced status code, after `5.`; which some servers say only once they have the message. */
const ofMailbox: Record<string, string> = {
  "1.1": noMailbox,
  "1.2": "no such mail domain",
  "1.3": "not a valid address",
  "1.6": "the mailbox has moved",
  "1.10": "its domain takes no mail",
  "2.1": "the mailbox is closed",
  "2.2": full,
};

/** By the reply's code, where that is all there is. */
const ofCode: Record<string, string> = { "550": noMailbox, "551": noMailbox, "552": full };
