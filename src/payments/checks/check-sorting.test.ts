import { expect } from "vitest";
import type { z } from "zod";
import { listChecks } from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aCheck } from "#tests/support/check-records.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });

test("checks are sorted by a column in either direction, else newest first", async () => {
  const received = [
    ["98", 5000, "Young"],
    ["102", 3000, "abel"],
    ["A7", 3000, "Moss"],
  ] as const;
  for (const [number, creditCents, lastName] of received) {
    const { id } = await makeAttorney(app.db, network, { lastName });
    await aCheck(app.db, network, { number, parts: [{ attorneyId: id, creditCents }] });
  }
  const numbers = async (query: z.input<typeof listChecks.query>) =>
    (await admin.call(listChecks, { query })).items.map(({ checkNumber }) => checkNumber);

  expect(await numbers({ sort: "number" })).toEqual(["98", "A7", "102"]);
  expect(await numbers({ sort: "payer" })).toEqual(["102", "A7", "98"]);
  expect(await numbers({ sort: "-payer" })).toEqual(["98", "A7", "102"]);
  expect(await numbers({ sort: "amount" }), "the same amount: by age").toEqual(["102", "A7", "98"]);
  expect(await numbers({ sort: "amount", page: "2", per_page: "1" })).toEqual(["A7"]);
  expect(await numbers({}), "the newest first").toEqual(["A7", "102", "98"]);
});

test("an unknown column is refused, naming the sortable columns", async () => {
  const query = { sort: "note" as "number" };
  expect(await admin.ask(listChecks, { query })).toMatchObject({
    status: 422,
    message: expect.stringMatching(/^Sort must be one of number, -number, payer,/),
  });
});
