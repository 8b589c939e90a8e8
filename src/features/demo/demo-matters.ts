import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";
import { randomStory, type MatterStory } from "#features/demo/matter-stories.ts";
import { makePerson, type Town } from "#features/demo/people.ts";
import { pickRandom, seededRandom } from "#features/demo/random.ts";
import { closingOutcomes } from "#features/matters/contract.ts";

/** Networks of the demo keep to the period that a new network has. */
const overduePeriodInDays = 30;

export interface DemoMatters {
  towns: readonly [Town, ...Town[]];
  /** The referrals of some attorneys, by their index on the panel. */
  stories: [place: number, stories: MatterStory[]][];
  /** How many random referrals the other attorneys have. */
  randomCount: number;
  /** How many requests are not referred yet. */
  unreferredCount: number;
}

/** Make the referrals of a demo network and the reports filed on them, oldest first. */
export async function makeDemoMatters(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
  { towns, stories, randomCount, unreferredCount }: DemoMatters,
): Promise<void> {
  const random = seededRandom(7_000 + network.id);
  const chosen = stories.flatMap(([place, own]) =>
    own.map((story) => ({ attorneyId: attorneys[place]?.id ?? null, story })),
  );
  const places = new Set(stories.map(([place]) => place));
  const others = attorneys.filter((_, place) => !places.has(place));
  const byChance = Array.from({ length: randomCount }, () => ({
    attorneyId: others[Math.floor(random() * others.length)]?.id ?? null,
    story: randomStory(random),
  }));
  const unreferred = Array.from({ length: unreferredCount }, (_, index) => ({
    attorneyId: null,
    story: { submittedDaysAgo: index, referredDaysAgo: null, reports: [] },
  }));
  const inOrder = [...chosen, ...byChance, ...unreferred].toSorted(
    (a, b) => b.story.submittedDaysAgo - a.story.submittedDaysAgo,
  );
  const rows = inOrder.map(({ attorneyId, story }, index) => ({
    ...clientOf(makePerson(random, 500 + index, towns)),
    contact_preference: pickRandom(random, ["phone", "email", "either"]),
    followup_consent: random() < 0.7,
    note: random() < 0.3 ? pickRandom(random, notes) : "",
    reference: `${network.today.year}-${1001 + index}`,
    attorney_id: attorneyId,
    ...columnsOf(network, story),
  }));
  await insertMatters(tx, network, rows);
}

const notes = [
  "Speaks Spanish.",
  "Call after 5 PM.",
  "Hearing is set for next month.",
  "Landlord has served a notice; has a copy.",
  "Asks about a payment plan.",
] as const;

type Client = ReturnType<typeof clientOf>;

function clientOf(person: ReturnType<typeof makePerson>) {
  return {
    first_name: person.firstName,
    last_name: person.lastName,
    phone: person.phone,
    email: person.email,
    address_line_1: person.addressLine1,
    address_line_2: person.addressLine2.replace("Suite", "Apt"),
    address_city: person.addressCity,
    address_region: person.addressRegion,
    address_zip: person.addressZip,
  };
}

/** A story's days as the referral's columns, and its reports. */
function columnsOf(network: DemoNetwork, story: MatterStory) {
  const dayOf = (daysAgo: number) => network.today.subtract({ days: daysAgo });
  const at = (daysAgo: number | null, time: string) =>
    daysAgo === null ? null : instantOn(network, dayOf(daysAgo), time);
  const last = story.reports.at(-1);
  const isClosed = last !== undefined && closingOutcomes.has(last.outcome);
  const since = last?.daysAgo ?? story.referredDaysAgo;
  const dueOn = since === null || isClosed ? null : dayOf(since).add({ days: overduePeriodInDays });
  return {
    submitted_at: at(story.submittedDaysAgo, "09:20"),
    referred_at: at(story.referredDaysAgo, "10:05"),
    closed_at: isClosed ? at(since, "16:30") : null,
    status: since === null ? "new" : isClosed ? "closed" : "open",
    report_due_on: dueOn?.toString() ?? null,
    reports: story.reports.map(({ daysAgo, outcome, feeCents = null, note = "" }) => ({
      outcome,
      fee_cents: feeCents,
      note,
      filed_on: dayOf(daysAgo).toString(),
      created_at: at(daysAgo, "16:30"),
    })),
  };
}

type MatterRow = Client & ReturnType<typeof columnsOf> & { reference: string };

async function insertMatters(tx: Db, network: DemoNetwork, rows: MatterRow[]): Promise<void> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (first_name text,
    last_name text, phone text, email text, address_line_1 text, address_line_2 text, address_city text,
    address_region text, address_zip text, contact_preference text, followup_consent boolean, note text,
    reference text, attorney_id bigint, submitted_at timestamptz, referred_at timestamptz,
    closed_at timestamptz, status text, report_due_on date, reports jsonb)`;
  await sql`
    insert into matters (network_id, first_name, last_name, phone, email, address_line_1, address_line_2,
      address_city, address_region, address_zip, contact_preference, followup_consent, note, reference,
      attorney_id, submitted_at, referred_at, closed_at, status, report_due_on)
    select ${network.id}, first_name, last_name, phone, email, address_line_1, address_line_2,
      address_city, address_region, address_zip, contact_preference, followup_consent, note, reference,
      attorney_id, least(submitted_at, now()),
      -- least() passes over nulls.
      case when referred_at is not null then least(referred_at, now()) end,
      case when closed_at is not null then least(closed_at, now()) end, status, report_due_on
    from ${given} order by reference`.execute(tx);
  await sql`
    insert into matter_reports
      (network_id, matter_id, attorney_id, outcome, fee_cents, note, filed_on, created_at)
    select m.network_id, m.id, m.attorney_id, r.outcome, r.fee_cents, r.note, r.filed_on, least(r.created_at, now())
    from ${given}
    join matters m on m.network_id = ${network.id} and m.reference = given.reference
    cross join jsonb_to_recordset(given.reports) as r (outcome text, fee_cents bigint, note text,
      filed_on date, created_at timestamptz)
    order by r.created_at, m.id`.execute(tx);
}
