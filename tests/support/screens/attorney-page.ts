import { beforeEach } from "vitest";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { payByCheck } from "#payments/contract.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { pageTest } from "#tests/support/page-test.ts";

/* Ada Byron's standing: on the administrator's page, and on her own dashboard. */

/**
 * `pageTest` on 11/30/2026, whatever the previous test did to the server's clock; the network takes cards.
 */
export function attorneyPageTest() {
  const test = pageTest({
    clock: "2026-11-30T17:00:00Z",
    takesCards: true,
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
    lawyer: true,
  });
  beforeEach(async () => {
    app.setClock("2026-11-30T17:00:00Z");
    await takesCards(app, network, "anet");
  });
  return test;
}

/**
 * Three debits of $225.50, $50 of one of them pending by check; the next bill is for two plans on one date.
 */
export async function owing(): Promise<number[]> {
  const debits = [
    await makeDebit(app.db, network, attorney, { dueOn: "2026-08-31" }),
    await makeDebit(app.db, network, attorney, { dueOn: "2026-09-30" }),
    await makeDebit(app.db, network, attorney, {
      planName: "Website listing",
      amountCents: 12_550,
      dueOn: "2026-10-31",
    }),
  ];
  const body = { payment_hash: { [debits[0] ?? 0]: "50" }, check_number: "1041" };
  await admin.call(payByCheck, { body });
  // The debits' own plans bill nothing more here.
  await app.db
    .updateTable("enrolments")
    .set({ archivedAt: new Date().toISOString() })
    .where("networkId", "=", network.id)
    .execute();
  const terms = { startDate: "2026-12-01", enrolledOn: "2026-11-30" };
  const panel = await makePlan(app.db, network, { name: "Panel dues", amountCents: 7500 });
  const listing = await makePlan(app.db, network, { name: "Listing", amountCents: 3500 });
  await makeEnrolment(app.db, attorney, panel, { ...terms, note: "Harbor office" });
  await makeEnrolment(app.db, attorney, listing, terms);
  return debits;
}

export const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
