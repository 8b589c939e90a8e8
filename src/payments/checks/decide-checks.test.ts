import { describe, expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { onChanges } from "#kit/db/changes.ts";
import { listActivity } from "#office/activity/contract.ts";
import { confirmChecks, payByCheck, showReceipt } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { bounceCheck } from "#tests/support/check-records.ts";
import { aFirm, creditsOf } from "#tests/support/received-checks.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import {
  ben,
  bens,
  bounce,
  checksTest,
  counts,
  decide,
  dues,
  expectSoundLedger,
  list,
  mails,
  ofFirm,
  panel,
  record,
  standing,
  subjects,
  withCredit,
} from "#tests/support/checks-test.ts";

const test = checksTest();

describe("deciding checks", () => {
  test("approves and denies many in one call", async () => {
    const one = await record(ofFirm());
    const two = await record(withCredit({ shares: {}, amount: "40" }));
    const { status, object } = await decide({ approve: [one.id], deny: [two.id] });
    expect(status).toBe(200);
    expect(object.map((check) => [check.checkNumber, check.status])).toEqual([
      ["1021", "denied"],
      ["1020", "approved"],
    ]);
    expect(await standing()).toEqual([
      { balance: 0, pending: 0 },
      { balance: 0, pending: 0 },
      { balance: 3_000, pending: 0 },
    ]);
    expect(await creditsOf(app.db, network)).toEqual([]);
    expect((await subjects()).slice(3)).toEqual([
      "Your part of check 1020 from Okafor & Lane for $150.00 is approved",
      "Your part of check 1020 from Okafor & Lane for $50.00 is approved",
      "Your check 1021 for $40.00 was not accepted",
    ]);
    expect((await mails()).at(-1)?.body).toContain("  Credit not received: $40.00\n");
    await expectSoundLedger();
  });

  test("share by share keeps the credit: the payment is approved, though its debits are denied", async () => {
    const { shares } = await record(
      ofFirm({
        amount: "195",
        shares: { [dues]: "100", [bens]: "80" },
        credits: { [attorney.id]: "15" },
      }),
    );
    const statuses = Object.fromEntries(
      shares.map(({ shareId, debitId }) => [shareId, debitId === dues ? "denied" : "approved"]),
    );
    await admin.call(confirmChecks, { body: { statuses } });
    expect((await subjects()).slice(2).toSorted()).toEqual([
      "Your part of check 1020 from Okafor & Lane for $100.00 was not accepted",
      "Your part of check 1020 from Okafor & Lane for $15.00 added credit to your account",
      "Your part of check 1020 from Okafor & Lane for $80.00 is approved",
    ]);

    const { items } = await admin.call(listPayments, {
      query: { attorney_id: String(attorney.id) },
    });
    expect(items).toMatchObject([{ status: "approved", amount: 11_500 }]);
    const found = async (status: "approved" | "received" | "denied" | "partly_denied") => {
      const query = { status, attorney_id: String(attorney.id) };
      const { total, totals } = await admin.call(listPayments, { query });
      return [total, ...totals.parts.map((part) => [part.status, part.amount])];
    };
    const sums = [
      ["received", 1500],
      ["partly_denied", 10_000],
    ];
    for (const status of ["approved", "received", "partly_denied"] as const)
      expect(await found(status)).toEqual([1, ...sums]);
    expect(await found("denied")).toEqual([0]);
    expect(items).toMatchObject([{ denied: 10_000 }]);
    const id = items[0]?.id ?? 0;
    expect(await admin.call(showReceipt, { params: { id } })).toMatchObject({
      status: "approved",
      amount: 11_500,
      credit: 1_500,
      shares: [{ status: "denied", amount: 10_000 }],
    });
  });

  test("keeps a payment pending while its check's credit is pending, and returns it with the check", async () => {
    const { id, shares } = await record(
      ofFirm({
        amount: "195",
        shares: { [dues]: "100", [bens]: "80" },
        credits: { [attorney.id]: "15" },
      }),
    );
    const confirm = (debit: number, status: "approved" | "denied") =>
      admin.call(confirmChecks, {
        body: {
          statuses: Object.fromEntries(
            shares
              .filter(({ debitId }) => debitId === debit)
              .map(({ shareId }) => [shareId, status]),
          ),
        },
      });
    const read = async () => {
      const query = { attorney_id: String(attorney.id) };
      const [payment] = (await admin.call(listPayments, { query })).items;
      const receipt = await admin.call(showReceipt, { params: { id: payment?.id ?? 0 } });
      return [payment?.status, receipt.status, receipt.firm];
    };
    await confirm(dues, "denied");
    expect(await read()).toEqual(["pending", "pending", "Okafor & Lane"]);
    const sums = async (status?: "received") =>
      (await admin.call(listPayments, { query: status ? { status } : {} })).totals.parts;
    expect(await sums()).toEqual([
      { status: "pending", amount: 9_500 },
      { status: "partly_denied", amount: 10_000 },
    ]);
    expect(await sums("received")).toEqual([]);
    await confirm(bens, "approved");
    expect(await read()).toEqual(["approved", "approved", "Okafor & Lane"]);
    await bounceCheck(app.db, network, id);
    expect(await read()).toEqual(["returned", "returned", "Okafor & Lane"]);
  });

  test("counts an approved part of a pending payment as received", async () => {
    const { shares } = await record(ofFirm());
    const first = shares.find(({ debitId }) => debitId === dues)?.shareId ?? 0;
    await admin.call(confirmChecks, { body: { statuses: { [first]: "approved" } } });
    const query = { attorney_id: String(attorney.id) };
    const parts = [
      { status: "received", amount: 10_000 },
      { status: "pending", amount: 5_000 },
    ];
    for (const status of [undefined, "received", "pending"] as const) {
      const found = await admin.call(listPayments, {
        query: status ? { ...query, status } : query,
      });
      expect(found).toMatchObject({ total: 1, totals: { amount: 15_000, parts } });
    }
  });

  test("is all or nothing", async () => {
    const one = await record(ofFirm());
    const two = await record(withCredit({ shares: {}, amount: "40", approve: true }));
    const before = await counts();
    expect(await decide({ approve: [one.id, two.id] })).toMatchObject({
      status: 409,
      message: "Check 1021 has already been approved. Reload to see it.",
    });
    expect(await decide({ approve: [one.id], deny: [999_999_999] })).toMatchObject({
      status: 404,
      message: "There is no such check.",
    });
    expect(await decide({ approve: [one.id], deny: [one.id] })).toMatchObject({
      status: 422,
      message: "A check may be named only once.",
    });
    expect(await decide({})).toMatchObject({
      status: 422,
      message: "Choose at least one check to approve or deny.",
    });
    const elsewhere = await signedIn(app, "admin", await makeNetwork(app.db));
    const asked = { body: { approve: [one.id] } };
    expect((await elsewhere.ask(contract.decideWholeChecks, asked)).status).toBe(404);
    expect(await counts()).toEqual(before);
    expect((await standing()).map(({ pending }) => pending)).toEqual([10_000, 5_000, 5_000]);
  });

  test("share by share gives the same records, and the rest can be decided together", async () => {
    const shares = { [dues]: "100", [panel]: "50" };
    const credits = { [attorney.id]: "40" };
    const made = await record(withCredit({ amount: "190", shares, credits }));
    const [first, second] = made.shares;
    const statuses = { [first?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect(await creditsOf(app.db, network)).toEqual([]);
    expect(await list({ status: "pending" })).toEqual(["1021"]);
    const { object } = await decide({ deny: [made.id] });
    expect(object).toMatchObject([
      {
        status: "mixed",
        shares: [{ status: "approved" }, { shareId: second?.shareId, status: "denied" }],
      },
    ]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    const query = { record_type: "received check", record_id: made.id };
    expect((await admin.call(listActivity, { query })).items[0]).toMatchObject({
      action: "denied check",
      after: { status: "mixed", amount: "50.00" }, // without the approved share and the credit
    });
    expect((await subjects()).slice(1)).toEqual([
      "Your check 1021 for $100.00 is approved",
      "Your check 1021 for $50.00 was not accepted",
      "Your check 1021 for $40.00 added credit to your account",
    ]);
    expect(await decide({ approve: [made.id] })).toMatchObject({
      status: 409,
      message: "Check 1021 has already been decided. Reload to see it.",
    });
    await expectSoundLedger();
  });

  test("share by share brings the credit with the last share", async () => {
    const made = await record(withCredit());
    const statuses = { [made.shares[0]?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    expect((await subjects()).slice(1)).toEqual(["Your check 1021 for $130.00 is approved"]);
  });

  test("works on checks recorded from the dashboard", async () => {
    const body = { payment_hash: { [dues]: "60" }, check_number: "5" };
    await lawyer.call(payByCheck, { body });
    const [check] = (await admin.ask(contract.listChecks)).object.items;
    expect(check).toMatchObject({
      checkNumber: "5",
      amount: "60.00",
      payer: { kind: "attorney", id: attorney.id, name: "Maya Okafor" },
    });
    await decide({ approve: [check?.id ?? 0] });
    expect(await standingOf(app.db, dues)).toEqual({ balance: 4_000, pending: 0 });
  });
});

test("each change sends a hint per affected attorney, or one for all if there are many", async () => {
  const hints: (number | null)[] = [];
  const stop = onChanges(app.db, (changes) => {
    const ours = changes.filter((change) => change.networkId === network.id);
    hints.push(...ours.map((change) => change.attorneyId));
  });
  const { id } = await record(ofFirm());
  await decide({ approve: [id] });
  await bounce(id);
  expect(hints).toEqual([attorney, ben, attorney, ben, attorney, ben].map((one) => one.id));
  const crowd = await Promise.all(Array.from({ length: 11 }, () => makeAttorney(app.db, network)));
  const firm_id = await aFirm(app.db, network, crowd);
  hints.length = 0;
  const credits = Object.fromEntries(crowd.map((one) => [one.id, "1"]));
  await record(ofFirm({ firm_id, check_number: "9", amount: "11", shares: {}, credits }));
  expect(hints).toEqual([null]);
  stop();
});

describe("the history", () => {
  test("of a check and of each of its attorneys shows its decisions and return", async () => {
    const { id, shares } = await record(ofFirm({ note: "By mail." }));
    const statuses = { [shares[0]?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    await decide({ approve: [id] });
    await bounce(id, { fee: "35" });
    const history = async (query: object) =>
      (await admin.call(listActivity, { query: { ...query } })).items;
    const ofCheck = await history({ record_type: "received check", record_id: id });
    const name = "Check 1020 of $200.00";
    expect(ofCheck).toMatchObject([
      {
        action: "returned check",
        recordName: name,
        attorneyId: null,
        before: { status: "approved" },
        after: { status: "returned", returnedOn: "2026-11-20", owedAgain: "200.00", fee: "35.00" },
      },
      {
        action: "approved check",
        recordType: "received check",
        before: { status: "pending" },
        after: { amount: "100.00" },
      },
      { action: "approved check", recordType: "received check", after: { amount: "100.00" } },
      {
        action: "recorded check",
        after: { checkNumber: "1020", payer: "Okafor & Lane", amount: "200.00", note: "By mail." },
      },
    ]);
    const bensHistory = (await history({ attorney_id: ben.id })).map(({ action }) => action);
    expect(bensHistory).toEqual([
      "returned check",
      "approved check",
      "approved check",
      "recorded check",
    ]);
    const mayas = (await history({ attorney_id: attorney.id })).map(({ action }) => action);
    expect(mayas).toEqual([
      "returned check",
      "charged",
      "approved check",
      "approved check",
      "recorded check",
    ]);
  });
});
