import type { Instant, PlainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import {
  defineFirms,
  depositAndReturn,
  giveCreditAndCharge,
  recordDeskChecks,
  subscribeAllToMeeting,
} from "#main/demo/demo-desk.ts";
import { makeDemoMatters } from "#main/demo/demo-matters.ts";
import { type DemoNetwork, startDemoNetwork } from "#main/demo/demo-network.ts";
import { addDemoPanel, type DemoAttorney, sendOnVacation } from "#main/demo/demo-panel.ts";
import {
  type DebitStory,
  type DemoDebit,
  storyByPattern,
} from "#main/demo/demo-payment-patterns.ts";
import { type DemoPlan, simulateYear } from "#main/demo/demo-year.ts";
import { referralsOfOverdueAttorney, referralsOfDemoAttorney } from "#main/demo/matter-stories.ts";
import { splitList, towns } from "#main/demo/people.ts";
import { usualPlans } from "#main/demo/usual-plans.ts";

const administrator = { name: "Dana Whitfield", email: "admin@demo.test" };

/** The network for a newcomer: a year of dues, in every state. Source: published interface, "Demo network". */
export async function makeHarborCounty(tx: Db, now: Instant): Promise<void> {
  const network = await startDemoNetwork(tx, now, {
    name: "Harbor County Lawyer Referral Service",
    timeZone: "America/New_York",
    permitsMatterEditing: true,
    postalAddress: "12 Court Square, Suite 300\nHarbor, NY 11231",
    phone: "(555) 010-4400",
    email: "office@harbor.test",
    admin: administrator,
  });
  const panel = { names, firstEmail: "attorney@demo.test", towns, signIns: 12 };
  const attorneys = await addDemoPanel(tx, network, panel);
  await sendOnVacation(tx, network, [
    { attorney: attorneys[7], endsInDays: 12 },
    { attorney: attorneys[19], endsInDays: 45 },
    { attorney: attorneys[28], endsInDays: -6 },
  ]);
  await simulateYear(tx, {
    network,
    plans: plansFor(network, attorneys),
    attorneys,
    storyOf: (debit, number) =>
      number === 0 ? storyOfDemoAttorney(debit) : storyByPattern(debit, number),
  });
  await recordDeskChecks(tx, network, attorneys);
  await defineFirms(tx, network, attorneys);
  await subscribeAllToMeeting(tx, network, attorneys);
  await depositAndReturn(tx, network);
  await makeDemoMatters(tx, network, attorneys, {
    towns,
    stories: [
      [0, referralsOfDemoAttorney],
      [16, referralsOfOverdueAttorney],
    ],
    randomCount: 80,
    unreferredCount: 5,
  });
  await giveCreditAndCharge(tx, network, attorneys);
}

/** A day of the month, some months ago: "the 15th, half a year ago". */
function dayOf({ today }: DemoNetwork, monthsAgo: number, day: number): PlainDate {
  return today.with({ day: 1 }).subtract({ months: monthsAgo }).with({ day });
}

function plansFor(network: DemoNetwork, attorneys: DemoAttorney[]): DemoPlan[] {
  const everyone = attorneys.map((attorney) => ({ attorney }));
  const someWith = (remainder: number, divisor: number) =>
    everyone.filter((_, index) => index === 0 || index % divisor === remainder);
  return [
    {
      ...usualPlans.membership,
      startDate: dayOf(network, 12, 1),
      enrolled: everyone,
    },
    {
      ...usualPlans.coverageReview,
      startDate: dayOf(network, 12, 15),
      enrolled: someWith(1, 2),
    },
    {
      ...usualPlans.registration,
      startDate: dayOf(network, 10, 10),
      enrolled: everyone,
    },
    {
      name: "Printed directory listing",
      description: "An entry in the printed directory, which is no longer made.",
      amountCents: 40_00,
      everyMonths: 6,
      startDate: dayOf(network, 11, 1),
      enrolled: someWith(2, 4),
      archivedOn: dayOf(network, 4, 20),
    },
    {
      name: "Experience panel",
      description: "A place on a panel for one field of law, on top of membership.",
      amountCents: 35_00,
      everyMonths: 1,
      startDate: dayOf(network, 6, 15),
      enrolled: someWith(2, 3).map(({ attorney }, index) => ({
        attorney,
        note: ["Family law", "Immigration", "Elder law", "Landlord and tenant"][index % 4],
        ...(index % 6 === 5 && { endsOn: dayOf(network, 2, 3) }),
      })),
    },
  ];
}

/**
 * The debits of the attorney who signs in to the demo: in every state, six of them with $20 or more to pay. Older ones
 * are paid.
 */
function storyOfDemoAttorney({ plan, number, amountCents, ageInDays }: DemoDebit): DebitStory {
  const newest: Record<string, DebitStory[]> = {
    [usualPlans.membership.name]: [
      { checks: [] },
      { checks: [{ afterDays: 6, amountCents: 30_00 }] },
      { checks: [{ afterDays: ageInDays - 1, amountCents: 50_00 }] }, // recorded yesterday: still pending
      { checks: [{ afterDays: 9, amountCents, isDenied: true }] },
    ],
    [usualPlans.coverageReview.name]: [
      {
        adjusted: { afterDays: 0, amountCents: -20_00, note: "Credit for the canceled seminar" },
        checks: [],
      },
    ],
    [usualPlans.registration.name]: [
      {
        adjusted: { afterDays: 20, amountCents: 25_00, note: "Late registration fee" },
        checks: [{ afterDays: 27, amountCents: amountCents + 25_00 }],
      },
    ],
    "Experience panel": [{ checks: [] }],
  };
  return newest[plan]?.[number] ?? { checks: [{ afterDays: 5, amountCents }] };
}

/** The first attorney signs in as attorney@demo.test. */
const names = splitList(`
  Maya Okafor, Arthur Lindqvist, Siobhán O'Rourke, Priya Raman, Daniel Feldman,
  Elena Castellanos, George Abernathy, Hannah Weiss, Ibrahim Haddad, Janet Kowalczyk,
  Kenji Morimoto, Laura Bianchi, Marcus Washington, Naomi Goldberg, Oliver Strand, Paula Núñez,
  Quentin Hale, Rosa Delgado, Samuel Adeyemi, Teresa D'Angelo, Umar Siddiqui,
  Victoria Sørensen, William Tran, Ximena Ortega, Yusuf Demir, Zoë Hartmann, Andre Beaumont,
  Beatrice Holloway, Carlos Ibarra, Deborah Finch, Emeka Nwosu, Fatima Rahal, Grace Kim,
  Henry Vandenberg, Ingrid Bergström, Joaquín Reyes, Katherine MacLeod, Leila Farahani,
  Miriam Rosenthal, Nikhil Desai, Olga Petrova`);
