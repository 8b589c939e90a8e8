import type { Pool, PoolClient, Submittable } from "pg";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";

/** How one statement was carried out. */
export interface Explained {
  text: string;
  /** The most rows that one step of the plan has read, returned or filtered, over all its loops. */
  rows: number;
  /** PostgreSQL's name for that step. */
  step: string;
  /** The same for each step. */
  steps: { step: string; rows: number }[];
  /** Pages read, including those with rows invisible to the statement, such as its own. */
  pages: number;
}

export interface ExplainingDatabase {
  db: Db;
  pool: Pool;
  /** How all statements since the last call were carried out. */
  taken(): Explained[];
  close(): Promise<void>;
}

/**
 * The product's database, on which PostgreSQL explains each statement before it is run: it is carried out,
 * counted, rolled back, and carried out again for its answer. Table statistics stay as they are: nothing is
 * analyzed.
 */
export function anExplainingDatabase(connectionString: string): ExplainingDatabase {
  const pool = openPool({ connectionString, connections: 2 });
  const explained: Explained[] = [];
  pool.on("connect", (client) => explainEach(client, explained));
  return {
    db: openDatabase(pool),
    pool,
    taken: () => explained.splice(0),
    close: () => pool.end(),
  };
}

const explainable = /^(\/\*.*?\*\/)?\s*(with|select|insert|update|delete)\b/i;
const copying = /^copy \((.*)\) to stdout/s;
const analysing = /^(analyze|select analyze_(tables|referred))\b/i;

type Query = (...args: unknown[]) => Promise<unknown>;

function explainEach(client: PoolClient, explained: Explained[]): void {
  const plain = client.query.bind(client) as Query; // it has many forms
  let isInTransaction = false;
  const query = async (asked: unknown, ...more: unknown[]): Promise<unknown> => {
    const text = typeof asked === "string" ? asked : textOf(asked);
    if (/^(begin|start transaction)/i.test(text)) isInTransaction = true;
    if (/^(commit|rollback)$/i.test(text)) isInTransaction = false;
    if (analysing.test(text)) return { rows: [] };
    if (explainable.test(text)) explained.push(await explain(plain, isInTransaction, text, more));
    return await plain(asked, ...more);
  };
  Object.assign(client, { query });
}

/** The statement of a query that reads the connection itself, such as COPY. */
function textOf(asked: unknown): string {
  let text = "";
  const { submit } = asked as Submittable; // not a text but an object that sends itself
  submit.call(asked, { query: (sent: string) => (text = sent) } as never);
  return copying.exec(text)?.[1] ?? text;
}

async function explain(
  plain: Query,
  isInTransaction: boolean,
  text: string,
  more: unknown[],
): Promise<Explained> {
  await plain(isInTransaction ? "savepoint explained" : "begin");
  try {
    const { rows } = (await plain(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      ...more,
    )) as { rows: { "QUERY PLAN": [{ Plan: Step }] }[] };
    if (!rows[0]) throw new Error("PostgreSQL explained nothing.");
    return read(text, rows[0]["QUERY PLAN"][0].Plan);
  } finally {
    await plain(isInTransaction ? "rollback to savepoint explained" : "rollback");
  }
}

/** A step of a plan from `explain (format json)`: the fields used here. */
interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Step[];
}

function read(text: string, plan: Step): Explained {
  const steps = stepsOf(plan).map((one) => ({
    step: [one["Node Type"], one["Relation Name"], one["Index Name"]].filter(Boolean).join(" "),
    rows: rowsLookedAt(one),
  }));
  const [most = { step: "", rows: 0 }] = steps.toSorted((a, b) => b.rows - a.rows);
  return {
    text: text.replaceAll(/\s+/g, " ").trim(),
    ...most,
    steps,
    pages: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
  };
}

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

function rowsLookedAt(step: Step): number {
  const thrownAway =
    (step["Rows Removed by Filter"] ?? 0) +
    (step["Rows Removed by Join Filter"] ?? 0) +
    (step["Rows Removed by Index Recheck"] ?? 0);
  return Math.round((step["Actual Rows"] + thrownAway) * step["Actual Loops"]);
}
