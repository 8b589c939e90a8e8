import { plainDate } from "#kit/domain/calendar.ts";
import { encryptedKeys } from "#cards/settings/card-accounts.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { findAnything } from "#office/desk/search/find-anything.ts";
import { aLargeNetwork } from "#tests/support/many-matters.ts";
import { attempt } from "./attempt.ts";
import { type Measured, percentile, type Row } from "./row.ts";
import { setTriggers, type World } from "./world.ts";

const mostMs = 150;
const today = plainDate("2026-07-01");

/** What is typed, and the least number of matches among 100,000 records of each kind. */
const searches: [what: string, typed: string, least: number][] = [
  ["a name", "first419 last2729", 1],
  ["a rare word", "surname1234", 1],
  ["a word that every client has", "client", 20],
  ["a word that everybody has", "example.test", 20],
  ["two letters", "la", 20],
  ["two words of many", "client surname", 20],
  ["a part of words", "urname", 20],
  ["a name without end", "hale partners 777", 1],
  ["a phone number", "(555) 010-4477", 1],
  ["digits of a phone number", "0104477", 1],
  ["four digits", "4477", 1],
  ["three digits", "555", 20],
  ["a check's number", "check 100442", 1],
  ["a transaction's number", "tx-99000", 1],
  ["an email address", "client-4711@example.test", 1],
  ["nothing found", "zzzzzz", 0],
  ["nothing found in common words", "client zzzzzz example.test", 0],
  ["one digit", "7", 1],
];

/** The search over everything, with 100,000 records of each kind. */
export async function searchRows(world: World): Promise<Row[]> {
  const { db, isQuick, log } = world;
  const count = isQuick ? 10_000 : 100_000;
  log(`Making ${count.toLocaleString("en-US")} records of each kind …`);
  const made = { attorneys: count, openMatters: count, today: today.toString() };
  await aLargeNetwork(db, { ...made, attorneys: count / 10, openMatters: count / 10 });
  const network = await aLargeNetwork(db, made);
  await makePlan(db, network);
  await somethingOfEachKind(world, network, count);
  const rows: Row[] = [];
  for (const [what, typed, least] of searches)
    rows.push(
      await attempt(world, `find ${what}`, () =>
        find(world, { network, typed, least: isQuick ? 0 : least }),
      ),
    );
  return rows;
}

async function find(
  { db }: World,
  { network, typed, least }: { network: MadeNetwork; typed: string; least: number },
): Promise<Measured> {
  const times: number[] = [];
  for (let run = 0; run < 7; run += 1) {
    const begun = performance.now();
    const found = await findAnything(db, network.admin, typed, today);
    times.push(performance.now() - begun);
    if (found.length < least) throw new Error(`${found.length} were found.`);
  }
  const middle = percentile(times, 0.5);
  return {
    unit: "s",
    product: times.map((time) => time / 1000),
    p50: { product: middle },
    limits: [{ what: "median", measured: middle, unit: " ms", most: mostMs }],
  };
}

/** Firms, checks, deposits and card payments, the same number of each. */
async function somethingOfEachKind(world: World, network: MadeNetwork, count: number) {
  const { client } = world;
  const keys = encryptedKeys(world, network.id, "anet", {});
  await setTriggers(client, "disable"); // no debit is owed that these could pay
  const of = [network.id, count];
  await client.query(
    `insert into firms (network_id, name, billing_email)
     select $1, 'Hale & Partners ' || k || ' LLP', 'billing-' || k || '@example.test' from generate_series(1, $2) as k`,
    of,
  );
  await client.query(
    `insert into received_checks (network_id, firm_id, check_number, amount_cents, received_on)
     select $1, id, 100000 + row_number() over (order by id), 5000, '2026-06-01' from firms
     where network_id = $1 and $2 > 0`,
    of,
  );
  await client.query(
    `insert into deposits (network_id, number, deposited_on, account_name)
     select $1, k, '2026-06-01', 'Operating' from generate_series(1, $2) as k`,
    of,
  );
  await client.query(
    `with settings as (
       insert into card_processors
         (network_id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
       values ($1, 'anet', false, '{}', '{}', $3, $4) returning id
     ), people as (
       select id, row_number() over (order by id) as k from attorneys where network_id = $1 limit $2
     ), paid as (
       insert into payments (network_id, attorney_id, method, amount_cents)
       select $1, id, 'online', 5000 from people returning id, attorney_id
     )
     insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference,
       token_hash, shares_hash, state, transaction_id, settled_at, received_cents)
     select $1, paid.id, paid.attorney_id, 'anet', settings.id, lpad(people.k::text, 12, '0'),
       paid.id::text, '', 'captured', 'tx-' || people.k, now(), 5000
     from paid join people on people.id = paid.attorney_id cross join settings`,
    [...of, keys.encryptedSecrets, keys.keyVersion],
  );
  await setTriggers(client, "enable");
  await client.query("vacuum analyze");
}
