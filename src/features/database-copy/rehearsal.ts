import type pg from "pg";
import { encryptedKeys } from "#features/cards/settings/card-accounts.ts";
import { ProcessorName } from "#features/cards/shapes.ts";

/**
 * Take out of a copy what acts on the world or lets somebody in, so that rehearsing with it charges no
 * card, gives nothing back, and mails nobody: the card processors' secret keys, mail that waits,
 * everybody's sessions, and the links by which a password is chosen, also inside of mails. Records
 * and ledger stay. It is another installation, which the original's folder of reports does not belong to. `secret` is the copy's own. Done before the copy is anybody's to see, by a
 * connection that no trigger watches.
 */
export async function takeOutWhatActs(target: pg.ClientBase, secret: string): Promise<void> {
  await forgetWhatIsSealed(target);
  await takeNoCards(target, secret);
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
  await target.query(
    "update installation set database_id = gen_random_uuid(), folder_id = gen_random_uuid()",
  );
}

/** Whatever can be empty of what is sealed under the secret of there, in columns that are named so. */
async function forgetWhatIsSealed(target: pg.ClientBase): Promise<void> {
  const { rows } = await target.query<{ forgetting: string }>(
    `select format('update %s set %I = null', attrelid::regclass, attname) as forgetting
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and attname like 'sealed\\_%' and not attnotnull and not attisdropped`,
  );
  for (const { forgetting } of rows) await target.query(forgetting);
}

/**
 * Instead of keys there are none, sealed under the copy's own secret. As settings of a stand-in they
 * are used only where stand-ins run: elsewhere lawyers read that no cards are taken.
 */
async function takeNoCards(target: pg.ClientBase, secret: string): Promise<void> {
  const { rows } = await target.query<{ network: string; id: string; processor: string }>(
    "select network_id as network, id, processor from card_processors",
  );
  for (const { network, id, processor } of rows) {
    const sealed = encryptedKeys({ secret }, Number(network), ProcessorName.parse(processor), {});
    await target.query(
      `update card_processors
        set live = false, sandbox = true, sealed_secrets = $3, key_version = $4
        where network_id = $1 and id = $2`,
      [network, id, sealed.sealedSecrets, sealed.keyVersion],
    );
  }
}
