import type { Instant } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { startDemoNetwork } from "#main/demo/demo-network.ts";
import { makeDemoMatters } from "#main/demo/demo-matters.ts";
import { addDemoPanel } from "#main/demo/demo-panel.ts";
import { splitList } from "#main/demo/people.ts";
import type { MatterStory } from "#main/demo/matter-stories.ts";

/** The second network, which shows that networks are separate. It has no plans. */
export async function makeLakeside(tx: Db, now: Instant): Promise<void> {
  const network = await startDemoNetwork(tx, now, {
    name: "Lakeside Bar Referral Service",
    timeZone: "America/Los_Angeles",
    permitsMatterEditing: false,
    postalAddress: "400 Lakeshore Drive\nLakeside, CA 92040",
    phone: "(619) 555-0144",
    email: "office@lakeside.test",
    admin: { name: "Luis Ferreira", email: "admin@lakeside.test" },
  });
  const panel = {
    names,
    firstEmail: "attorney@lakeside.test",
    towns: [{ city: "Lakeside", region: "CA", zip: "92040", areaCode: "619" }] as const,
    signIns: 1,
  };
  const attorneys = await addDemoPanel(tx, network, panel);
  await makeDemoMatters(tx, network, attorneys, {
    towns: panel.towns,
    stories: [[0, referralsHere]],
    randomCount: 6,
    unreferredCount: 2,
  });
}

/** The attorney who signs in here has one report to file soon. */
const referralsHere: MatterStory[] = [
  { submittedDaysAgo: 27, referredDaysAgo: 26, reports: [] },
  {
    submittedDaysAgo: 64,
    referredDaysAgo: 63,
    reports: [{ daysAgo: 40, outcome: "not_retained" }],
  },
];

const names = splitList(`
  Nora Castle, Theo Maddox, Ruth Alvarado, Simon Okonkwo, Vera Lindholm`);
