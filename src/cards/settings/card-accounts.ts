import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { currentKeyVersion, encrypt, decrypt } from "#kit/ops/encryption.ts";
import { ProcessorName } from "#cards/shapes.ts";
import type { Account, Processor } from "#cards/processors/processor.ts";
import { processors } from "#cards/processors/processors.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/** One version of a network's card settings, ready to use. */
export interface CardAccount {
  id: number;
  networkId: number;
  processor: Processor;
  account: Account;
  sandbox: boolean;
  brandmarks: string[];
}

const columns = [
  "id",
  "networkId",
  "processor",
  "live",
  "sandbox",
  "brandmarks",
  "publicKeys",
  "encryptedSecrets",
  "keyVersion",
] as const;

export interface CardProcessorRow {
  id: number;
  networkId: number;
  processor: string;
  live: boolean;
  sandbox: boolean;
  brandmarks: string[];
  publicKeys: Record<string, string>;
  encryptedSecrets: string;
  keyVersion: number;
}

/** The network's current card account; null if it takes no cards. */
export async function accountInUse(
  context: CardPaymentContext,
  networkId: number,
): Promise<CardAccount | null> {
  const row = await latestSettings(context.db, networkId);
  return row && !needsMissingSandboxes(context, row) ? openAccount(context, row) : null;
}

/** The same. Throws 409 if the network takes no cards. */
export async function accountInUseOrRefuse(
  context: CardPaymentContext,
  networkId: number,
): Promise<CardAccount> {
  const using = await accountInUse(context, networkId);
  if (using) return using;
  throw new Refusal(409, "Your network does not take cards right now. Please pay by check.");
}

/** The version of the card settings that a payment, session or refund was made with. */
interface VersionKey {
  networkId: number;
  cardProcessorId: number;
}

/** By processor, the public keys that do not identify its account. */
const replaceableKeys = JSON.stringify(
  Object.fromEntries(
    Object.values(processors).map(({ name, fields }) => [
      name,
      fields.filter(({ isReplaceable }) => isReplaceable).map((field) => field.name),
    ]),
  ),
);

/** The public keys that identify the account in a version of the card settings. */
const accountNameIn = (version: "made" | "saved") => sql`
  ${sql.ref(`${version}.publicKeys`)} - array(
    select jsonb_array_elements_text(${replaceableKeys}::jsonb -> ${sql.ref(`${version}.processor`)}))`;

/**
 * The account that made a payment, session or refund, with its most recently saved keys: a processor
 * refuses replaced keys, even for lookups of older payments.
 */
export async function accountOf(
  context: CardPaymentContext,
  made: VersionKey,
): Promise<CardAccount> {
  const row = await context.db
    .selectFrom("cardProcessors as made")
    .innerJoin("cardProcessors as saved", (join) =>
      join
        .onRef("saved.networkId", "=", "made.networkId")
        .onRef("saved.processor", "=", "made.processor")
        .onRef("saved.live", "=", "made.live")
        .onRef("saved.sandbox", "=", "made.sandbox"),
    )
    .select(columns.map((column) => `saved.${column}` as const))
    .where("made.networkId", "=", made.networkId)
    .where("made.id", "=", made.cardProcessorId)
    .where(accountNameIn("saved"), "=", accountNameIn("made"))
    .orderBy("saved.id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return openAccount(context, row);
}

/** Exactly this version: its keys signed the notices sent at that time. */
export async function versionOf(
  context: CardPaymentContext,
  named: VersionKey,
): Promise<CardAccount> {
  const row = await context.db
    .selectFrom("cardProcessors")
    .select(columns)
    .where("networkId", "=", named.networkId)
    .where("id", "=", named.cardProcessorId)
    .executeTakeFirstOrThrow();
  return openAccount(context, row);
}

/** The newest settings of a network, or the newest for one processor. */
export async function latestSettings(
  db: Db,
  networkId: number,
  processor?: ProcessorName,
): Promise<CardProcessorRow | undefined> {
  return await db
    .selectFrom("cardProcessors")
    .select(columns)
    .where("networkId", "=", networkId)
    .$if(processor !== undefined, (query) => query.where("processor", "=", processor ?? ""))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

export function processorNamed(name: string): Processor {
  return processors[ProcessorName.parse(name)];
}

/** True for a demo's settings on a server without sandboxes. */
function needsMissingSandboxes(context: CardPaymentContext, row: CardProcessorRow): boolean {
  return row.sandbox && !context.sandboxes;
}

function openAccount(context: CardPaymentContext, row: CardProcessorRow): CardAccount {
  const processor = processorNamed(row.processor);
  if (needsMissingSandboxes(context, row))
    throw new Error("The card sandboxes do not run with this server.");
  const own = row.live ? processor.liveAddresses : processor.testAddresses;
  return {
    id: row.id,
    networkId: row.networkId,
    processor,
    sandbox: row.sandbox,
    brandmarks: row.brandmarks,
    account: {
      networkId: row.networkId,
      live: row.live,
      keys: { ...row.publicKeys, ...secretsOf(context, row) },
      addresses: (row.sandbox && context.sandboxes?.[processor.name]) || own,
      publicUrl: context.publicUrl,
      timeoutMs: context.timeoutMs,
    },
  };
}

/** The secret keys of one version, by field name. Throws `DecryptionFailed`. */
export function secretsOf(
  context: CardPaymentContext,
  row: CardProcessorRow,
): Record<string, string> {
  const owner = cardKeysOwner(row.networkId, row.processor);
  const opened: unknown = JSON.parse(
    decrypt(row.encryptedSecrets, owner, context.secret, row.keyVersion),
  );
  return opened as Record<string, string>; // written by `encryptedKeys`, and authenticated
}

export function encryptedKeys(
  context: Pick<CardPaymentContext, "secret">,
  networkId: number,
  processor: ProcessorName,
  secrets: Record<string, string>,
) {
  return {
    encryptedSecrets: encrypt(
      JSON.stringify(secrets),
      cardKeysOwner(networkId, processor),
      context.secret,
    ),
    keyVersion: currentKeyVersion,
  };
}

/** The owner used to encrypt a version of the card settings. */
export const cardKeysOwner = (networkId: number, processor: string) =>
  `card keys ${networkId} ${processor}`;

/** The owner used to encrypt a session's secret. */
export const sessionOwner = (networkId: number, reference: string) =>
  `card session ${networkId} ${reference}`;
