import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { searchEverything } from "#office/desk/search/contract.ts";
import { aCheck, decideCheck } from "#tests/support/check-records.ts";
import { aFoundCharge, happened } from "#tests/support/found-charges.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: { timeZone: "UTC" } });

const find = (q: string) => admin.call(searchEverything, { query: { q } });
const titles = async (q: string) => (await find(q)).map(({ title }) => title);

/** One record of each kind. */
async function everything() {
  const { db } = app;
  const hale = await makeAttorney(db, network, {
    firstName: "Quinn",
    lastName: "Hale",
    email: "q@hale.example",
    phone: "(617) 555-0142",
    barNumber: "MA-7",
  });
  const firm = await aFirm(db, network, [hale], "Hale & Finch LLP");
  const plan = await makePlan(db, network, { name: "Haleness panel", amountCents: 50_00 });
  const client = await makeMatter(db, network, { attorney: hale, lastName: "Haley" });
  const check = await aCheck(db, network, {
    number: "10442",
    firmId: firm,
    parts: [{ attorneyId: hale.id, creditCents: 525_00 }],
  });
  await decideCheck(db, network, check, "approved");
  const { rows } = await sql<{ deposit: number; receipt: number }>`
    with deposit as (
      insert into deposits (network_id, number, deposited_on, account_name)
      values (${network.id}, 31, '2026-05-09', 'Operating') returning id
    )
    select (select id from deposit) as deposit,
      (select id from payments where network_id = ${network.id}) as receipt`.execute(db);
  const charge = { attorneyId: hale.id, amountCents: 500, transactionId: "pi_3NxLost" };
  const { paymentId: transaction } = await aFoundCharge(db, network, charge);
  return { hale, firm, plan: plan.id, client, check, transaction, ...rows[0] };
}

describe("every kind is found", () => {
  test("by name: each kind with its details and address", async () => {
    const made = await everything();
    const found = await find("HALE");
    expect(found.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      "attorney Quinn Hale",
      "client Jane Haley",
      "firm Hale & Finch LLP",
      "plan Haleness panel",
    ]);
    expect(found).toEqual([
      expect.objectContaining({
        id: made.hale.id,
        detail: "Hale & Finch LLP · (617) 555-0142 · q@hale.example · bar MA-7",
        path: `/admin/attorneys/${made.hale.id}`,
      }),
      expect.objectContaining({
        detail: "Referred to Quinn Hale · (555) 010-4477 · jane@example.test",
        path: `/admin/matters/${made.client}`,
      }),
      expect.objectContaining({ detail: "1 attorney", path: `/admin/firms/${made.firm}` }),
      expect.objectContaining({ detail: "$50.00 every month", path: `/admin/plans/${made.plan}` }),
    ]);
    expect(await titles("hale, quinn")).toEqual(["Quinn Hale"]);
    expect(await titles("qu")).toEqual(["Quinn Hale"]);
    expect(await titles("finch hale")).toEqual(["Hale & Finch LLP"]);
    expect(await titles("ale")).toContain("Quinn Hale");
  });

  test("by number: checks, receipts, transactions, deposits, bar numbers", async () => {
    const made = await everything();
    expect(await find("10442")).toEqual([
      {
        kind: "check",
        id: made.check,
        title: "Check 10442",
        detail: "$525.00 · Hale & Finch LLP · received 05/01/2026 · Approved",
        path: `/admin/checks/${made.check}`,
      },
    ]);
    expect((await titles("104"))[0]).toBe("Check 10442");
    expect(await titles("check #10442")).toEqual(["Check 10442"]);
    expect(await find(`receipt ${made.receipt}`)).toMatchObject([
      { kind: "receipt", path: `/receipts/${made.receipt}`, title: `Receipt ${made.receipt}` },
    ]);
    expect(await titles("deposit 31")).toEqual(["Deposit 31"]);
    expect(await titles("31")).toContain("Deposit 31");
    expect(await titles("deposit 3")).toEqual([]);
    expect(await find("pi_3NxLo")).toMatchObject([
      {
        kind: "transaction",
        title: "Transaction pi_3NxLost",
        path: `/receipts/${made.transaction}`,
      },
    ]);
    const { hale, transaction } = made;
    const key = { networkId: network.id, attorneyId: hale.id, paymentId: transaction };
    await happened(app.db, key, "refund", 200);
    await app.db
      .updateTable("cardTransactions")
      .set({ processorId: "re_77Lost" })
      .where("paymentId", "=", transaction)
      .where("kind", "=", "refund")
      .execute();
    for (const typed of ["re_77", "re_77Lost"])
      expect(await find(typed)).toMatchObject([
        { title: "Transaction re_77Lost", path: `/receipts/${transaction}` },
      ]);
    expect((await titles("ma-7"))[0]).toBe("Quinn Hale");
    expect((await titles("q@hale.example"))[0]).toBe("Quinn Hale");
  });

  test("by a phone number or part of one, in any format", async () => {
    await everything();
    const forms = [
      "6175550142",
      "(617) 555-0142",
      "617.555.0142",
      "+1 617 555 0142",
      "1-617-555-0142",
      "617/555-0142",
      "001-617-555-0142",
      "tel:+16175550142",
      "617\u2011555\u20110142",
      "\u200e617\u00a0555\u20130142",
      "+1-617-555-0142-x11",
      "(617) 555-0142, ext. 11",
      "617-555-0142;11",
    ];
    for (const typed of [...forms, "555-0142", "5550142", "0142", "617 555"])
      expect([typed, await titles(typed)]).toEqual([typed, ["Quinn Hale"]]);
  });
});

