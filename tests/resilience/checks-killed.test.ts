import { Temporal } from "temporal-polyfill";
import { expect } from "vitest";
import { dayIn } from "#kit/domain/calendar.ts";
import * as contract from "#payments/checks/contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aFirm, applyCredit, creditsOf, giveBack } from "#tests/support/received-checks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { expectSoundLedger, killAtEveryStatement } from "#tests/support/killed-processes.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

/*
 * A process that records or returns a firm's check is killed after each of its statements: nothing is
 * recorded until the last one, and the repeat records all of it once.
 */

const test = appTest({ network: { timeZone: "UTC" } });
const today = dayIn("UTC", Temporal.Now.instant()).toString();
async function aFirmCheck() {
  const lawyers: MadeAttorney[] = [
    await makeAttorney(app.db, network),
    await makeAttorney(app.db, network),
  ];
  const debits: number[] = [];
  for (const lawyer of lawyers) debits.push(await makeDebit(app.db, network, lawyer));
  const firmId = await aFirm(app.db, network, lawyers);
  return {
    debits,
    check: {
      check_number: "1020",
      amount: "100",
      received_on: today,
      firm_id: firmId,
      shares: Object.fromEntries(debits.map((id) => [id, "30"])),
      credits: { [lawyers[0]?.id ?? 0]: "40" },
      approve: true,
    },
  };
}

const alreadyDone = /already/;
const timeoutMs = 600_000;

test(
  "recording a firm's check is all or nothing, wherever it is killed",
  { timeout: timeoutMs },
  async () => {
    const { check } = await aFirmCheck();
    const statements = await killAtEveryStatement({ app, network }, { record: check }, alreadyDone);
    expect(statements).toBeGreaterThan(5);
    const { object } = await admin.ask(contract.listChecks);
    expect(object.items).toMatchObject([
      { checkNumber: "1020", status: "approved", amount: "100.00" },
    ]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    await expectSoundLedger({ app, network });
  },
);

test(
  "returning a check is all or nothing, wherever it is killed",
  { timeout: timeoutMs },
  async () => {
    const { check, debits } = await aFirmCheck();
    const { id } = (await admin.ask(contract.recordWholeCheck, { body: check })).object;
    const creditId = (await creditsOf(app.db, network))[0]?.id ?? 0;
    await applyCredit(app.db, network, { creditId, debitId: debits[0] ?? 0, cents: 1_500 });
    await giveBack(app.db, network, { creditId, cents: 500 });
    const returned = { id, body: { returned_on: today, fee: "35" } };
    const statements = await killAtEveryStatement({ app, network }, { returned }, alreadyDone);
    expect(statements).toBeGreaterThan(12);
    const { object } = await admin.ask(contract.showCheck, { params: { id } });
    expect(object.status).toBe("returned");
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 0 }]);
    const charges = await app.db
      .selectFrom("charges")
      .select("amountCents")
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(charges.map(({ amountCents }) => amountCents)).toEqual([500, 3_500]);
    await expectSoundLedger({ app, network });
  },
);
