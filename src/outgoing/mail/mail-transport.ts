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
  /** The longest silence of the server. A whole email may take nine times as long. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;
/** How many times `timeoutMs` a whole email may take. */
const wholeEmailFactor = 9;

/** Send email through the SMTP server or, without one, write it to `outbox/` in the data folder. */
export function openMailTransport(settings: PostSettings): Post {
  return settings.smtpUrl ? smtpPost(settings.smtpUrl, settings) : diskPost(settings);
}

/** One connection per email: a pool would automatically resend what a dying server may have accepted. */
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
      const signal = AbortSignal.timeout(wholeEmailFactor * timeoutMs);
      await transport.sendMail({ ...messageOf(mail, settings), signal });
    } catch (problem) {
      throw classifyProblem(problem);
    }
  };
}

/** Microsoft 365's reply to too many connections, at any step. */
const tooManyConnections = /^4\d\d[ -]4\.3\.2\b.*(?:concurrent|sender thread limit)/is;
/** The server closes the connection: it has too many, unless this answers a recipient or a message. */
const closing = /^421\b/;

function classifyProblem(problem: unknown): unknown {
  const reply = replyOf(problem);
  if (tooManyConnections.test(reply) || (closing.test(reply) && !isAboutTheMail(problem)))
    return new TooManyConnections(reply, { cause: problem });
  const refusal = refusalOf(reply, commandOf(problem));
  if (refusal) return new RecipientRefused(refusal, reply);
  return isAboutTheMail(problem) ? problem : unavailable(problem);
}

/** The server's last reply, such as `550 5.1.1 No such mailbox`; empty if it gave none. */
function replyOf(problem: unknown): string {
  if (!(problem instanceof Error && "response" in problem)) return "";
  return typeof problem.response === "string" ? problem.response : "";
}

/** The command that the server replied to. */
function commandOf(problem: unknown): string {
  if (!(problem instanceof Error && "command" in problem)) return "";
  return typeof problem.command === "string" ? problem.command : "";
}

/** Whether the server refused only this email. Any other problem would stop every email. */
function isAboutTheMail(problem: unknown): boolean {
  if (!(problem instanceof Error && "code" in problem)) return false;
  const isClosing = closing.test(replyOf(problem));
  const command = commandOf(problem);
  // With pipelined commands, a 421 to `RCPT TO` has command CONN; a 421 greeting has another code.
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

/** The Message-ID is fixed for each email, so an email sent twice by a crash counts as one on arrival. */
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
