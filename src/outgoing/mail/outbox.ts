import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { notifyNow } from "#kit/db/changes.ts";
import { takeDue } from "#kit/db/take-due.ts";
import type { Db } from "#kit/db/database.ts";
import { queueForCorrectedAddresses } from "#outgoing/mail/corrected-addresses.ts";
import { type StoredText, renderMail } from "#outgoing/mail/render-mail.ts";
import { type MailText } from "#outgoing/mail/texts/mail-text.ts";

/**
 * The owner of an email. An attorney's email follows a changed address. An account's email, about signing in,
 * stays with the address that the account had.
 */
export type MailOwner =
  | { attorneyId: number; userId?: undefined }
  | { userId: number; attorneyId?: undefined };

export type NewMail = MailOwner & MailToQueue;

interface MailToQueue extends MailText {
  networkId: number;
  /** The event, such as `suspended:17:2026-11-21`. Each occasion is queued once. */
  occasion: string;
  recipient: string;
  /** The page to link below the body, such as `/receipts/17`. */
  pagePath?: string;
}

export interface DueMail extends MailText {
  networkId: number;
  id: number;
  recipient: string;
  pagePath: string | null;
  /** Includes the current attempt. */
  attempts: number;
  networkName: string;
  /** The network's contact details, one line each, below the text. */
  networkContact: string[];
}

/** The stored row of an email that a sender has taken. */
type TakenMail = Omit<DueMail, keyof MailText> & StoredText;

/**
 * Sends an email to an SMTP server or, if none is configured, to a file. Rejects with PostUnavailable if no email
 * can be sent for now, with TooManyConnections if fewer connections would help, and with RecipientRefused if the
 * recipient's server refuses permanently.
 */
export type Post = (mail: DueMail) => Promise<void>;

export class PostUnavailable extends Error {}

export class TooManyConnections extends PostUnavailable {}

export class RecipientRefused extends Error {
  readonly refusal: string;

  /** `refusal` is text to follow "Refused:"; `reply` is the server's reply. */
  constructor(refusal: string, reply: string) {
    super(reply);
    this.refusal = refusal;
  }
}

const senders = 4;
const maxAttempts = 20;

/** After this many emails, one more sender is tried if the server wanted fewer before. */
const mailsPerRound = 100;
/**
 * Pauses of a sender that the server turns away, one per refusal in a row: the server may still count a connection
 * that just ended. A sender turned away twice stops; the last one tries once per pause.
 */
const pausesMs = [500, 1000, 2000, 4000];

/** Longer than any attempt (mail-transport.ts), so no second sender takes an email that is still being sent. */
const takenForMinutes = 15;

/** Queue an email in the transaction of its event. A job sends it. */
export async function queueMail(tx: Db, mail: NewMail): Promise<void> {
  await tx
    .insertInto("mails")
    .values(mail)
    .onConflict((conflict) => conflict.columns(["networkId", "occasion"]).doNothing())
    .execute();
}

/** From this many on, emails wait behind those that single people are waiting for. */
const bulkFrom = 20;

/** Queue several emails of one network, none of them with a page. */
export async function queueMails(tx: Db, networkId: number, mails: NewMail[]): Promise<void> {
  await sql`
    insert into mails (is_bulk, network_id, attorney_id, user_id, occasion, recipient, subject, body)
    select ${mails.length >= bulkFrom}::boolean, ${networkId}, made.*
    from unnest(${mails.map(({ attorneyId }) => attorneyId ?? null)}::bigint[],
      ${mails.map(({ userId }) => userId ?? null)}::bigint[], ${mails.map(({ occasion }) => occasion)}::text[],
      ${mails.map(({ recipient }) => recipient)}::text[], ${mails.map(({ subject }) => subject)}::text[],
      ${mails.map(({ body }) => body)}::text[]) as made
    on conflict (network_id, occasion) do nothing`.execute(tx);
}

/**
 * Send all due emails, and those that a corrected address can now receive, several at a time and bulk emails last.
 * One sender takes each email and marks it as sent or refused, or tries again after a growing pause, 20 times over
 * about three days. If the server takes no email at all, the rest waits for the next run. If it allows too few
 * connections, fewer senders send the rest. Returns how many were sent. If a result could not be saved, throws after
 * the others are done.
 */
export async function sendDueMail(db: Db, post: Post, stopping?: AbortSignal): Promise<number> {
  await queueForCorrectedAddresses(db);
  let sent = 0;
  for (let width = senders; width > 0;) {
    const round = await sendRound(db, post, width, stopping);
    sent += round.sent;
    width = round.nextWidth;
  }
  return sent;
}

/** `nextWidth` is the number of senders in the next round, 0 if nothing is left to send. */
async function sendRound(
  db: Db,
  post: Post,
  width: number,
  stopping: AbortSignal | undefined,
): Promise<{ sent: number; nextWidth: number }> {
  let isOpen = true;
  let isAnyDue = true;
  let places = width;
  let taken = 0;
  let sent = 0;
  const shouldContinue = () => isOpen && !stopping?.aborted;
  const sendInTurn = async (): Promise<void> => {
    let timesInARow = 0;
    while (shouldContinue() && taken < mailsPerRound) {
      const mail = await takeNext(db);
      if (!mail) {
        isAnyDue = false;
        break;
      }
      taken += 1;
      const isWorthWaiting = () => places > 1 || timesInARow < pausesMs.length;
      const result = await send(db, post, mail, isWorthWaiting);
      if (result === "unavailable") isOpen = false;
      if (result === "sent") sent += 1;
      if (result !== "turned away") {
        timesInARow = 0;
        continue;
      }
      if (timesInARow > 0 && places > 1) {
        places -= 1;
        break;
      }
      await pause(pausesMs[timesInARow], undefined, { signal: stopping }).catch(() => undefined); // stopping
      timesInARow += 1;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: width }, sendInTurn));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const wasCrowded = places < width;
  if (!shouldContinue() || !(isAnyDue || wasCrowded)) return { sent, nextWidth: 0 };
  return { sent, nextWidth: wasCrowded ? places : Math.min(width + 1, senders) };
}

