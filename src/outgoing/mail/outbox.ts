import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { notifyNow } from "#kit/db/changes.ts";
import { takeDue } from "#kit/db/take-due.ts";
import type { Db } from "#kit/db/database.ts";
import { queueForCorrectedAddresses } from "#outgoing/mail/corrected-addresses.ts";
import { type MailText, type StoredText, renderMail } from "#outgoing/mail/templates.ts";

/**
 * Whose a mail is. An attorney's follows the attorney to a changed address; an account's, about signing in, is
 * for the address that the account had.
 */
export type MailOwner =
  | { attorneyId: number; userId?: undefined }
  | { userId: number; attorneyId?: undefined };

export type NewMail = MailOwner & MailToQueue;

interface MailToQueue extends MailText {
  networkId: number;
  /** What it is about, such as `suspended:17:2026-11-21`: a second mail for it is not made. */
  occasion: string;
  recipient: string;
  /** The page that it is about, such as `/receipts/17`: its address is put below the body. */
  pagePath?: string;
}

export interface DueMail extends MailText {
  networkId: number;
  id: number;
  recipient: string;
  pagePath: string | null;
  /** This one included. */
  attempts: number;
  networkName: string;
  /** How the network is reached, line by line: below the mail. */
  networkContact: string[];
}

/** A mail that a sender has taken, as it is stored. */
type TakenMail = Omit<DueMail, keyof MailText> & StoredText;

/**
 * Where mail goes: an SMTP server, or files on disk when none is configured. Rejects when it cannot,
 * with a PostUnavailable when it can take no mail at all for now, with a TooManyConnections when it can over fewer
 * connections, with a RecipientRefused when the recipient's server never will.
 */
export type Post = (mail: DueMail) => Promise<void>;

export class PostUnavailable extends Error {}

export class TooManyConnections extends PostUnavailable {}

export class RecipientRefused extends Error {
  readonly refusal: string;

  /** `refusal` says why in words that follow "Refused:", `reply` is the server's own. */
  constructor(refusal: string, reply: string) {
    super(reply);
    this.refusal = refusal;
  }
}

const senders = 4;
const maxAttempts = 20;

/** After so many mails one more sender is tried, where the server wanted fewer before. */
const mailsARound = 100;
/**
 * How long a sender waits that a server turns away, each time in a row: the server may still count a connection that
 * has just ended. Turned away twice a sender leaves; the last one tries as often as there are pauses.
 */
const pausesMs = [500, 1000, 2000, 4000];

/** Longer than any attempt lasts (post.ts): nobody else takes a mail while somebody still sends it. */
const takenForMinutes = 15;

/** Put a mail into the outbox, in the transaction of what it tells about; a job sends it. */
export async function queueMail(tx: Db, mail: NewMail): Promise<void> {
  await tx
    .insertInto("mails")
    .values(mail)
    .onConflict((conflict) => conflict.columns(["networkId", "occasion"]).doNothing())
    .execute();
}

/** From so many on they wait behind what single people wait for. */
const bulkFrom = 20;

/** The same for several of one network, none of them about a page. */
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
 * Send what is due, and what a corrected address can now take, until nothing is, several at a time, what was queued for
 * many at once last: each mail is taken by one sender, and is either marked as sent, or as refused, or tried again after
 * a growing pause, 20 times over about three days. Once the server turns out to take no mail at all, the rest is left as
 * it is for the next time. A server that has too few connections gets fewer senders; what it turned away goes over the
 * others. Answers how many were sent; throws where what became of a mail could not be noted, once the others are done.
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

/** Answers how many senders the next round has: none where nothing more is to be sent. */
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
  const goesOn = () => isOpen && !stopping?.aborted;
  const sendInTurn = async (): Promise<void> => {
    let timesInARow = 0;
    while (goesOn() && taken < mailsARound) {
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
  if (!goesOn() || !(isAnyDue || wasCrowded)) return { sent, nextWidth: 0 };
  return { sent, nextWidth: wasCrowded ? places : Math.min(width + 1, senders) };
}

/** The next that is due: of what was queued for many at once, once nothing else is. */
const takeNext = async (db: Db): Promise<TakenMail | undefined> =>
  (await takeOf(db, { isBulk: false })) ?? (await takeOf(db, { isBulk: true }));

/**
 * Taking a mail counts as an attempt; whose worker dies meanwhile becomes due again after a while. Ordered by
 * the index alone: all mails of one statement are due at the same instant, and ordering those further would
 * read every one of them for each that is taken.
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

/** One that cannot be written, such as one whose facts only a later version knows, fails by itself. */
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

/** What the recipient's server refused before no longer stands. */
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

/** As if it had not been taken, and next among those that are due: the server has not looked at it. */
async function putBack(db: Db, mail: TakenMail): Promise<void> {
  await takenRow(db, mail)
    .set({
      attempts: mail.attempts - 1,
      nextAttemptAt: sql<string>`created_at`,
    })
    .execute();
}

/** The first pause is a minute, each later one twice as long, none longer than six hours. */
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
  // Its attorney has another address since, which has refused nothing.
  if (numUpdatedRows === 0n) return await putBack(db, mail);
  if (isLast)
    notifyNow(db, { networkId: mail.networkId, attorneyId: null, topic: "administration" });
}

/** Stored in place of the facts: what was sent, or given up, stays as it was. */
function finalText({ subject, body }: MailText) {
  return { subject, body: withoutLinks(body), facts: null };
}

function mailRow(db: Db, mail: TakenMail) {
  return db.updateTable("mails").where("networkId", "=", mail.networkId).where("id", "=", mail.id);
}

/** It may have been withdrawn meanwhile, or taken by another: this worker may have stood still for long. */
function takenRow(db: Db, mail: TakenMail) {
  return mailRow(db, mail).where("status", "=", "queued").where("attempts", "=", mail.attempts);
}

/** A mail's text as its reader has it: below the body, where the page that it is about is. */
export function textOf(
  { body, pagePath }: Pick<DueMail, "body" | "pagePath">,
  publicUrl: string,
): string {
  return pagePath === null ? body : `${body}\n\n${publicUrl}${pagePath}`;
}

/**
 * A mail's text without the codes of its single-use links: they are for its recipient alone, not for
 * whoever reads the outbox.
 */
export function withoutLinks(body: string): string {
  return body.replaceAll(/(\/sign-in\/(?:link|address)#)[\w-]+/g, "$1…");
}
