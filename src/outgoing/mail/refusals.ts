const noMailbox = "no such mailbox";
const full = "the mailbox is full";
const noDomainMail = "its domain accepts no email";
const byRules = "not allowed by the rules of its mail server";
const byServer = "its mail server accepts no email for it";

type Row = [pattern: RegExp, refusal: string | null];

/** By enhanced status code (RFC 3463). Some servers send it only after the message. */
const byMailboxCode: Row[] = [
  [/receiving mail at a rate|storedrv\.\w*submi/i, null], // Gmail's temporary 5.2.1; our own account at Microsoft 365
  [/^5\d\d[ -]5\.1\.1\b/, noMailbox],
  [/^5\d\d[ -]5\.1\.2\b/, "no such email domain"],
  [/^5\d\d[ -]5\.1\.3\b/, "not a valid address"],
  [/^5\d\d[ -]5\.1\.6\b/, "the mailbox has moved"],
  [/^5\d\d[ -]5\.1\.10\b/, noDomainMail],
  [/^5\d\d[ -]5\.2\.1\b/, "the mailbox is closed"],
  [/^5\d\d[ -]5\.2\.2\b/, full],
];

/**
 * What a reply to `RCPT TO` means; the first matching row wins. Rows about the sender come before the bare codes,
 * because those problems hit every email until the operator fixes them. "Mailbox unavailable" is the standard text
 * for a 550 (RFC 5321, 4.2.2), so next to an IP address it proves nothing.
 */
const byReply: Row[] = [
  [/\bsender\b|\bverif/i, null],
  [/^550[ -]5\.4\.1 .*recipient address rejected/i, noMailbox], // Microsoft 365
  [
    /\b(?:user|mailbox|recipient|account) (?:is )?(?:unknown|not found|does(?: not|n't) exist)|\b(?:unknown|no such) (?:user|mailbox|recipient|account)/i,
    noMailbox,
  ],
  [/\bmailbox (?:is )?full|\bover ?quota/i, full],
  [
    /\brelay|rcpthosts|\bclient\b|authenticat|\bauth\b|\b(?:helo|ehlo)\b|\bIP\b|\bPTR\b|\brDNS\b/i,
    null,
  ],
  [/block|black ?list|\blisted\b|\b\w*(?:RBL|DNSBL)\b|spam|junk|\bbanned\b|reputation/i, null],
  [/quota|\blimit|\brates?\b|exceed|tenant|threshold|too many|throttl|\bsize\b/i, null],
  [/\bSPF\b|\bDKIM\b|\bDMARC\b|not allowed to this address|administrative prohibition/i, null],
  [/no smtp service|^(?!.*\brecipient\b).*access denied/is, null],
  [/^55\d[ -]5\.5\.0 .*mailbox unavailable/i, noMailbox], // Outlook.com
  [/^521\b/, noDomainMail], // RFC 7504
  [/^556\b/, noDomainMail],
  [/^55\d[ -]5\.7\.[12]\b/, byRules],
  [/^55\d[ -]5\.(?:1\.0|2\.[04])\b/, byServer],
  // Any other: the sender's address (5.1.7), the server (5.3), the network (5.4), the protocol (5.5), our own sending (5.7.20 …).
  [/^5\d\d[ -]5\.\d/, null],
  [/^55[01]\b/, noMailbox],
  [/^552\b/, full],
  [/^55\d\b/, byServer],
];

/**
 * Why the recipient's mailbox refuses email permanently, as text to follow "Refused:". Null if the reply to the
 * command (`RCPT TO`, `DATA` …) is temporary or not about the recipient; the email is then tried again.
 *
 * The operator may be able to fix a refused message (`DATA`), sender or sign-in, and an email tried too often does
 * less harm than a lost one. Every email has one recipient, so a refused recipient is a refused email. Addresses in
 * the reply are ignored: a person may be called Sender or Block.
 */
export function refusalOf(reply: string, command: string): string | null {
  const isToRecipient = command === "RCPT TO";
  if (!isToRecipient && command !== "DATA") return null;
  const words = reply.replaceAll(/<[^<>]*>|(?<![^\s<>])[^\s<>]+@[^\s<>]+/g, "");
  const rows = isToRecipient ? [...byMailboxCode, ...byReply] : byMailboxCode;
  return rows.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}
