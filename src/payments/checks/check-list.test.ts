import { describe, expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { showOverview } from "#office/desk/today/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import {
  ben,
  bens,
  checksTest,
  dues,
  firm,
  list,
  ofFirm,
  record,
  withCredit,
} from "#tests/support/checks-test.ts";

const test = checksTest();

describe("the list of checks", () => {
  test("is newest first, by pages, with the pending total of the whole network", async () => {
    for (const check_number of ["1", "2", "3"])
      await record(
        withCredit({ check_number, amount: "10", shares: { [dues]: "10" }, credits: {} }),
      );
    await record(ofFirm({ amount: "80", shares: { [bens]: "80" }, approve: true }));
    const { object: page } = await admin.ask(contract.listChecks, { query: { per_page: 2 } });
    expect(page).toMatchObject({
      total: 4,
      page: 1,
      perPage: 2,
      pending: { count: 3, amount: "30.00" },
    });
    expect(page.items.map(({ checkNumber }) => checkNumber)).toEqual(["1020", "3"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["2", "1"]);
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await other.ask(contract.listChecks)).object).toMatchObject({
      items: [],
      total: 0,
      pending: { count: 0, amount: "0.00" },
    });
  });

  test("counts only the undecided part of a partly decided check, like Today", async () => {
    const { shares } = await record(
      ofFirm({
        amount: "195",
        shares: { [dues]: "100", [bens]: "80" },
        credits: { [attorney.id]: "15" },
      }),
    );
    await record(withCredit({ check_number: "7", amount: "40", shares: {} }));
    const decide = async (debit: number, status: "approved" | "denied") => {
      const share = shares.find(({ debitId }) => debitId === debit)?.shareId ?? 0;
      await admin.call(confirmChecks, { body: { statuses: { [share]: status } } });
    };
    const sums = async () => {
      const { pending, totals } = await admin.call(contract.listChecks, { query: {} });
      const { attention } = await admin.call(showOverview);
      const today = attention.find(({ kind }) => kind === "checks_to_confirm");
      expect([today?.count, today?.amount]).toEqual([pending.count, pending.amount]);
      return [pending, ...totals.parts.map(({ status, amount }) => [status, amount])];
    };
    expect(await sums()).toEqual([{ count: 2, amount: 23_500 }, ["pending", 23_500]]);
    await decide(dues, "approved");
    expect(await sums()).toEqual([
      { count: 2, amount: 13_500 },
      ["pending", 13_500],
      ["approved", 10_000],
    ]);
    await decide(bens, "denied");
    expect(await sums()).toEqual([
      { count: 1, amount: 4_000 },
      ["pending", 4_000],
      ["mixed", 19_500],
    ]);
  });

  test("is filtered by status, payer, lawyer, day and deposit", async () => {
    await record(ofFirm({ received_on: "2026-11-01" }));
    await record(
      withCredit({ shares: {}, amount: "40", approve: true, received_on: "2026-11-19" }),
    );
    const body = { payment_hash: { [bens]: "30" }, check_number: "7" };
    await admin.call(payByCheck, { body });
    expect(await list({ status: "pending" })).toEqual(["7", "1020"]);
    expect(await list({ status: "approved" })).toEqual(["1021"]);
    expect(await list({ firm_id: firm })).toEqual(["1020"]);
    expect(await list({ attorney_id: ben.id })).toEqual(["7", "1020"]);
    expect(await list({ attorney_id: attorney.id })).toEqual(["1021", "1020"]);
    expect(await list({ from: "2026-11-02", to: "2026-11-19" })).toEqual(["1021"]);
    expect(await list({ to: "2026-11-01" })).toEqual(["1020"]);
    expect(await list({ deposited: "true" })).toEqual([]);
    expect(await list({ deposited: "false", status: "approved" })).toEqual(["1021"]);
  });

  test("is searched by number, amount, payer and lawyer", async () => {
    await record(ofFirm());
    await record(withCredit({ check_number: "A-77", shares: {}, amount: "40" }));
    const zoe = await makeAttorney(app.db, network, { firstName: "Zoe", lastName: "Quill" });
    const hers = await makeDebit(app.db, network, zoe);
    const body = { payment_hash: { [hers]: "12.34" }, check_number: "8800" };
    await admin.call(payByCheck, { body });
    expect(await list({ search: "a-7" })).toEqual(["A-77"]);
    expect(await list({ search: "88" })).toEqual(["8800"]);
    expect(await list({ search: "$12.34" })).toEqual(["8800"]);
    expect(await list({ search: "200" })).toEqual(["1020"]);
    expect(await list({ search: "quill zoe" })).toEqual(["8800"]);
    expect(await list({ search: "ben" })).toEqual(["1020"]);
    expect(await list({ search: "okafor &" })).toEqual(["1020"]);
    expect(await list({ search: "okafor" })).toEqual(["A-77", "1020"]);
    expect(await list({ search: "nobody" })).toEqual([]);
    expect(await list({ search: "%" })).toEqual([]);
  });
});
