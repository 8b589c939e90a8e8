import { closingOutcomes, type Outcome } from "#referrals/matters/contract.ts";
import { pickRandom, type Random, randomInteger } from "#main/demo/random.ts";

/** What happened to a referral, in days before today. */
export interface MatterStory {
  submittedDaysAgo: number;
  /** Null if not yet referred. */
  referredDaysAgo: number | null;
  /** Oldest first; the last one may close the referral. */
  reports: { daysAgo: number; outcome: Outcome; feeCents?: number; note?: string }[];
}

/**
 * The referrals of the attorney who signs in to the demo: reports due exactly 60 and 61 days ago, others late, due soon,
 * not yet due, and closed. Source: published interface, "Demo network".
 */
export const referralsOfDemoAttorney: MatterStory[] = [
  { submittedDaysAgo: 92, referredDaysAgo: 91, reports: [] },
  { submittedDaysAgo: 92, referredDaysAgo: 90, reports: [] },
  {
    submittedDaysAgo: 75,
    referredDaysAgo: 74,
    reports: [{ daysAgo: 41, outcome: "consulted", note: "Met once; sent a fee agreement." }],
  },
  {
    submittedDaysAgo: 58,
    referredDaysAgo: 58,
    reports: [{ daysAgo: 28, outcome: "retained", feeCents: 1_500_00 }],
  },
  { submittedDaysAgo: 13, referredDaysAgo: 12, reports: [] },
  {
    submittedDaysAgo: 160,
    referredDaysAgo: 158,
    reports: [
      { daysAgo: 130, outcome: "consulted" },
      { daysAgo: 101, outcome: "retained", feeCents: 2_250_00 },
      { daysAgo: 72, outcome: "retained" },
      { daysAgo: 43, outcome: "closed", note: "Settled before the hearing." },
    ],
  },
  {
    submittedDaysAgo: 120,
    referredDaysAgo: 119,
    reports: [
      { daysAgo: 95, outcome: "could_not_reach", note: "Left two messages." },
      { daysAgo: 88, outcome: "not_retained" },
    ],
  },
];

/** A report overdue by more than two periods of 30 days: it suspends if suspensions are on. */
export const referralsOfOverdueAttorney: MatterStory[] = [
  { submittedDaysAgo: 126, referredDaysAgo: 125, reports: [] },
  {
    submittedDaysAgo: 70,
    referredDaysAgo: 69,
    reports: [{ daysAgo: 50, outcome: "consulted" }],
  },
];

const notes = ["Met in the office.", "Spoke by phone.", "Papers are filed.", "", "", ""] as const;

/** A random referral with reports every few weeks; an open one is overdue by at most two periods. */
export function randomStory(random: Random): MatterStory {
  const referredDaysAgo = randomInteger(random, 2, 300);
  const submittedDaysAgo = referredDaysAgo + randomInteger(random, 0, 3);
  const reports: MatterStory["reports"] = [];
  const isPunctual = random() < 0.8;
  let daysAgo = referredDaysAgo - randomInteger(random, 10, 29);
  while (daysAgo >= (isPunctual ? 0 : 55)) {
    const outcome = nextOutcome(random, reports.length);
    const feeCents = outcome === "retained" ? randomInteger(random, 4, 60) * 100_00 : undefined;
    reports.push({ daysAgo, outcome, feeCents, note: pickRandom(random, notes) });
    if (closingOutcomes.has(outcome)) break;
    daysAgo -= randomInteger(random, 15, 30);
  }
  return { submittedDaysAgo, referredDaysAgo, reports };
}

function nextOutcome(random: Random, filed: number): Outcome {
  if (filed === 0)
    return pickRandom(random, [
      "consulted",
      "consulted",
      "retained",
      "could_not_reach",
      "not_retained",
    ]);
  return pickRandom(random, ["consulted", "retained", "closed", "closed", "not_retained"]);
}
