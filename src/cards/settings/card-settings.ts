import { sql } from "kysely";
import { withArticle } from "#kit/contract/validation-messages.ts";
import type { Actor, Admin, AttorneyActor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import { DecryptionFailed } from "#kit/ops/encryption.ts";
import { ownSourcesOnly, type PageSources } from "#kit/http/security-headers.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import {
  accountInUse,
  type CardProcessorRow,
  latestSettings,
  processorNamed,
  encryptedKeys,
  secretsOf,
} from "#cards/settings/card-accounts.ts";
import type { CardSettingsChange } from "#cards/contract.ts";
import type { Processor } from "#cards/processors/processor.ts";
import { processors } from "#cards/processors/processors.ts";
import { Brandmark, type CardSettings } from "#cards/shapes.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

export async function showDashboardSettings(context: CardPaymentContext, actor: AttorneyActor) {
  const using = await accountInUse(context, actor.networkId);
  if (!using) return noCardSettings;
  const { publicKeys, clientIds, scriptUrl, scriptIntegrity } = using.processor.page(using.account);
  return {
    paymentProcessor: using.processor.name,
    publicKeys,
    clientIds,
    livePayments: using.account.live,
    brandmarks: brandsOf(using.brandmarks),
    scriptUrl,
    scriptIntegrity: scriptIntegrity ?? null,
  };
}

const noCardSettings = {
  paymentProcessor: null,
  publicKeys: {},
  clientIds: {},
  livePayments: false,
  brandmarks: [],
  scriptUrl: null,
  scriptIntegrity: null,
};

const brandsOf = (names: string[]): Brandmark[] =>
  names.flatMap((name) => Brandmark.safeParse(name).data ?? []);

/** The hosts of the network's card processor, for attorneys' pages. */
export async function cardSourcesFor(
  context: CardPaymentContext,
  actor: Actor,
): Promise<PageSources> {
  if (actor.role !== "attorney") return ownSourcesOnly;
  const using = await accountInUse(context, actor.networkId);
  if (!using) return ownSourcesOnly;
  const { scripts, frames, forms, connections } = using.processor.page(using.account).sources;
  const once = (hosts: string[]) => [...new Set(hosts)];
  return {
    scripts: once(scripts),
    frames: once(frames),
    forms: once(forms),
    connections: once(connections),
  };
}

/** The settings as an administrator sees them: of secrets, only whether they are set. */
export async function showSettings(
  context: CardPaymentContext,
  admin: Admin,
): Promise<CardSettings> {
  const now = await latestSettings(context.db, admin.networkId);
  const listed = [];
  for (const processor of Object.values(processors)) {
    const row = await latestSettings(context.db, admin.networkId, processor.name);
    listed.push({
      name: processor.name,
      label: processor.label,
      advice: processor.advice ?? null,
      fields: processor.fields,
      values: row?.publicKeys ?? {},
      secrets: row ? lastFours(readableSecrets(context, row)) : {},
    });
  }
  const used = now && processorNamed(now.processor);
  return {
    version: now?.id ?? null,
    paymentProcessor: used?.name ?? null,
    livePayments: now?.live ?? false,
    sandbox: now?.sandbox ?? false,
    sandboxAvailable: context.sandboxes !== null,
    brandmarks: brandsOf(now?.brandmarks ?? ["mastercard", "visa"]),
    webhookUrl: used?.readNotice
      ? `${context.publicUrl}/webhooks/${used.name}/${admin.networkId}`
      : null,
    accountFault: now ? await accountFaultOf(context.db, now) : null,
    processors: listed,
  };
}

/**
 * Why the processor refused the last payment or session, if the account in use is at fault. A captured
 * payment, a card declined for its own reasons and an opened session all show that the account works. Looks
 * only at the network's newest: an account that was just saved has none yet.
 */
