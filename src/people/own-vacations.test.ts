import { expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { pauseAttorney, showAttorney } from "#people/contract.ts";
import { changeVacationSettings, showVacationSettings } from "#panel/contract.ts";
import { showSuspensionStatus } from "#referrals/suspension/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

/* Lawyers who set their own vacation, if the network allows it. */

const test = appTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
});

const allow = (lawyers_set_own_vacation: boolean) =>
  admin.call(changeVacationSettings, { body: { lawyers_set_own_vacation } });

const pause = (attorney_id: number, paused_until = "2026-12-15") =>
  lawyer.ask(pauseAttorney, { body: { attorney_id, paused_until } });

test("a lawyer's own vacation is refused unless the network allows it", async () => {
  const refusal = [403, "Only your referral service can set your vacation. Ask them to set it."];
  const refused = async () => {
    const { status, message } = await pause(attorney.id);
    return [status, message];
  };
  expect(await admin.call(showVacationSettings)).toEqual({ lawyersSetOwnVacation: false });
  expect(await lawyer.call(showSuspensionStatus)).toMatchObject({ maySetVacation: false });
  expect(await refused()).toEqual(refusal);
  await allow(true);
  expect(await lawyer.call(showSuspensionStatus)).toMatchObject({ maySetVacation: true });
  expect((await pause(attorney.id)).object).toMatchObject({ paused: true });
  await allow(false);
  expect(await refused()).toEqual(refusal);
  expect(await lawyer.call(showSuspensionStatus)).toMatchObject({ paused: true }); // a current vacation stays
});

test("a lawyer's own vacation is in the history under their name, shows to administrators, and either can end it", async () => {
  await allow(true);
  await pause(attorney.id);
  expect(await admin.call(showAttorney, { params: { id: attorney.id } })).toMatchObject({
    paused: true,
    pausedUntil: "2026-12-15",
  });
  expect((await pause(attorney.id, "off")).object).toMatchObject({ paused: false });
  const { items } = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
  expect(items).toMatchObject([
    { who: "Ada Byron", action: "ended vacation", before: { pausedUntil: "2026-12-15" } },
    { who: "Ada Byron", action: "put on vacation", after: { pausedUntil: "2026-12-15" } },
  ]);
});

test("a lawyer cannot set another attorney's vacation, not even a colleague's", async () => {
  await allow(true);
  const colleague = await makeAttorney(app.db, network);
  const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
  for (const { id } of [colleague, stranger]) {
    const { status, message } = await pause(id);
    expect([status, message]).toEqual([404, "There is no such attorney."]);
  }
  expect((await pause(attorney.id, "2026-11-29")).status).toBe(422);
});

test("the setting applies to one network, and its change is in the history once", async () => {
  const other = await makeNetwork(app.db);
  await allow(true);
  await allow(true);
  const setting = (id: number) =>
    app.db.selectFrom("networks").select("lawyersSetOwnVacation").where("id", "=", id).execute();
  expect(await setting(other.id)).toEqual([{ lawyersSetOwnVacation: false }]);
  const { items } = await admin.call(listActivity, { query: { record_type: "network" } });
  expect(items).toMatchObject([
    {
      action: "changed vacation settings",
      before: { lawyersSetOwnVacation: false },
      after: { lawyersSetOwnVacation: true },
    },
  ]);
});
