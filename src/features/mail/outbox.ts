import { sql } from "kysely";
import type { Db } from "#server/database.ts";

export interface NewMail {
  networkId: number;
  /** What it is about, such as `suspended:17:2026-11-21`: a second mail for it is not made. */
  occasion: string;
  recipient: string;
  subject: string;
  body: string;
}

export interface DueMail {
  networkId: number;
  id: number;
  occasion: string;
  recipient: string;
  subject: string;
  body: string;
  attempts: number;
  networkName: string;
}

/** Where mail goes: an SMTP server, or files on disk when none is configured. Rejects when it cannot. */
export type Post = (mail: DueMail) => Promise<void>;

const atOnce = 20;
const greatestAttempts = 12;

/** Put a mail into the outbox, in the transaction of what it tells about; a job sends it. */
export async function queueMail(tx: Db, mail: NewMail): Promise<void> {
  await tx
    .insertInto("mails")
    .values(mail)
    .onConflict((conflict) => conflict.columns(["networkId", "occasion"]).doNothing())
    .execute();
}

/**
 * Send what is due, until nothing is: each mail is taken for a while by one worker, and either
 * marked as sent or tried again after a growing pause, 12 times over about three days. Answers how
 * many were sent.
 */
export async function sendDueMail(db: Db, post: Post): Promise<number> {
  let sent = 0;
  for (;;) {
    const batch = await takeDue(db);
    for (const mail of batch) if (await send(db, post, mail)) sent += 1;
    if (batch.length < atOnce) return sent;
  }
}

/** Taking a mail counts as an attempt and sets the next one, so that a worker's death loses nothing. */
async function takeDue(db: Db): Promise<DueMail[]> {
  const { rows } = await sql<DueMail>`
    update mails m
    set attempts = m.attempts + 1,
      next_attempt_at = now() + make_interval(secs => least(6 * 3600, 60 * power(2, m.attempts)))
    from networks n, (
      select network_id, id from mails
      where status = 'queued' and next_attempt_at <= now()
      order by next_attempt_at, id limit ${atOnce} for update skip locked
    ) as due
    where m.network_id = due.network_id and m.id = due.id and n.id = m.network_id
    returning m.network_id, m.id, m.occasion, m.recipient, m.subject, m.body, m.attempts, n.name as network_name`.execute(
    db,
  );
  return rows;
}

async function send(db: Db, post: Post, mail: DueMail): Promise<boolean> {
  try {
    await post(mail);
  } catch (problem) {
    await noteProblem(db, mail, problem);
    return false;
  }
  await mailRow(db, mail)
    .set({
      status: "sent",
      sentAt: sql<string>`now()`,
      lastProblem: null,
      // A single-use link has done its work once it has been sent; nobody else should read it here.
      body: mail.body.replaceAll(/(\/sign-in\/link#)[\w-]+/g, "$1…"),
    })
    .execute();
  return true;
}

async function noteProblem(db: Db, mail: DueMail, problem: unknown): Promise<void> {
  await mailRow(db, mail)
    .set({
      lastProblem: (problem instanceof Error ? problem.message : String(problem)).slice(0, 500),
      ...(mail.attempts >= greatestAttempts && { status: "gave_up" as const }),
    })
    .execute();
}

function mailRow(db: Db, mail: DueMail) {
  return db.updateTable("mails").where("networkId", "=", mail.networkId).where("id", "=", mail.id);
}
