import { expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { payByCheck } from "#payments/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import {
  ben,
  bens,
  checksTest,
  counts,
  decide,
  dues,
  expectSoundLedger,
  ofFirm,
  panel,
  record,
  standing,
} from "#tests/support/checks-test.ts";

/* The book, rule 17: one paper check counts once, whoever records it and however its number is written. */

const test = checksTest();

/** The lawyer records a check of $20.00 on the dashboard. */
const recordsOwn = (check_number: string, more: object = {}, debit = dues) =>
  lawyer.ask(payByCheck, { body: { check_number, payment_hash: { [debit]: "20.00" }, ...more } });

const recorded = (body: object) => admin.ask(contract.recordWholeCheck, { body });

const ofFirmForBen = (check_number: string, more: object = {}) =>
  ofFirm({ check_number, amount: "50.00", shares: { [bens]: "50.00" }, ...more });

const isRecordedAlready = (message: string) => ({
  status: 409,
  message,
  errors: [
    { path: "check_number", message },
    {
      path: "another_check",
      message: 'If this is a different check, select "This is a different check".',
    },
  ],
});

test("a check that a lawyer recorded is not recorded again for the firm, unless it is a different one", async () => {
  await recordsOwn("1020");
  const before = await counts();
  const message =
    "Check 1020 of Maya Okafor has already been recorded: $20.00, received on 11/20/2026, pending.";
  for (const number of ["1020", "0001020", "10-20"])
    expect(await recorded(ofFirmForBen(number))).toMatchObject(isRecordedAlready(message));
  expect(await counts()).toEqual(before);
  const another = { ...ofFirmForBen("1020"), another_check: true };
  expect((await recorded(another)).status).toBe(200);
  expect(await standing()).toMatchObject([{ pending: 2000 }, {}, { pending: 5000 }]);
  // Still only once.
  expect(await recorded(another)).toMatchObject({
    status: 409,
    message: "Check 1020 has already been recorded for this payer.",
  });
  await expectSoundLedger();
});

test("a lawyer who records a check of their firm or a colleague learns only that it is already recorded", async () => {
  await record(ofFirmForBen("77A"));
  const known = isRecordedAlready(
    "Check 77a has already been recorded for your firm or one of its attorneys.",
  );
  expect(await recordsOwn("77a")).toMatchObject(known);
  expect(await standing()).toMatchObject([{ pending: 0 }, {}, {}]);
  expect((await recordsOwn("77a", { another_check: true })).status).toBe(200);
  await record({
    ...ofFirmForBen("78"),
    firm_id: undefined,
    attorney_id: ben.id,
    approve: true,
    amount: "10.00",
    shares: { [bens]: "10.00" },
  });
  expect((await recordsOwn("78")).status).toBe(409);
  expect(
    await admin.ask(payByCheck, { body: { check_number: "78", payment_hash: { [dues]: "5.00" } } }),
  ).toMatchObject(
    isRecordedAlready(
      "Check 78 of Ben Lane has already been recorded: $10.00, received on 11/20/2026, approved.",
    ),
  );
});

test("a number can be used again after its check is denied, and by attorneys of other firms", async () => {
  const { id } = await record(ofFirmForBen("1020"));
  const stranger = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Abel" });
  const debit = await makeDebit(app.db, network, stranger, { amountCents: 5000 });
  const own = { shares: { [debit]: "50.00" }, firm_id: undefined, attorney_id: stranger.id };
  expect((await recorded({ ...ofFirmForBen("1020"), ...own })).status).toBe(200);
  await decide({ deny: [id] });
  expect((await recordsOwn("1020")).status).toBe(200);
});

test("the same payer's check is refused however its number is written, unless recorded on other debits", async () => {
  expect((await recordsOwn("1020")).status).toBe(200);
  expect((await recordsOwn("1020", {}, panel)).status).toBe(200);
  expect(await recordsOwn("01020", { another_check: true })).toMatchObject({
    status: 409,
    message: "Check 01020 has already been recorded on one of these debits.",
  });
  const mayas = {
    shares: { [panel]: "10.00" },
    amount: "10.00",
    firm_id: undefined,
    attorney_id: attorney.id,
  };
  expect(
    await recorded({ ...ofFirm(), ...mayas, check_number: "0-1020", another_check: true }),
  ).toMatchObject({
    status: 409,
    message: "Check 0-1020 has already been recorded for this payer.",
    errors: [{ path: "check_number" }],
  });
});

test("a lawyer's own check is refused on any debit once the office has recorded it", async () => {
  const mayas = { firm_id: undefined, attorney_id: attorney.id, amount: "10.00" };
  await record({ ...ofFirm(), ...mayas, shares: { [panel]: "10.00" } });
  expect(await recordsOwn("1020", { another_check: true })).toMatchObject({
    status: 409,
    message: "Check 1020 has already been recorded.",
  });
});

test("spellings of one number at the same time are recorded once on a debit", async () => {
  const answers = await Promise.all(
    ["1020", "01020", "1-020", "10-20"].map((number) => recordsOwn(number)),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409,
  ]);
});

test("numbers of only zeros and dashes are compared exactly", async () => {
  expect((await recordsOwn("0")).status).toBe(200);
  expect((await recordsOwn("-")).status).toBe(200);
  expect((await recordsOwn("0")).status).toBe(409);
});

test("one number recorded at the same time for the firm and its attorneys is recorded once", async () => {
  const mayas = {
    firm_id: undefined,
    attorney_id: attorney.id,
    amount: "10.00",
    shares: { [panel]: "10.00" },
  };
  const answers = await Promise.all([
    recorded(ofFirmForBen("1020")),
    recorded({ ...ofFirm(), ...mayas, check_number: "01020" }),
    recordsOwn("1-020"),
  ]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
});
