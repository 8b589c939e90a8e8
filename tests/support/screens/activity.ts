import { app, network, type People } from "#tests/support/app-test.ts";
import { pageTest } from "#tests/support/page-test.ts";

/* A network's activity, as its administrator reads it. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const activityTest = (more: Pick<People, "attorney"> = {}) =>
  pageTest({
    clock: "2026-11-30T17:00:00Z",
    network: { permitsMatterEditing: true },
    by: "admin",
    ...more,
  });

/** Only an activity entry: the record itself is not changed. */
export async function aChange(
  actorName: string,
  recordType: string,
  createdAt: string,
  after: object = {},
): Promise<void> {
  await app.db
    .insertInto("auditEntries")
    .values({
      networkId: network.id,
      actorUserId: null,
      actorName,
      action: "changed",
      recordType,
      recordId: 1,
      before: null,
      after: JSON.stringify(after),
      createdAt,
    })
    .execute();
}
