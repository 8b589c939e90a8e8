import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { expect } from "vitest";
import { listAttorneys } from "#panel/contract.ts";
import { listAdministrators } from "#access/sign-in/contract.ts";
import { listChecks } from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { listDeposits } from "#payments/deposits/contract.ts";
import { listFirms } from "#panel/firms/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import { listSavedFilters, saveFilter } from "#kit/list/saved-filters-contract.ts";
import { listCandidates } from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { listPayments } from "#payments/payments.list.ts";
import { showReceivables } from "#dues/ledger/receivables/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { listPlanEnrolments } from "#dues/plans/enrolments.list.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck } from "#tests/support/check-records.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { aFirm } from "#tests/support/received-checks.ts";

const test = appTest({ network: {} });

/** One column of a report. */
async function reported(report_type: string, heading: string): Promise<string[]> {
  const { bytes } = await exportedFile(app, admin, { report_type, filters: {} });
  const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
  return rows.map((row) => row[heading] ?? "");
}

test("every list finds a name however it is written", async () => {
  const munoz = await makeAttorney(app.db, network, { firstName: "Inés", lastName: "Muñoz" });
  await makeAttorney(app.db, network, { firstName: "Tom", lastName: "Lowe–Hart" });
  const firm = await aFirm(app.db, network, [munoz], "D’Amico & Çelik PLLC");
  const plan = await makePlan(app.db, network, { name: "Añejo panel", amountCents: 5000 });
  await makeEnrolment(app.db, munoz, plan, { startDate: "2026-05-01" });
  await makeMatter(app.db, network, { firstName: "Siobhan", lastName: "O'Rourke" });
  await makeMatter(app.db, network, { firstName: "George", lastName: "Abernathy" });
  await aChargedDebit(app.db, network, munoz, { amountCents: 2500, dueOn: "2026-01-31" });
  const parts = [{ attorneyId: munoz.id, creditCents: 5000 }];
  await aCheck(app.db, network, { number: "11", firmId: firm, parts });
  const found = {
    attorneys: async (search: string) =>
      (await admin.call(listAttorneys, { query: { search } })).items.map(({ name }) => name),
    candidates: async (search: string) =>
      (await admin.call(listCandidates, { query: { search } })).items.map(({ name }) => name),
    referrals: async (search: string) =>
      (await admin.call(listMatters, { query: { search } })).items.map(({ name }) => name),
    firms: async (search: string) =>
      (await admin.call(listFirms, { query: { search } })).items.map(({ name }) => name),
    checks: async (search: string) => (await admin.call(listChecks, { query: { search } })).total,
    payments: async (search: string) =>
      (await admin.call(listPayments, { query: { search } })).total,
    debits: async (search: string) => (await admin.call(listDebits, { query: { search } })).total,
    enrolled: async (search: string) =>
      (await admin.call(listPlanEnrolments, { params: { id: plan.id }, query: { search } })).total,
  };
  for (const typed of ["Munoz", "Ines Munoz", "munoz, INÉS", "Mun\u0303oz", "Mu\u200bñoz"]) {
    expect([typed, await found.attorneys(typed)]).toEqual([typed, ["Inés Muñoz"]]);
    expect([typed, await found.candidates(typed)]).toEqual([typed, ["Inés Muñoz"]]);
    expect([typed, await found.firms(typed)]).toEqual([typed, ["D’Amico & Çelik PLLC"]]);
    for (const list of ["checks", "payments", "debits", "enrolled"] as const)
      expect([typed, list, await found[list](typed)]).toEqual([typed, list, 1]);
  }
  for (const typed of ["Lowe-Hart", "lowe hart", "Hart, Tom"])
    expect([typed, await found.attorneys(typed)]).toEqual([typed, ["Tom Lowe–Hart"]]);
  for (const typed of ["D'Amico & Celik", "damico and celik"]) {
    expect([typed, await found.firms(typed)]).toEqual([typed, ["D’Amico & Çelik PLLC"]]);
    expect([typed, await found.checks(typed)]).toEqual([typed, 1]);
  }
  expect(await found.referrals("O’Rourke")).toEqual(["Siobhan O'Rourke"]);
  expect(await found.referrals("Abernathy, George")).toEqual(["George Abernathy"]);
  for (const typed of ["-", "’", "–,"])
    for (const list of ["attorneys", "referrals", "firms"] as const)
      expect([typed, await found[list](typed)], "matches no name").toEqual([typed, []]);
});

