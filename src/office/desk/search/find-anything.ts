import { type RawBuilder, sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { type Found, type FoundKind, foundKinds } from "#office/desk/search/contract.ts";
import { leftPanel, type Match, maxFound } from "#office/desk/search/match.ts";
import { numberMatches } from "#office/desk/search/number-matches.ts";
import { searchWords } from "#office/desk/search/search-words.ts";
import { nameMatches, textMatches } from "#office/desk/search/text-matches.ts";

/**
 * The records of the administrator's network that best match: at most 20; equally good matches alternate by kind. One
 * character finds exact numbers only.
 */
export async function findAnything(
  db: Db,
  { networkId }: Admin,
  typed: string,
  today: PlainDate,
): Promise<Found[]> {
  const words = searchWords(typed);
  const quick = [...numberMatches(networkId, words), ...nameMatches(networkId, words, today)];
  if (quick.length === 0) return [];
  const matches = await inTransaction(db, async (tx) => {
    const found = await allOf(tx, quick);
    const isWanted = (kind: FoundKind) => countOf(found, kind) < maxFound;
    const rest = textMatches(networkId, words, { today, isWanted });
    if (rest.length === 0) return found;
    await readBitmapsOnly(tx);
    return [...found, ...(await allOf(tx, rest))];
  });
  return bestOf(matches);
}

const countOf = (found: Match[], wanted: FoundKind): number =>
  found.filter(({ kind, rank }) => kind === wanted && rank < leftPanel).length;

/**
 * The planner only estimates whether a word is rare, and reads the whole network for one that seems common. A bitmap of
 * the text index is never far off (docs/decisions/059).
 */
async function readBitmapsOnly(tx: Db): Promise<void> {
  await sql`set local enable_seqscan = off; set local enable_indexscan = off;
    set local enable_indexonlyscan = off; set local jit = off`.execute(tx);
}

async function allOf(tx: Db, queries: RawBuilder<Match>[]): Promise<Match[]> {
  const { rows } = await sql<Match>`${sql.join(
    queries.map((query) => sql`select * from (${query}) as found`),
    sql` union all `,
  )} order by rank`.execute(tx);
  return rows;
}

/** Each record once. Among equally good matches, the first of each kind comes before the second of any. */
function bestOf(matches: Match[]): Found[] {
  const turns = new Map<string, number>();
  const each = new Map<string, { found: Found; order: number[] }>();
  for (const { rank, ...found } of matches.toSorted((a, b) => a.rank - b.rank)) {
    const record = `${found.kind} ${found.path} ${found.id}`;
    if (each.has(record)) continue;
    const turn = (turns.get(`${found.kind} ${rank}`) ?? 0) + 1;
    turns.set(`${found.kind} ${rank}`, turn);
    each.set(record, { found, order: [rank, turn, foundKinds.indexOf(found.kind)] });
  }
  return [...each.values()]
    .toSorted((a, b) => compare(a.order, b.order))
    .slice(0, maxFound)
    .map(({ found }) => found);
}

const compare = (a: number[], b: number[]): number =>
  a.reduce((sign, part, at) => sign || part - (b[at] ?? 0), 0);
