import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { migrate } from "#kit/db/migrate.ts";

/** What every group of rows is given. */
export interface World {
  connectionString: string;
  /** For making records. */
  db: Db;
  /** One connection for seeding, raw statements and checks, without time-outs. */
  client: pg.Client;
  /** For files of the product. */
  folder: string;
  secret: string;
  rounds: number;
  isQuick: boolean;
  log: (line: string) => void;
}

/**
 * A migrated database of the bench's own: an embedded one, or an empty one at DATABASE_URL, since rows are
 * deleted between rounds. Both have the product's usual settings.
 */
export async function withWorld(
  { isQuick }: { isQuick: boolean },
  work: (world: World) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "referral-network-bench-"));
  const log = (line: string) => console.error(line);
  const given = process.env["DATABASE_URL"];
  const embedded = given ? null : await openEmbeddedDatabase({ dataDir: folder, log });
  const connectionString = given ?? embedded?.connectionString ?? "";
  try {
    await migrate(connectionString);
    const client = new pg.Client({ connectionString });
    const pool = openPool({ connectionString, connections: 2, statementTimeoutMs: 0 });
    const db = openDatabase(pool);
    await client.connect();
    client.on("error", ({ message }) => log(message)); // a lost connection also fails each statement of a row
    try {
      const { rows } = await client.query("select from networks limit 1");
      if (rows.length > 0) throw new Error("DATABASE_URL must name an empty database.");
      const secret = randomBytes(24).toString("base64url");
      const rounds = isQuick ? 7 : 3; // short ones vary more
      await work({ connectionString, db, client, folder, secret, rounds, isQuick, log });
    } finally {
      await Promise.all([client.end(), pool.end()]);
    }
  } finally {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The one row of a statement, its `bigint`s as numbers. */
export async function oneRow(
  { client }: Pick<World, "client">,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, number>> {
  const { rows } = await client.query<Record<string, string>>(text, values);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([key, value]) => [key, +value]));
}

/** Throws unless the work that was timed was done. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}.`);
}

/** Tables of the ledger, children first; their own rules refuse deletions. */
const ledger = [
  "entries",
  "credits",
  "payment_allocations",
  "card_transactions",
  "card_refunds",
  "card_payments",
  "payments",
  "received_checks",
  "debits",
  "enrolments",
];

/**
 * Switch the ledger's own rules on or off, and autovacuum with them; foreign keys and checks always hold.
 * Otherwise autovacuum may analyze in the middle of the raw row's one large transaction, find a million pages
 * without a visible row, and make the foreign keys' plans read the whole table for each row.
 */
export async function setTriggers(client: pg.Client, change: "enable" | "disable"): Promise<void> {
  const isOn = change === "enable";
  for (const table of ledger)
    await client.query(
      `alter table ${table} ${change} trigger user, set (autovacuum_enabled = ${isOn})`,
    );
}

/** Delete every debit, and perhaps every enrolment, so that each round begins alike. */
export async function emptyLedger(
  { client }: World,
  keeps: "enrolments" | "nothing",
): Promise<void> {
  const tables = ledger.filter((table) => table !== keeps);
  await client.query("begin");
  await setTriggers(client, "disable");
  await client.query(`truncate ${tables.join(", ")}`);
  await setTriggers(client, "enable");
  await client.query("update billing_progress set billed_through = null");
  await client.query("commit");
}
