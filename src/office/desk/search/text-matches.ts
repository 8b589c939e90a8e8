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

/** Of each kind: how many at most are compared for which are the best. */
const mostCompared = 1000;
/** Of each kind, the newest are looked through for words that many have. */
const newest = 2000;

/** How the rows `r` of a table are found by text. */
interface Texts {
  kind: FoundKind;
  table: string;
  describe: (rows: RawBuilder<unknown>, today: PlainDate) => RawBuilder<Match>;
  /** The ways to write the name, as names are compared: each has an index of its own, and the first begins `text`. */
  names: RawBuilder<string>[];
  /** What those that match equally well are sorted by. */
  order: RawBuilder<unknown>;
  /** What else can be typed as a whole, in lower case, and those of them that are looked up so. */
  whole?: RawBuilder<string>[];
  keys?: RawBuilder<string>[];
  /** All that is searched, as names are compared. */
  text: RawBuilder<string>;
  hasPhone?: true;
  /** Whoever this is true of comes last. */
  hasLeft?: RawBuilder<SqlBool>;
}

const personNames = [
  sql<string>`folded(r.first_name || ' ' || r.last_name)`,
  sql<string>`folded(r.last_name || ' ' || r.first_name)`,
];
const personsInOrder = sql.join(personOrder("r"));
const searchText = sql<string>`r.search_text`;
const name = sql<string>`folded(r.name)`;

const kinds: Texts[] = [
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
 * The attorneys, clients, firms and plans whose name begins with what was typed, whose number or email address it is,
 * and the newest that have it anywhere: each a few steps along an index. None for a single character.
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
    return kind.describe(best(kind, sql`(${sql.join(looks, sql` union `)})`, words), today);
  });
}

/**
 * Those of some kinds whose text has each word that was typed anywhere, or the phone number or a part of one, in any
 * format. As many as are compared are read, in no order.
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
      return kind.describe(best(kind, rows, words), today);
    });
}

const isFound = ({ text }: Texts, { words }: SearchWords) => matchesSearch(text, words.join(" "));

/** The index of texts knows nothing of words without three letters or digits in a row. */
const isInIndex = ({ words }: SearchWords) =>
  words.some((word) => /[\p{L}\p{N}]{3}/u.test(folded(word)));

/** The best of rows, with how well each matches as `rank` (match.ts). */
function best(kind: Texts, rows: RawBuilder<unknown>, words: SearchWords): RawBuilder<unknown> {
  return sql`(select r.*, ${rankOf(kind, words)} as rank from ${rows} as r
    order by rank, ${kind.order}, id desc limit ${maxFound})`;
}

/** A name is folded for few rows only, since that costs more than all the rest. */
function rankOf({ names, whole = [], text, hasPhone, hasLeft }: Texts, words: SearchWords) {
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
