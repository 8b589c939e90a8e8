import { sql } from "kysely";
import { describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { addAttorney, editAttorney, showAttorney } from "#people/contract.ts";
import * as contract from "#panel/firms/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });

const add = (body: Record<string, unknown>) =>
  admin.ask(contract.addFirm, { body: { attorney_ids: [], ...body } });
const change = (id: number, body: Record<string, unknown>) =>
  admin.ask(contract.changeFirm, { params: { id }, body });
const list = async (query: Record<string, unknown> = {}) =>
  (await admin.ask(contract.listFirms, { query })).object;

describe("a firm", () => {
  test("is added with its attorneys, and shows what they owe", async () => {
    const finch = await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
    const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
    await makeDebit(app.db, network, hale, { amountCents: 75_00 });
    const { object } = await add({
      name: "Hale & Finch LLP",
      billing_email: "Billing@Hale.test",
      attorney_ids: [hale.id, finch.id, hale.id],
    });
    expect(object).toEqual({
      id: expect.any(Number),
      name: "Hale & Finch LLP",
      billingEmail: "billing@hale.test",
      attorneys: [
        { id: finch.id, name: "Dora Finch", balance: "0.00", credit: "0.00", leftOn: null },
        { id: hale.id, name: "Quinn Hale", balance: "75.00", credit: "0.00", leftOn: null },
      ],
      balance: "75.00",
      credit: "0.00",
    });
    expect(await admin.call(contract.showFirm, { params: { id: object.id } })).toMatchObject({
      name: "Hale & Finch LLP",
      balance: 75_00,
    });
    const record = await admin.ask(showAttorney, { params: { id: hale.id } });
    expect(record.object.firm).toEqual({ id: object.id, name: "Hale & Finch LLP" });
  });

  test("cannot have the name of another firm in the network, in any case", async () => {
    await add({ name: "Hale LLP" });
    const taken = {
      status: 409,
      message: "Another firm already has this name. Enter a different name.",
      errors: [{ path: "name" }],
    };
    expect(await add({ name: "HALE llp" })).toMatchObject(taken);
    const { object } = await add({ name: "Finch LLP" });
    expect(await change(object.id, { name: "hale LLP" })).toMatchObject(taken);
    expect((await change(object.id, { name: "FINCH LLP" })).object.name).toBe("FINCH LLP");
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    const elsewhere = await stranger.ask(contract.addFirm, {
      body: { name: "Hale LLP", attorney_ids: [] },
    });
    expect(elsewhere.status).toBe(200);
  });

  test("cannot have another firm's name in other spelling, and is found by any spelling", async () => {
    const { object } = await add({ name: "Nu\u0301n\u0303ez & Kay\u00a0 LLP" });
    expect(object.name).toBe("Núñez & Kay LLP");
    for (const name of ["Núñez & Kay LLP", "NUNEZ and Kay LLP", "Núñez\u2003&  Kay LLP"])
      expect([name, (await add({ name })).status]).toEqual([name, 409]);
    const other = await add({ name: "Kay LLP" });
    expect((await change(other.object.id, { name: "Nunez & Kay, LLP" })).status).toBe(409);
    const { items } = await admin.call(contract.listFirms, { query: { search: "nunez&kay" } });
    expect(items.map(({ id }) => id)).toEqual([object.id]);
  });

  test("keeps a name it shared with another firm before names were compared, but no new firm gets it", async () => {
    const first = await add({ name: "Nunez LLP" });
    const { rows } = await sql<{ id: number }>`
      insert into firms (network_id, name, twin) values (${network.id}, 'Núñez LLP', 1) returning id`.execute(
      app.db,
    );
    const twin = rows[0]?.id ?? 0;
    expect((await change(twin, { billing_email: "b@example.test" })).object.name).toBe("Núñez LLP");
    expect((await change(first.object.id, { name: "Kay LLP" })).status).toBe(200);
    expect((await add({ name: "NÚÑEZ LLP" })).status).toBe(409);
    expect((await change(twin, { name: "Kay, LLP" })).status).toBe(409);
    expect((await change(twin, { name: "Hale LLP" })).status).toBe(200);
    expect((await add({ name: "Hale LLP" })).status).toBe(409);
    expect((await add({ name: "Nunez LLP" })).status).toBe(200);
  });

  test("is refused an attorney of another firm, naming that firm", async () => {
    const bianchi = await makeAttorney(app.db, network, {
      firstName: "Laura",
      lastName: "Bianchi",
    });
    await add({ name: "Hale LLP", attorney_ids: [bianchi.id] });
    const refused = {
      status: 409,
      message: "Remove Laura Bianchi from Hale LLP first. An attorney can belong to only one firm.",
    };
    expect(await add({ name: "Finch LLP", attorney_ids: [bianchi.id] })).toMatchObject(refused);
    const { object } = await add({ name: "Finch LLP" });
    expect(await change(object.id, { attorney_ids: [bianchi.id] })).toMatchObject(refused);
  });

  test("changes its attorneys; those left out are removed, and each history says so", async () => {
    const [first = 0, second = 0, third = 0] = await makePanel(app.db, network, 3);
    const { object } = await add({ name: "Hale LLP", attorney_ids: [first, second] });
    const changed = await change(object.id, { attorney_ids: [second, third] });
    expect(changed.object.attorneys.map(({ id }) => id)).toEqual([second, third]);
    expect((await admin.call(showAttorney, { params: { id: first } })).firm).toBeNull();
    const history = async (attorney_id: number) =>
      (await admin.call(listActivity, { query: { attorney_id } })).items;
    expect(await history(first)).toMatchObject([
      { action: "changed details", before: { firm: "Hale LLP" }, after: { firm: null } },
      { action: "changed details", before: { firm: null }, after: { firm: "Hale LLP" } },
    ]);
    expect(await history(second)).toHaveLength(1);
    const [entry] = (await admin.call(listActivity, { query: { record_type: "firm" } })).items;
    expect(entry).toMatchObject({
      recordName: "Hale LLP",
      before: { attorneys: "Panel Member 0, Panel Member 1" },
      after: { attorneys: "Panel Member 1, Panel Member 2" },
    });
  });

  test("is shown on an attorney's record that is added or edited with it", async () => {
    const { object: hale } = await add({ name: "Hale LLP" });
    const { object: finch } = await add({ name: "Finch LLP" });
    const details = { first_name: "Ada", last_name: "Byron", email: "ada@firm.test" };
    const added = await admin.ask(addAttorney, { body: { ...details, firm_id: hale.id } });
    expect(added.object.firm).toEqual({ id: hale.id, name: "Hale LLP" });
    const edit = (firm_id: number | null) =>
      admin.ask(editAttorney, { params: { id: added.object.id }, body: { firm_id } });
    expect((await edit(finch.id)).object.firm?.name).toBe("Finch LLP");
    const [moved] = (await admin.call(listActivity, { query: { attorney_id: added.object.id } }))
      .items;
    expect(moved).toMatchObject({ before: { firm: "Hale LLP" }, after: { firm: "Finch LLP" } });
    expect(await edit(999_999)).toMatchObject({ status: 404, message: "There is no such firm." });
    expect((await edit(null)).object.firm).toBeNull();
  });

  test("is found by its name, its billing email or an attorney's name", async () => {
    const finch = await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
    await add({ name: "beta Law" });
    await add({ name: "Alpha Law", billing_email: "office@alpha.test", attorney_ids: [finch.id] });
    const names = async (query?: Record<string, unknown>) =>
      (await list(query)).items.map(({ name }) => name);
    expect(await names()).toEqual(["Alpha Law", "beta Law"]);
    expect(await names({ search: "law BETA" })).toEqual(["beta Law"]);
    expect(await names({ search: "office@" })).toEqual(["Alpha Law"]);
    expect(await names({ search: "finch" })).toEqual(["Alpha Law"]);
    expect(await list({ search: "law", page: 2, per_page: 1 })).toMatchObject({
      total: 2,
      page: 2,
      perPage: 1,
      items: [{ name: "beta Law" }],
    });
  });

  test("is refused without a name, with a bad email, or with an unknown attorney", async () => {
    expect(await add({ name: " " })).toMatchObject({ status: 422, errors: [{ path: "name" }] });
    expect(await add({ name: "A", billing_email: "x" })).toMatchObject({
      status: 422,
      errors: [{ path: "billing_email" }],
    });
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    expect((await add({ name: "A", attorney_ids: [stranger.id] })).status).toBe(404);
    const { object } = await add({ name: "A" });
    expect((await change(object.id, {})).status).toBe(422);
    expect((await change(object.id, { attorney_ids: [999_999] })).status).toBe(404);
  });
});

test("two firms that add the same attorneys at the same time share none", async () => {
  const panel = await makePanel(app.db, network, 8);
  const replies = await Promise.all([
    add({ name: "First", attorney_ids: panel }),
    add({ name: "Second", attorney_ids: panel.toReversed() }),
  ]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect((await list()).items.map(({ attorneys }) => attorneys.length)).toEqual([8]);
});
