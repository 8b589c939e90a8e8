import { sql } from "kysely";
import { describe, expect } from "vitest";
import { audit } from "#kit/db/audit.ts";
import { listActivity, listPeople } from "#office/activity/contract.ts";
import { recordKind, recordTitle } from "#office/activity/record-words.tsx";
import { pauseAttorney } from "#people/contract.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { fileReport } from "#referrals/matters/contract.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({
  network: { timeZone: "America/New_York" },
  attorney: { firstName: "Maya", lastName: "Okafor" },
});

const note = (who: string, action: string, recordType = "plan", recordId = 1) =>
  audit(
    app.db,
    { networkId: network.id, userId: null, name: who },
    { action, recordType, recordId },
  );
const actions = async (query: object) =>
  (await admin.call(listActivity, { query: { ...query } })).items.map(({ action }) => action);

describe("the activity", () => {
  test("is newest first, in pages, and only the network's own", async () => {
    for (const action of ["first", "second", "third"]) await note("Dana", action);
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await other.call(listActivity)).total).toBe(0);
    const page = await admin.call(listActivity, { query: { per_page: 2 } });
    expect(page).toMatchObject({ total: 3, items: [{ action: "third" }, { action: "second" }] });
  });

  test("is filtered by person, from the list of people with changes", async () => {
    for (const who of ["zoe", "Dana", "Daily billing", "Dana"]) await note(who, `by ${who}`);
    expect(await admin.call(listPeople)).toEqual(["Daily billing", "Dana", "zoe"]);
    expect(await actions({ who: "Dana" })).toEqual(["by Dana", "by Dana"]);
    expect(await actions({ who: "dan" })).toEqual([]);
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect(await other.call(listPeople)).toEqual([]);
  });

  test("is filtered by record", async () => {
    await note("Dana", "one", "plan", 1);
    await note("Dana", "two", "plan", 2);
    await note("Dana", "other", "debit", 1);
    expect(await actions({ record_type: "plan" })).toEqual(["two", "one"]);
    expect(await actions({ record_type: "plan", record_id: 1 })).toEqual(["one"]);
  });

  test("names old unapplied charges by their amounts", async () => {
    const who = { networkId: network.id, userId: null, name: "Dana" };
    const record = { recordType: "unapplied payment", recordId: 4 };
    const after = { amount: "1204.50", reason: "Not owed" };
    await audit(app.db, who, { ...record, action: "asked for refund", after });
    await audit(app.db, who, { ...record, action: "refund failed", after: { reason: "Closed" } });
    const { items } = await admin.call(listActivity, {
      query: { record_type: "unapplied payment" },
    });
    expect(items.map((entry) => [recordTitle(entry), recordKind(entry)])).toEqual([
      ["Unapplied charge", null],
      ["Charge of $1,204.50", "Unapplied charge"],
    ]);
  });

  test("is filtered by the network's own days, both included", async () => {
    // Rows never change, so an old one is inserted without the trigger.
    const at = async (instant: string) =>
      sql`insert into audit_entries (network_id, actor_name, action, record_type, created_at)
        values (${network.id}, 'Dana', ${instant}, 'plan', ${instant})`.execute(app.db);
    for (const instant of [
      "2026-03-08T04:59:59Z",
      "2026-03-08T05:00:00Z",
      "2026-03-09T03:59:59Z",
      "2026-03-09T04:00:00Z",
    ])
      await at(instant);
    expect(await actions({ from: "2026-03-08", to: "2026-03-08" })).toEqual([
      "2026-03-09T03:59:59Z",
      "2026-03-08T05:00:00Z",
    ]);
    expect(await actions({ from: "2026-03-09" })).toEqual(["2026-03-09T04:00:00Z"]);
    expect(await actions({ to: "2026-03-07" })).toEqual(["2026-03-08T04:59:59Z"]);
    expect(await actions({ from: "2026-03-09", to: "2026-03-08" })).toEqual([]);
  });

  test("of an attorney has their payments and referrals, and nobody else's", async () => {
    const lawyer = await signedIn(app, attorney, network);
    const debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
    const matter = await makeMatter(app.db, network, { attorney });
    const body = { payment_hash: { [debit]: "60" }, check_number: "1001" };
    const { debits } = await lawyer.call(payByCheck, { body });
    const share = debits[0]?.pendingPayments[0]?.id ?? 0;
    await lawyer.call(fileReport, { params: { id: matter }, body: { outcome: "retained" } });
    await admin.call(confirmChecks, { body: { statuses: { [share]: "approved" } } });
    await note("Dana", "something else", "attorney", attorney.id + 1);
    const { items } = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
    expect(items).toMatchObject([
      {
        who: "Ada Min",
        action: "approved check",
        recordType: "received check",
        before: { status: "pending" },
        after: { status: "approved", checkNumber: "1001", amount: "60.00" },
      },
      { who: "Maya Okafor", action: "filed report", recordType: "matter", recordId: matter },
      { who: "Maya Okafor", action: "recorded check", recordType: "received check" },
    ]);
  });

  test("names each record as the screens do, and its attorney", async () => {
    const lawyer = await signedIn(app, attorney, network);
    const debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
    const matter = await makeMatter(app.db, network, { attorney });
    const body = { payment_hash: { [debit]: "60" }, check_number: "1001" };
    await lawyer.call(payByCheck, { body });
    await lawyer.call(fileReport, { params: { id: matter }, body: { outcome: "consulted" } });
    await admin.call(adjustDebit, { body: { debit_id: debit, amount: "1.00" } });
    await admin.call(pauseAttorney, {
      body: { attorney_id: attorney.id, paused_until: "2099-01-01" },
    });
    await admin.call(createPlan, {
      body: { name: "Ethics course", payment_amount: "50", payment_frequency_in_months: 3 },
    });
    await admin.send("POST", "/data_export.json", { report_type: "receivables_aging" });
    const { items } = await admin.call(listActivity);
    const maya = { attorneyId: attorney.id, attorneyName: "Maya Okafor" };
    const nobody = { attorneyId: null, attorneyName: null };
    expect(items).toMatchObject([
      { recordType: "data export", recordName: "Receivables aging", ...nobody },
      { recordType: "plan", recordName: "Ethics course", ...nobody },
      { recordType: "attorney", recordName: "Maya Okafor", ...maya },
      {
        recordType: "debit",
        recordName: expect.stringMatching(/, due \d\d\/\d\d\/\d{4}$/),
        ...maya,
      },
      { recordType: "matter", recordName: "Jane Doe", ...nobody },
      { recordType: "received check", recordName: "Check 1001 of $60.00", ...maya },
    ]);
  });

  test("names no record that is another network's or deleted, but names a removed person", async () => {
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    await note("Dana", "looked", "attorney", stranger.id);
    await audit(
      app.db,
      { networkId: network.id, userId: null, name: "Dana" },
      { action: "removed", recordType: "user", recordId: 999_999_999, before: { name: "Ben" } },
    );
    const { items } = await admin.call(listActivity);
    expect(items.map(({ recordName }) => recordName)).toEqual(["Ben", null]);
  });
});
