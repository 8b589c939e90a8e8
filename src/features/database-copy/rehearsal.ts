import type pg from "pg";

/**
 * Take out of a copy what acts on the world or lets somebody in, so that rehearsing with it charges no
 * card, gives nothing back, and mails nobody: the card processors' secret keys, mail that waits,
 * everybody's sessions, and the links by which a password is chosen, also inside of mails. Records
 * and ledger stay. Done before the copy is anybody's to see, by a connection that no trigger watches.
 */
export async function takeOutWhatActs(target: pg.ClientBase): Promise<void> {
  // No secret opens nothing, and a stand-in's settings are not used where no stand-ins run: cards are
  // not taken, rather than failing.
  await target.query(
    "update card_processors set sealed_secrets = '', live = false, sandbox = true",
  );
  await target.query("update card_sessions set sealed_secret = null");
  await target.query("delete from sessions");
  await target.query("delete from verifications");
  await target.query("update sign_in_links set used_at = now() where used_at is null");
  await target.query(
    `update mails set body = regexp_replace(body, '(/sign-in/link#)[[:alnum:]_-]+', '\\1…', 'g')
      where position('/sign-in/link#' in body) > 0`,
  );
  await target.query(
    "update mails set status = 'withdrawn', last_problem = 'A copy for a rehearsal sends no mail.' where status = 'queued'",
  );
}
