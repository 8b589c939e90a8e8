import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { MailConfig } from "#kit/ops/config.ts";
import {
  type DueMail,
  type Post,
  PostUnavailable,
  RecipientRefused,
  textOf,
  TooManyConnections,
} from "#outgoing/mail/outbox.ts";
import { refusalOf } from "#outgoing/mail/refusals.ts";

export interface PostSettings extends MailConfig {
  dataDir: string;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** How long a server may keep silent; it has nine times as long for the whole of a mail. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;
/** So many times as long has a server for the whole of a mail as it may keep silent. */
const silences = 9;

/** Post mail through the SMTP server, or, without one, into `outbox/` of the data folder. */
export function openPost(settings: PostSettings): Post {
  return settings.smtpUrl ? smtpPost(settings.smtpUrl, settings) : diskPost(settings);
}

/** A connection for each mail: a pool would by itself send again what a dying server may have taken. */
function smtpPost(url: string, settings: PostSettings): Post {
  const timeoutMs = settings.timeoutMs ?? defaultTimeoutMs;
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  return async (mail) => {
    try {
      const signal = AbortSignal.timeout(silences * timeoutMs);
      await transport.sendMail({ ...messageOf(mail, settings), signal });
    } catch (problem) {
      throw meaningOf(problem);
    }
  };
}

/** Microsoft 365 says so of its connections, at whichever step. */
const crowdedAnywhere = /^4\d\d[ -]4\.3\.2\b.*(?:concurrent|sender thread limit)/is;
/** The server closes this connection: for want of another, unless it answers a recipient or a message. */
const closing = /^421\b/;

function meaningOf(problem: unknown): unknown {
  const reply = replyOf(problem);
  if (crowdedAnywhere.test(reply) || (closing.test(reply) && !isAboutTheMail(problem)))
    return new TooManyConnections(reply, { cause: problem });
  const refusal = refusalOf(reply, commandOf(problem));
  if (refusal) return new RecipientRefused(refusal, reply);
  return isAboutTheMail(problem) ? problem : unavailable(problem);
}

/** What the server said last, such as `550 5.1.1 No such mailbox`; empty if it said nothing. */
function replyOf(problem: unknown): string {
  if (!(problem instanceof Error && "response" in problem)) return "";
  return typeof problem.response === "string" ? problem.response : "";
}

/** To which command it said so. */
function commandOf(problem: unknown): string {
  if (!(problem instanceof Error && "command" in problem)) return "";
  return typeof problem.command === "string" ? problem.command : "";
}

/** Whether the server has refused this one mail; anything else would befall every other one, too. */
function isAboutTheMail(problem: unknown): boolean {
  if (!(problem instanceof Error && "code" in problem)) return false;
  const isClosing = closing.test(replyOf(problem));
  const command = commandOf(problem);
  // A 421 to `RCPT TO` among commands sent at once looks so; one to the greeting has another code.
  if (isClosing && command === "CONN") return problem.code === "ECONNECTION";
  if (isClosing && command === "MAIL FROM") return false;
  return problem.code === "EENVELOPE" || problem.code === "EMESSAGE";
}

function unavailable(problem: unknown): PostUnavailable {
  const message = problem instanceof Error ? problem.message : String(problem);
  return new PostUnavailable(message, { cause: problem });
}

function diskPost(settings: PostSettings): Post {
  const folder = join(settings.dataDir, "outbox");
  const writer = createTransport({ streamTransport: true, buffer: true });
  return async (mail) => {
    const { message } = await writer.sendMail(messageOf(mail, settings));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${mail.networkId}-${mail.id}.eml`);
    await writeFile(`${file}.part`, message, { mode: 0o600 });
    await rename(`${file}.part`, file);
  };
}

/** The Message-ID is the mail's own, so that one sent twice by a crash counts as one where it arrives. */
function messageOf(mail: DueMail, settings: PostSettings) {
  const domain = settings.from.split("@")[1] ?? "localhost";
  return {
    from: { name: mail.networkName, address: settings.from },
    to: { name: "", address: mail.recipient },
    subject: mail.subject,
    text: `${textOf(mail, settings.publicUrl)}\n\n${[mail.networkName, ...mail.networkContact].join("\n")}\n`,
    messageId: `<${mail.networkId}.${mail.id}@${domain}>`,
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