test("every list sorts names as an English reader does", async () => {
  const inOrder = ["Alder", "Álvarez", "Amato", "Ångström", "O’Brien", "o'neil", "Sørensen"];
  const made = inOrder.toSorted(); // byte order puts Ångström last
  const plan = await makePlan(app.db, network, { name: "Dues", amountCents: 100 });
  for (const name of made) {
    const attorney = await makeAttorney(app.db, network, { firstName: "Kim", lastName: name });
    await makeEnrolment(app.db, attorney, plan, { startDate: "2026-05-01" });
    await makePlan(app.db, network, { name });
    await makeMatter(app.db, network, { attorney, firstName: "Kim", lastName: name });
    await aChargedDebit(app.db, network, attorney, { amountCents: 100, dueOn: "2026-05-01" });
    const firmId = await aFirm(app.db, network, [attorney], name);
    const parts = [{ attorneyId: attorney.id, creditCents: 100 }];
    await aCheck(app.db, network, { firmId, parts });
    await makeAdmin(app.db, network, { name });
    await app.db
      .insertInto("deposits")
      .values({
        networkId: network.id,
        accountName: name,
        number: made.indexOf(name) + 1,
        depositedOn: "2026-05-01",
      })
      .execute();
    await admin.call(saveFilter, { body: { list: "checks", name, query: "status=pending" } });
  }
  // All at the same time, because candidates with the longest wait come first.
  await sql`update matter_referrals set referred_at = '2026-05-01' where network_id = ${network.id}`.execute(
    app.db,
  );
  const names = (list: { items: { name: string }[] }) => list.items.map(({ name }) => name);
  const lawyers = (list: { items: { attorneyName: string | null }[] }) =>
    list.items.map(({ attorneyName }) => attorneyName ?? "");
  const lists: Record<string, string[]> = {
    attorneys: names(await admin.call(listAttorneys)),
    candidates: names(await admin.call(listCandidates)),
    clients: names(await admin.call(listMatters, { query: { sort: "name" } })),
    "referrals' attorneys": lawyers(await admin.call(listMatters, { query: { sort: "attorney" } })),
    "debits' attorneys": lawyers(await admin.call(listDebits, { query: { sort: "attorney" } })),
    "payments' attorneys": lawyers(await admin.call(listPayments, { query: { sort: "attorney" } })),
    "checks' payers": (await admin.call(listChecks, { query: { sort: "payer" } })).items.map(
      ({ payer }) => payer.name,
    ),
    firms: names(await admin.call(listFirms)),
    "firms in reverse": names(
      await admin.call(listFirms, { query: { sort: "-name" } }),
    ).toReversed(),
    plans: (await admin.call(listPlans, { query: { sort: "name" } })).map(({ name }) => name),
    "attorneys on a plan": lawyers(
      await admin.call(listPlanEnrolments, { params: { id: plan.id } }),
    ),
    receivables: lawyers((await admin.call(showReceivables)).rows),
    "accounts of deposits": (
      await admin.call(listDeposits, { query: { sort: "account" } })
    ).items.map(({ accountName }) => accountName),
    administrators: (await admin.call(listAdministrators)).map(({ name }) => name),
    "saved filters": (await admin.call(listSavedFilters)).map(({ name }) => name),
    "the report of attorneys": await reported("attorneys", "Last name"),
    "the report of firms": await reported("firms", "Name"),
  };
  for (const [list, all] of Object.entries(lists)) {
    const wanted = all
      .map((name) => name.replace(/^Kim /, ""))
      .filter((name) => inOrder.includes(name));
    expect([list, wanted]).toEqual([list, inOrder]);
  }
});
