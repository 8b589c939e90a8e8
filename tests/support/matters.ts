import type { Day } from "#domain/day.ts";
import type { Db } from "#db/database.ts";
import type { TestAttorney, TestNetwork } from "#tests/support/people.ts";

/**
 * A referral: new, or open once it has an attorney, with its next report due on a day. Answers its id.
 */
export async function aMatter(
  db: Db,
  network: TestNetwork,
  wanted: { attorney?: Pick<TestAttorney, "id">; dueOn?: Day; lastName?: string } = {},
): Promise<number> {
  const { id } = await db
    .insertInto("matters")
    .values({
      networkId: network.id,
      firstName: "Jane",
      lastName: wanted.lastName ?? "Doe",
      phone: "(555) 010-4477",
      email: "jane@example.test",
      addressLine1: "1 Main Street",
      addressLine2: "Apt 4",
      addressCity: "Harbor",
      addressRegion: "NY",
      addressZip: "10013",
      ...(wanted.attorney && {
        attorneyId: wanted.attorney.id,
        status: "open" as const,
        referredAt: new Date().toISOString(),
        reportDueOn: wanted.dueOn ?? "2199-01-01",
      }),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
