import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { folded } from "#kit/domain/folded.ts";
import { phoneDigits, phoneSearchDigits } from "#kit/domain/us-address.ts";
import { asSorted, personOrder } from "#kit/db/sort.ts";
import { likePattern, matchesSearch } from "#kit/db/text-search.ts";
import type { FoundKind } from "#office/desk/search/contract.ts";
import { attorneys, clients, firms, plans } from "#office/desk/search/found-records.ts";
import { leftPanel, type Match, maxFound } from "#office/desk/search/match.ts";
import { type SearchWords, spellings } from "#office/desk/search/search-words.ts";

/** Of each kind, at most this many are ranked. */
const mostCompared = 1000;
/** Of each kind, this many of the newest are searched for common words. */
const newest = 2000;

/** How to find the rows `r` of a table by text. */
interface SearchableTable {
  kind: FoundKind;
  table: string;
  describe: (rows: RawBuilder<unknown>, today: PlainDate) => RawBuilder<Match>;
  /** Spellings of the name, as names are compared. Each has an index; the first begins `text`. */
  names: RawBuilder<string>[];
  /** The order of equally good matches. */
  order: RawBuilder<unknown>;
  /** Other values that match as a whole, in lower case, and which of them have an index. */
  whole?: RawBuilder<string>[];
  keys?: RawBuilder<string>[];
  /** The whole searched text, as names are compared. */
  text: RawBuilder<string>;
  hasPhone?: true;
  /** Rows for which this is true come last. */
  hasLeft?: RawBuilder<SqlBool>;
}

const personNames = [
  sql<string>`folded(r.first_name || ' ' || r.last_name)`,
  sql<string>`folded(r.last_name || ' ' || r.first_name)`,
];
const personsInOrder = sql.join(personOrder("r"));
const searchText = sql<string>`r.search_text`;
const name = sql<string>`folded(r.name)`;

const kinds: SearchableTable[] = [
  {
    kind: "attorney",
    table: "attorneys",
    describe: attorneys,
    names: personNames,
    order: personsInOrder,
    whole: [sql`r.email`, sql`lower(r.bar_number)`],
    keys: [sql`r.email`, sql`r.bar_number`],
    text: searchText,
    hasPhone: true,
    hasLeft: sql`r.left_on is not null`,
  },
  {
    kind: "client",
    table: "matters",
    describe: clients,
    names: personNames,
    order: personsInOrder,
    whole: [sql`r.email`, sql`lower(r.reference)`],
    keys: [sql`r.reference`],
    text: searchText,
    hasPhone: true,
  },
  {
    kind: "firm",
    table: "firms",
    describe: firms,
    names: [name],
    order: asSorted(sql`r.name`),
    whole: [sql`r.billing_email`],
    text: searchText,
  },
  {
    kind: "plan",
    table: "plans",
    describe: plans,
    names: [name],
    order: asSorted(sql`r.name`),
    text: name,
  },
];

/**
 * Attorneys, clients, firms and plans whose name begins with the text, whose number or email address it is, and the
 * newest that contain it: each a few steps in an index. None for a single character.
 */
export function nameMatches(
  networkId: number,
  words: SearchWords,
  today: PlainDate,
): RawBuilder<Match>[] {
  if (words.text.length < 2 || words.words.length === 0) return [];
  return kinds.map((kind) => {
    const rows = sql`select r.* from ${sql.table(kind.table)} r where r.network_id = ${networkId}`;
    const begins = kind.names.map(
      (name) => sql`(${rows} and ${name} like ${`${likePattern(words.text)}%`}
        order by ${name} using ~<~ limit ${maxFound})`,
    );
    const exact = (kind.keys ?? []).flatMap((key) =>
      spellings(words.typed).map(
        (spelling) => sql`(${rows} and ${key} = ${spelling} and ${key} <> '')`,
      ),
    );
    const recent = sql`(select * from (${rows} order by r.id desc limit ${newest}) as r where ${isFound(kind, words)})`;
    const looks = [...begins, ...exact, ...(isInIndex(words) ? [recent] : [])];
    return kind.describe(selectBest(kind, sql`(${sql.join(looks, sql` union `)})`, words), today);
  });
}

/**
 * Rows of some kinds whose text contains every typed word, or the phone number or part of one in any format. Only as
 * many as are ranked are read, in no order.
 */
export function textMatches(
  networkId: number,
  words: SearchWords,
  { today, isWanted }: { today: PlainDate; isWanted: (kind: FoundKind) => boolean },
): RawBuilder<Match>[] {
  if (!isInIndex(words)) return [];
  return kinds
    .filter(({ kind }) => isWanted(kind))
    .map((kind) => {
      const rows = sql`(select r.* from ${sql.table(kind.table)} r
        where r.network_id = ${networkId} and ${isFound(kind, words)} limit ${mostCompared})`;
      return kind.describe(selectBest(kind, rows, words), today);
    });
}

const isFound = ({ text }: SearchableTable, { words }: SearchWords) =>
  matchesSearch(text, words.join(" "));

/** The text index lacks words without three letters or digits in a row. */
const isInIndex = ({ words }: SearchWords) =>
  words.some((word) => /[\p{L}\p{N}]{3}/u.test(folded(word)));

/** The best rows, with their `rank` (match.ts). */
function selectBest(
  kind: SearchableTable,
  rows: RawBuilder<unknown>,
  words: SearchWords,
): RawBuilder<unknown> {
  return sql`(select r.*, ${rankOf(kind, words)} as rank from ${rows} as r
    order by rank, ${kind.order}, id desc limit ${maxFound})`;
}

/** Folds names of few rows only, since that is the most expensive step. */
function rankOf(
  { names, whole = [], text, hasPhone, hasLeft }: SearchableTable,
  words: SearchWords,
) {
  const { typed } = words;
  const digits = hasPhone ? phoneSearchDigits(typed) : null;
  const endsPhone = sql`regexp_replace(r.phone, '[^0-9]', '', 'g') like ${`%${digits ?? ""}`}`;
  const isPhone = digits !== null && phoneDigits(typed) !== null;
  const isWhole = whole.map((written) => sql`${written} = ${typed.toLowerCase()}`);
  const beginsWord = words.words.map(
    (word) => sql`' ' || ${text} like ${`% ${likePattern(folded(word))}%`}`,
  );
  const [name, ...inOtherOrder] = names;
  const begin = likePattern(words.text);
  const begins = (written: RawBuilder<string>) => sql`${written} like ${`${begin}%`}`;
  const others = digits === null ? inOtherOrder : [];
  return sql<number>`case ${hasLeft ? sql`when ${hasLeft} then ${leftPanel}::integer` : sql``}
    when ${isPhone ? sql`true` : sql.join([sql`false`, ...isWhole], sql` or `)} then 0
    when not (${sql.join(beginsWord, sql` and `)}) then
      ${digits === null ? sql`3` : sql`case when ${endsPhone} then 2 else 3 end`}
    when ${text} || ' ' like ${`${begin} %`} and ${name} = ${words.text} then 0
    when ${begins(text)} then 1
    ${sql.join(
      others.map(
        (other) =>
          sql`when ${begins(other)} then case when ${other} = ${words.text} then 0 else 1 end`,
      ),
      sql` `,
    )}
    else 2 end`;
}