test("exact names come first, then names that begin with the text, then words, then departed attorneys", async () => {
  const named = async (firstName: string, lastName: string, left?: string) => {
    const { id } = await makeAttorney(app.db, network, { firstName, lastName });
    if (left) await sql`update attorneys set left_on = ${left} where id = ${id}`.execute(app.db);
  };
  await named("Ann", "Lee", "2026-03-31");
  await named("Joann", "Leeds");
  await named("Mary Ann", "Leewood");
  await named("Ann", "Leeson");
  await aFirm(app.db, network, [], "Ann Lee");
  expect(await find("ann lee")).toMatchObject([
    { kind: "firm", title: "Ann Lee" },
    { title: "Ann Leeson" },
    { title: "Mary Ann Leewood" },
    { title: "Joann Leeds" },
    { title: "Ann Lee", detail: expect.stringMatching(/^Left 03\/31\/2026 · /) },
  ]);
});

test("a name is found in any spelling, of the record or of the search", async () => {
  const { db } = app;
  await makeAttorney(db, network, { firstName: "Inés", lastName: "Muñoz" });
  await makeAttorney(db, network, { firstName: "Tom", lastName: "Lowe–Hart" });
  await makeMatter(db, network, { firstName: "Siobhan", lastName: "O'Rourke" });
  await makeMatter(db, network, { firstName: "George", lastName: "Abernathy" });
  await aFirm(db, network, [], "Núñez & Kay LLP");
  await makePlan(db, network, { name: "Sørensen’s dues", amountCents: 5000 });
  for (const [typed, title] of [
    ["Munoz", "Inés Muñoz"],
    ["Ines Munoz", "Inés Muñoz"],
    ["MUN\u0303OZ, INE\u0301S", "Inés Muñoz"],
    ["Lowe-Hart", "Tom Lowe–Hart"],
    ["tom lowe hart", "Tom Lowe–Hart"],
    ["O’Rourke", "Siobhan O'Rourke"],
    ["orourke", "Siobhan O'Rourke"],
    ["Abernathy, George", "George Abernathy"],
    ["george abernathy", "George Abernathy"],
    ["Abernathy,Geo", "George Abernathy"],
    ["nunez and kay", "Núñez & Kay LLP"],
    ["sorensen's", "Sørensen’s dues"],
  ] as const)
    expect([typed, await titles(typed)]).toEqual([typed, [title]]);
});

test("equally good matches alternate by kind, up to 20", async () => {
  for (let made = 0; made < 25; made += 1)
    await makeAttorney(app.db, network, { firstName: "Pat", lastName: `Moss${made}` });
  for (let made = 0; made < 3; made += 1)
    await makeMatter(app.db, network, { lastName: `Moss${made}` });
  const kinds = (await find("moss")).map(({ kind }) => kind);
  expect(kinds).toHaveLength(20);
  expect(kinds.slice(0, 6)).toEqual(Array.from({ length: 3 }, () => ["attorney", "client"]).flat());
  expect(new Set((await find("moss")).map(({ id, kind }) => `${kind} ${id}`)).size).toBe(20);
});

describe("a search", () => {
  beforeEach(async () => void (await everything()));

  test("of one character finds exact numbers only", async () => {
    await sql`insert into deposits (network_id, number, deposited_on, account_name)
      values (${network.id}, 7, '2026-05-09', 'Operating')`.execute(app.db);
    expect(await titles("7")).toContain("Deposit 7");
    expect(await titles("h")).toEqual([]);
    expect(await titles("")).toEqual([]);
  });

  test("without matches finds nothing and does not fail", async () => {
    const signs = [
      "%",
      "%%%",
      "_____",
      "\\",
      "\\%",
      '"',
      "( [ { . *",
      "-",
      "#",
      "ʼ",
      "😀😀😀",
      "日本語",
      "\u0301e",
    ];
    const long = ["9".repeat(200), "x".repeat(200), "a ".repeat(100).trim()];
    const words = ["'; drop table attorneys; --", "1e999", "check", "deposit 99999999999999"];
    for (const typed of [...signs, ...long, ...words])
      expect([typed, await find(typed)]).toEqual([typed, []]);
  });

  test("in more than 200 characters, or with control characters, is refused", async () => {
    for (const q of ["x".repeat(201), "a\u0000b", "a\nb"])
      expect(await admin.ask(searchEverything, { query: { q } })).toMatchObject({
        status: 422,
        errors: [{ path: "q" }],
      });
  });

  test("is taken literally", async () => {
    await makeAttorney(app.db, network, { firstName: "100%", lastName: "O'Neil_Ødegård" });
    for (const typed of ["100%", "o'neil_", "eil_ø", "Ødegård", "100% o'n"])
      expect([typed, await titles(typed)]).toEqual([typed, ["100% O'Neil_Ødegård"]]);
  });
});

test("another network finds nothing", async () => {
  const { receipt } = await everything();
  const elsewhere = await makeNetwork(app.db);
  const stranger = await signedIn(app, "admin", elsewhere);
  for (const q of [
    "hale",
    "qu",
    "6175550142",
    "10442",
    "31",
    `${receipt}`,
    "pi_3NxLost",
    "ma-7",
    "q@hale.example",
  ])
    expect([q, await stranger.call(searchEverything, { query: { q } })]).toEqual([q, []]);
});