/** The next due email, bulk emails last. */
const takeNext = async (db: Db): Promise<TakenMail | undefined> =>
  (await takeOf(db, { isBulk: false })) ?? (await takeOf(db, { isBulk: true }));

/**
 * Taking an email counts as an attempt. If its worker dies, it becomes due again later. The order is the index's:
 * emails queued by one statement are due at the same instant, and sorting further would read all of them for each
 * one taken.
 */
async function takeOf(db: Db, { isBulk }: { isBulk: boolean }): Promise<TakenMail | undefined> {
  const due = {
    table: "mails",
    at: "next_attempt_at",
    counter: "attempts",
    where: sql`status = 'queued' and is_bulk = ${isBulk}`,
    pause: sql`make_interval(mins => ${takenForMinutes})`,
    join: sql`join networks n on n.id = due.network_id`,
    returning: sql`taken.network_id, taken.id, taken.recipient, taken.subject, taken.body, taken.facts,
      taken.page_path, taken.attempts, n.name as network_name,
      array_remove(string_to_array(n.postal_address, E'\n') || array[n.phone, n.email], '') as network_contact`,
  };
  return (await takeDue<TakenMail>(db, due, { limit: 1 }))[0];
}

/** An email that cannot be rendered, such as one with facts of a later version, fails without stopping others. */
async function send(
  db: Db,
  post: Post,
  taken: TakenMail,
  isWorthWaiting: () => boolean,
): Promise<"sent" | "failed" | "turned away" | "unavailable"> {
  let text: MailText | null = null;
  try {
    text = renderMail(taken);
    await post({ ...taken, ...text });
  } catch (problem) {
    if (problem instanceof TooManyConnections && isWorthWaiting()) {
      await putBack(db, taken);
      return "turned away";
    }
    await noteProblem(db, taken, text, problem);
    return problem instanceof PostUnavailable ? "unavailable" : "failed";
  }
  await mailRow(db, taken)
    .set({
      status: "sent",
      sentAt: sql<string>`clock_timestamp()`,
      lastProblem: null,
      ...finalText(text),
    })
    .execute();
  await noteAccepted(db, taken);
  return "sent";
}

/** An accepted email ends earlier refusals by the recipient's server. */
async function noteAccepted(db: Db, { networkId, recipient }: TakenMail): Promise<void> {
  const ended = await db
    .updateTable("mails")
    .set({ refusalStands: false })
    .where("networkId", "=", networkId)
    .where("recipient", "=", recipient)
    .where("refusalStands", "=", true)
    .executeTakeFirst();
  if (ended.numUpdatedRows > 0n)
    notifyNow(db, { networkId, attorneyId: null, topic: "administration" });
}

/** Undo the taking and make the email due next: the server has not looked at it. */
async function putBack(db: Db, mail: TakenMail): Promise<void> {
  await takenRow(db, mail)
    .set({
      attempts: mail.attempts - 1,
      nextAttemptAt: sql<string>`created_at`,
    })
    .execute();
}

/** The first pause is one minute. Each later pause is twice as long, up to six hours. */
async function noteProblem(
  db: Db,
  mail: TakenMail,
  text: MailText | null,
  problem: unknown,
): Promise<void> {
  const pauseSeconds = Math.min(6 * 3600, 60 * 2 ** (mail.attempts - 1));
  const refusal = problem instanceof RecipientRefused ? problem.refusal : null;
  const isLast = refusal !== null || mail.attempts >= maxAttempts;
  const { numUpdatedRows } = await takenRow(db, mail)
    .$if(refusal !== null, (row) => row.where("recipient", "=", mail.recipient))
    .set({
      lastProblem: (problem instanceof Error ? problem.message : String(problem)).slice(0, 500),
      nextAttemptAt: sql<string>`clock_timestamp() + make_interval(secs => ${pauseSeconds})`,
      ...(isLast && {
        status: "gave_up" as const,
        refusal,
        refusalStands: refusal !== null,
        ...(text && finalText(text)),
      }),
    })
    .executeTakeFirstOrThrow();
  // The attorney's address has changed; the new one has refused nothing.
  if (numUpdatedRows === 0n) return await putBack(db, mail);
  if (isLast)
    notifyNow(db, { networkId: mail.networkId, attorneyId: null, topic: "administration" });
}

/** The text that replaces the facts once an email is sent or given up. */
function finalText({ subject, body }: MailText) {
  return { subject, body: withoutLinks(body), facts: null };
}

function mailRow(db: Db, mail: TakenMail) {
  return db.updateTable("mails").where("networkId", "=", mail.networkId).where("id", "=", mail.id);
}

/** Matches only if still taken: while this worker was stalled, the email may have been withdrawn or retaken. */
function takenRow(db: Db, mail: TakenMail) {
  return mailRow(db, mail).where("status", "=", "queued").where("attempts", "=", mail.attempts);
}

/** An email's text as the recipient sees it, with the page's address below the body. */
export function textOf(
  { body, pagePath }: Pick<DueMail, "body" | "pagePath">,
  publicUrl: string,
): string {
  return pagePath === null ? body : `${body}\n\n${publicUrl}${pagePath}`;
}

/** An email's text without the codes of single-use links, which only its recipient may see. */
export function withoutLinks(body: string): string {
  return body.replaceAll(/(\/sign-in\/(?:link|address)#)[\w-]+/g, "$1…");
}
