import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeMatters } from "#main/demo/records/matters.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/** A referral: new, or open with an attorney, its next report due on a date. Returns its id. */
export async function makeMatter(
  tx: Db,
  network: Pick<MadeNetwork, "id">,
  wanted: {
    attorney?: Pick<MadeAttorney, "id">;
    dueOn?: Day;
    firstName?: string;
    lastName?: string;
  } = {},
): Promise<number> {
  const { attorney, dueOn = "2199-01-01", firstName = "Jane", lastName = "Doe" } = wanted;
  const referred = {
    attorneyId: attorney?.id,
    status: "open",
    referredAt: new Date().toISOString(),
    reportDueOn: dueOn,
  } as const;
  const [id = 0] = await makeMatters(tx, network, [
    {
      firstName,
      lastName,
      phone: "(555) 010-4477",
      email: "jane@example.test",
      addressLine1: "1 Main Street",
      addressLine2: "Apt 4",
      addressCity: "Harbor",
      addressRegion: "NY",
      addressZip: "10013",
      ...(attorney && referred),
    },
  ]);
  return id;
}