async function accountFaultOf(
  db: Db,
  { networkId, id }: CardProcessorRow,
): Promise<CardSettings["accountFault"]> {
  const { rows } = await sql<{ message: string; at: string }>`
    select message, iso(at) as at from (
      (select problem as message, settled_at as at, card_processor_id from card_payments
        where network_id = ${networkId} and state in ('captured', 'declined')
        order by payment_id desc limit 1)
      union all
      (select fault, created_at, card_processor_id from card_sessions
        where network_id = ${networkId}
        order by id desc limit 1)
    ) as latest
    where message is not null and card_processor_id = ${id}
    order by latest.at desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** The last four characters identify a key. Short keys show none, since four would reveal too much. */
function lastFours(secrets: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      value.length >= 16 ? value.slice(-4) : "",
    ]),
  );
}

/** Secrets encrypted with another application secret count as not entered. */
function readableSecrets(
  context: CardPaymentContext,
  row: CardProcessorRow,
): Record<string, string> {
  try {
    return secretsOf(context, row);
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return {};
    throw problem;
  }
}

/**
 * Choose the processor and save its keys after it has confirmed them. Payments under way keep the account
 * they were made with. Throws 422 for missing, unknown or wrong keys, 503 if the processor cannot be
 * reached, and 409 if somebody else saved since these settings were shown or during the check; nothing is
 * saved then.
 */
export async function changeSettings(
  context: CardPaymentContext,
  admin: Admin,
  wanted: CardSettingsChange,
): Promise<CardSettings> {
  const processor = processors[wanted.payment_processor];
  refuseImpossible(context, processor, wanted);
  const before = await latestSettings(context.db, admin.networkId);
  const shown = wanted.version === undefined ? before?.id : wanted.version;
  refuseOtherVersion(before, shown);
  const known = await latestSettings(context.db, admin.networkId, processor.name);
  const keys = mergedKeys(context, processor, known, wanted);
  await refuseWrongKeys(context, admin, processor, wanted, keys);
  const isPublic = (name: string) =>
    processor.fields.some((field) => field.name === name && !field.isSecret);
  const publicKeys = pick(keys, isPublic);
  const brandmarks = wanted.brandmarks ?? known?.brandmarks ?? ["mastercard", "visa"];
  await inTransaction(context.db, async (tx) => {
    await lockSettings(tx, admin.networkId);
    refuseOtherVersion(await latestSettings(tx, admin.networkId), shown);
    const { id } = await tx
      .insertInto("cardProcessors")
      .values({
        networkId: admin.networkId,
        processor: processor.name,
        live: wanted.live_payments,
        sandbox: wanted.sandbox,
        brandmarks,
        publicKeys: JSON.stringify(publicKeys),
        ...encryptedKeys(
          context,
          admin.networkId,
          processor.name,
          pick(keys, (name) => !isPublic(name)),
        ),
        createdBy: admin.userId,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await audit(tx, admin, {
      action: "changed card settings",
      recordType: "card settings",
      recordId: id,
      before: before && withoutSecrets(before),
      after: {
        processor: processor.name,
        live: wanted.live_payments,
        sandbox: wanted.sandbox,
        brandmarks,
        publicKeys,
        keysEntered: Object.keys(wanted.keys),
      },
    });
  });
  return await showSettings(context, admin);
}

/** Two savers at the same time run one after the other. */
async function lockSettings(tx: Db, networkId: number): Promise<void> {
  const network = tx.selectFrom("networks").select("id").where("id", "=", networkId);
  await network.forNoKeyUpdate().executeTakeFirstOrThrow();
}

function refuseOtherVersion(
  now: CardProcessorRow | undefined,
  shown: number | null | undefined,
): void {
  if ((now?.id ?? null) !== (shown ?? null))
    throw new Refusal(
      409,
      "Someone else has saved the card settings since you opened them. Reload the page and make your change again.",
    );
}

const pick = (keys: Record<string, string>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => isWanted(name)));

const withoutSecrets = ({
  processor,
  live,
  sandbox,
  brandmarks,
  publicKeys,
}: CardProcessorRow) => ({
  processor,
  live,
  sandbox,
  brandmarks,
  publicKeys,
});

function refuseImpossible(
  context: CardPaymentContext,
  processor: Processor,
  wanted: CardSettingsChange,
): void {
  if (wanted.sandbox && wanted.live_payments)
    throw invalid("sandbox", "The sandbox takes no live payments. Choose test mode.");
  if (wanted.sandbox && !context.sandboxes)
    throw invalid("sandbox", "No card sandboxes run with this server.");
  for (const name of Object.keys(wanted.keys))
    if (!processor.fields.some((field) => field.name === name))
      throw invalid(`keys.${name}`, `${processor.label} has no key named "${name}".`);
}

/** The new keys on top of the saved ones; empty text clears an optional key. */
function mergedKeys(
  context: CardPaymentContext,
  processor: Processor,
  known: CardProcessorRow | undefined,
  wanted: CardSettingsChange,
): Record<string, string> {
  const before = known ? { ...known.publicKeys, ...readableSecrets(context, known) } : {};
  const keys = pick({ ...before, ...wanted.keys }, (name) => name !== "");
  const missing = processor.fields.find((field) => field.isRequired && !keys[field.name]);
  if (missing) throw invalid(`keys.${missing.name}`, `Enter ${withArticle(missing.label)}.`);
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== ""));
}

async function refuseWrongKeys(
  context: CardPaymentContext,
  admin: Admin,
  processor: Processor,
  wanted: CardSettingsChange,
  keys: Record<string, string>,
): Promise<void> {
  const own = wanted.live_payments ? processor.liveAddresses : processor.testAddresses;
  const answered = await callProcessor(
    context,
    `Checking the keys of network ${admin.networkId}`,
    () =>
      processor.checkKeys({
        networkId: admin.networkId,
        live: wanted.live_payments,
        keys,
        addresses: (wanted.sandbox && context.sandboxes?.[processor.name]) || own,
        publicUrl: context.publicUrl,
        timeoutMs: context.timeoutMs,
      }),
  );
  if (typeof answered === "string") throw invalid("keys", answered);
  if (answered !== null)
    throw new Refusal(
      503,
      `${processor.label} could not be reached to check the keys, so nothing was saved. Try again in a moment.`,
      { retryAfterSeconds: 10 },
    );
}
