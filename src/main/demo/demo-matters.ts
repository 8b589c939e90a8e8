import { cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { type DemoNetwork, instantOn } from "#main/demo/demo-network.ts";
import type { DemoAttorney } from "#main/demo/demo-panel.ts";
import { randomStory, type MatterStory } from "#main/demo/matter-stories.ts";
import { makePerson, type Town } from "#main/demo/people.ts";
import { pickRandom, seededRandom } from "#main/demo/random.ts";
import { makeMatters, makeReports } from "#main/demo/records/matters.ts";
import { closingOutcomes } from "#referrals/matters/contract.ts";

/** A new network's period, which demo networks keep. */
const overduePeriodInDays = 30;

export interface DemoMatters {
  towns: readonly [Town, ...Town[]];
  /** The referrals of some attorneys, by index on the panel. */
  stories: [place: number, stories: MatterStory[]][];
  /** How many random referrals the other attorneys have. */
  randomCount: number;
  /** How many requests are not yet referred. */
  unreferredCount: number;
}

/** Make a demo network's referrals and their reports, oldest first. */
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
  const matters = inOrder.map(({ attorneyId, story }, index) => ({
    ...makeClient(random, 500 + index, towns),
    contactPreference: pickRandom(random, ["phone", "email", "either"] as const),
    followupConsent: random() < 0.7,
    note: random() < 0.3 ? pickRandom(random, notes) : "",
    reference: `${network.today.year}-${1001 + index}`,
    attorneyId,
    ...columnsOf(network, story),
  }));
  const ids = await makeMatters(tx, network, matters);
  const reports = inOrder.flatMap(({ attorneyId, story }, index) =>
    story.reports.map((report) => ({
      ...reportOf(network, report),
      matterId: ids[index] ?? 0,
      attorneyId: attorneyId ?? 0,
    })),
  );
  const oldestFirst = reports.toSorted((a, b) => a.filedOn.localeCompare(b.filedOn));
  await makeReports(tx, network, oldestFirst);
}

const notes = [
  "Speaks Spanish.",
  "Call after 5 PM.",
  "Hearing is set for next month.",
  "Landlord has served a notice; has a copy.",
  "Asks about a payment plan.",
] as const;

/** Clients have a home address, not an office. */
function makeClient(...[random, number, towns]: Parameters<typeof makePerson>) {
  const person = makePerson(random, number, towns);
  return { ...person, addressLine2: person.addressLine2.replace("Suite", "Apt") };
}

const dayOf = ({ today }: DemoNetwork, daysAgo: number) => today.subtract({ days: daysAgo });
const at = (network: DemoNetwork, daysAgo: number, time: string) =>
  instantOn(network, dayOf(network, daysAgo), time);

/** A story's days as the referral's columns. */
function columnsOf(
  network: DemoNetwork,
  { submittedDaysAgo, referredDaysAgo, reports }: MatterStory,
) {
  const last = reports.at(-1);
  const isClosed = last !== undefined && closingOutcomes.has(last.outcome);
  const since = last?.daysAgo ?? referredDaysAgo;
  const isOpen = since !== null && !isClosed;
  return {
    submittedAt: at(network, submittedDaysAgo, "09:20"),
    referredAt: referredDaysAgo === null ? null : at(network, referredDaysAgo, "10:05"),
    closedAt: isClosed ? at(network, last.daysAgo, "16:30") : null,
    status: isClosed ? ("closed" as const) : isOpen ? ("open" as const) : ("new" as const),
    reportDueOn: isOpen ? dayOf(network, since - overduePeriodInDays).toString() : null,
  };
}

type ReportStory = MatterStory["reports"][number];

function reportOf(network: DemoNetwork, { daysAgo, outcome, feeCents, note }: ReportStory) {
  return {
    outcome,
    feeCents: feeCents === undefined ? null : cents(feeCents),
    note,
    filedOn: dayOf(network, daysAgo).toString(),
    createdAt: at(network, daysAgo, "16:30"),
  };
}
