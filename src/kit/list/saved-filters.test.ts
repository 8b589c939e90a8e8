import { expect } from "vitest";
import { makeAdmin } from "#tests/support/records/networks.ts";
import {
  listSavedFilters,
  removeFilter,
  renameFilter,
  saveFilter,
} from "#kit/list/saved-filters-contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ network: {} });

test("saved filters belong to one user, have unique names and store the address", async () => {
  const large = { list: "checks", name: "Large ones", query: "sort=-amount&status=all" } as const;
  const saved = await admin.call(saveFilter, { body: large });
  await admin.call(saveFilter, { body: { ...large, list: "payments" } });
  expect(await admin.ask(saveFilter, { body: { ...large, name: "LARGE ones" } })).toMatchObject({
    status: 409,
    message: "You already have saved filters with this name for this list. Choose another name.",
  });
  expect(await admin.call(listSavedFilters, { query: { list: "checks" } })).toEqual([saved]);
  expect(await admin.ask(saveFilter, { body: { ...large, list: "nothing" } })).toMatchObject({
    status: 422,
    message: expect.stringMatching(/^List must be one of attorneys, matters, /),
  });

  const userId = await makeAdmin(app.db, network);
  const colleague = await signedIn(app, "admin", {
    ...network,
    admin: { ...network.admin, userId },
  });
  const params = { id: saved.id };
  expect((await colleague.ask(renameFilter, { params, body: { name: "Mine" } })).status).toBe(404);
  expect((await colleague.ask(removeFilter, { params })).status).toBe(404);
  expect(await colleague.call(listSavedFilters)).toEqual([]);

  await admin.call(renameFilter, { params, body: { name: "Largest" } });
  await admin.call(removeFilter, { params });
  expect((await admin.call(listSavedFilters)).map(({ list }) => list)).toEqual(["payments"]);
});
