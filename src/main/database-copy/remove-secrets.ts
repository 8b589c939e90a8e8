import type pg from "pg";
import { encryptedKeys } from "#cards/settings/card-accounts.ts";
import { ProcessorName } from "#cards/shapes.ts";

/**
 * Remove from a copy what acts outside or grants access, so that a rehearsal charges and refunds no card, posts no
 * webhook and sends no email: the card processors' secret keys, webhooks, queued email, sessions and API tokens, and links
 * to choose a password or change an address, also inside emails. Also second factors: their secrets are encrypted with
 * the original's secret, and their owners are not here; networks that require them start their grace period again.
 * Records and ledger stay. The copy has no id range. `secret` is the copy's own. Runs before the copy can be used, on a
 * connection without triggers.
 */
export async function removeSecretsAndMail(target: pg.ClientBase, secret: string): Promise<void> {
  for (const table of ["webhook_deliveries", "webhook_messages", "webhook_endpoints"])
    await target.query(`delete from ${table}`);
  await clearEncryptedColumns(target);
  await disableCardPayments(target, secret);
  await target.query("delete from sessions");
  await target.query("update api_tokens set revoked_at = now() where revoked_at is null");
  await target.query("delete from verifications");
  await target.query("delete from two_factors");
  await target.query("delete from passkeys");
  await target.query("update users set two_factor_enabled = false where two_factor_enabled");
  await target.query(
    "update networks set second_factor_required_since = now() where second_factor_required_since is not null",
  );
  await target.query("update sign_in_links set used_at = now() where used_at is null");
  await target.query(
    "update email_changes set ended_at = now(), ended = 'called off' where ended_at is null",
  );
  await target.query(
    `update mails set body = regexp_replace(body, '(/sign-in/(link|address)#)[[:alnum:]_-]+', '\\1…', 'g')
      where body ~ '/sign-in/(link|address)#'`,
  );
  await target.query(
    "update mails set status = 'withdrawn', last_problem = 'A rehearsal copy sends no email.' where status = 'queued'",
  );
  await target.query("update installation set first_id = null, last_id = null");
}

/** Clear the secret's check value and all nullable `encrypted_…` columns: they use the original's secret. */
async function clearEncryptedColumns(target: pg.ClientBase): Promise<void> {
  const { rows } = await target.query<{ forgetting: string }>(
    `select format('update %s set %I = null', attrelid::regclass, attname) as forgetting
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and (attname like 'encrypted\\_%' or attname = 'secret_check_value') and not attnotnull and not attisdropped`,
  );
  for (const { forgetting } of rows) await target.query(forgetting);
}

/**
 * Replace the keys by an empty set, encrypted with the copy's own secret, and mark the settings as a sandbox's: they are
 * used only where sandboxes run. Elsewhere lawyers see that no cards are accepted.
 */
async function disableCardPayments(target: pg.ClientBase, secret: string): Promise<void> {
  const { rows } = await target.query<{ network: string; id: string; processor: string }>(
    "select network_id as network, id, processor from card_processors",
  );
  for (const { network, id, processor } of rows) {
    const encrypted = encryptedKeys(
      { secret },
      Number(network),
      ProcessorName.parse(processor),
      {},
    );
    await target.query(
      `update card_processors
        set live = false, sandbox = true, encrypted_secrets = $3, key_version = $4
        where network_id = $1 and id = $2`,
      [network, id, encrypted.encryptedSecrets, encrypted.keyVersion],
    );
  }
}
