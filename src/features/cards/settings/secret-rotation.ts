import { sql } from "kysely";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";
import { currentKeyVersion, encrypt, DecryptionFailed, decrypt } from "#ops/encryption.ts";
import { decryptsCheckValue, encryptCheckValue } from "#ops/secret-check-value.ts";
import { isServerSession } from "#db/server-sessions.ts";
import { cardKeysOwner, sessionOwner } from "#features/cards/settings/card-accounts.ts";
import { operator } from "#features/networks/networks.ts";

export interface Rotation {
  oldSecret: string;
  newSecret: string;
  /** Leave what neither secret opens as it is, instead of refusing. */
  skipsUnreadable: boolean;
}

export interface Rotated {
  resealed: number;
  /** Sealed under the new secret already, by a rotation before this one. */
  alreadyDone: number;
  unreadable: number;
  sessionsEnded: number;
}

/**
 * Seal everything that is sealed under the application's secret under a new one, and end all
 * sessions, whose cookies the new secret does not know; all of it or nothing. Doing it again does
 * no harm. Throws 409 while servers run, which would go on sealing under the old secret, and when
 * neither secret opens something.
 */
export async function rotateSecret(tx: Db, rotation: Rotation): Promise<Rotated> {
  await sql`lock table card_processors, card_sessions, sessions in share row exclusive mode`.execute(
    tx,
  );
  await refuseWhileRunning(tx);
  await replaceProbe(tx, rotation);
  const sealed = await allSecrets(tx);
  const turned = sealed.map((one) => ({ ...one, ...turn(one, rotation) }));
  const unreadable = turned.filter(({ state }) => state === "unreadable");
  if (unreadable.length > 0 && !rotation.skipsUnreadable) throw cannotRead(unreadable);
  for (const one of turned) if (one.state === "resealed") await one.keep(one.text);
  await leaveTrace(tx, turned);
  const { numDeletedRows } = await tx.deleteFrom("sessions").executeTakeFirst();
  const count = (state: Turned["state"]) => turned.filter((one) => one.state === state).length;
  return {
    resealed: count("resealed"),
    alreadyDone: count("done"),
    unreadable: unreadable.length,
    sessionsEnded: Number(numDeletedRows),
  };
}

/** Processes that start afterwards are held to the new secret. */
async function replaceProbe(tx: Db, rotation: Rotation): Promise<void> {
  const { oldSecret, newSecret, skipsUnreadable } = rotation;
  const kept = await tx
    .selectFrom("installation")
    .select("sealedProbe")
    .forUpdate()
    .executeTakeFirst();
  const probe = kept?.sealedProbe;
  if (probe && decryptsCheckValue(probe, newSecret)) return;
  if (probe && !decryptsCheckValue(probe, oldSecret) && !skipsUnreadable)
    throw new Refusal(
      409,
      "Nothing was changed: APP_SECRET is not the secret that this database is used with. If that one is lost, rotate with --skip-unreadable and enter the card processors' keys again.",
    );
  const sealedProbe = encryptCheckValue(newSecret);
  await tx
    .insertInto("installation")
    .values({ sealedProbe })
    .onConflict((on) => on.column("isOnlyRow").doUpdateSet({ sealedProbe }))
    .execute();
}

async function refuseWhileRunning(tx: Db): Promise<void> {
  const { rows } = await sql<{ running: number }>`
    select count(*) as running from pg_stat_activity
    where datname = current_database() and ${sql.raw(isServerSession)}`.execute(tx);
  if ((rows[0]?.running ?? 0) > 0)
    throw new Refusal(
      409,
      "Nothing was changed: servers are running on this database, and would go on with the old secret. Stop them all, web and workers, then try again.",
    );
}

/** How many of the stored secrets there are, and how many of them a secret does not open. */
export async function countSecrets(
  db: Db,
  secret: string,
): Promise<{ stored: number; unreadable: number }> {
  const sealed = await allSecrets(db);
  const unreadable = sealed.filter(
    ({ text, owner, version }) => opened(text, owner, secret, version) === null,
  );
  return { stored: sealed.length, unreadable: unreadable.length };
}

interface Sealed {
  networkId: number;
  /** What it is, for whom it may concern. */
  what: string;
  owner: string;
  text: string;
  version: number;
  /** Write it down, sealed anew. */
  keep: (text: string) => Promise<unknown>;
}

/** What is sealed under the application's secret, with what it takes to open it. */
export async function allSecrets(tx: Db): Promise<Sealed[]> {
  const keys = await tx
    .selectFrom("cardProcessors")
    .select(["networkId", "id", "processor", "sealedSecrets", "keyVersion"])
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  const sessions = await tx
    .selectFrom("cardSessions")
    .select(["networkId", "id", "reference", "sealedSecret"])
    .where("sealedSecret", "is not", null)
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  return [
    ...keys.map(({ networkId, id, processor, sealedSecrets, keyVersion }) => ({
      networkId,
      what: `network ${networkId}, card settings ${id} (${processor})`,
      owner: cardKeysOwner(networkId, processor),
      text: sealedSecrets,
      version: keyVersion,
      keep: (text: string) =>
        tx
          .updateTable("cardProcessors")
          .set({ sealedSecrets: text, keyVersion: currentKeyVersion })
          .where("networkId", "=", networkId)
          .where("id", "=", id)
          .execute(),
    })),
    ...sessions.map(({ networkId, id, reference, sealedSecret }) => ({
      networkId,
      what: `network ${networkId}, card session ${id}`,
      owner: sessionOwner(networkId, reference),
      text: sealedSecret ?? "",
      version: currentKeyVersion,
      keep: (text: string) =>
        tx
          .updateTable("cardSessions")
          .set({ sealedSecret: text })
          .where("networkId", "=", networkId)
          .where("id", "=", id)
          .execute(),
    })),
  ];
}

interface Turned {
  state: "resealed" | "done" | "unreadable";
  text: string;
}

function turn({ text, owner, version }: Sealed, { oldSecret, newSecret }: Rotation): Turned {
  if (opened(text, owner, newSecret, version) !== null) return { state: "done", text };
  const plain = opened(text, owner, oldSecret, version);
  if (plain === null) return { state: "unreadable", text };
  return { state: "resealed", text: encrypt(plain, owner, newSecret) };
}

/** Null when another secret has sealed it. */
export function opened(
  text: string,
  owner: string,
  secret: string,
  version: number,
): string | null {
  try {
    return decrypt(text, owner, secret, version);
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return null;
    throw problem;
  }
}

function cannotRead(unreadable: { what: string }[]): Refusal {
  const named = unreadable.slice(0, 5).map(({ what }) => what);
  const more = unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : "";
  return new Refusal(
    409,
    `Nothing was changed: neither secret opens ${named.join("; ")}${more}. Is APP_SECRET the one that the servers ran with? If these were lost before, rotate with --skip-unreadable and enter the keys again.`,
  );
}

async function leaveTrace(tx: Db, turned: (Sealed & Turned)[]): Promise<void> {
  const networks = new Set(
    turned.filter(({ state }) => state === "resealed").map(({ networkId }) => networkId),
  );
  for (const networkId of networks)
    await audit(tx, operator(networkId), {
      action: "re-encrypted",
      recordType: "card settings",
      recordId: null,
    });
}
