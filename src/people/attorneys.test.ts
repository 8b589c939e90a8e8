import { listAttorneys } from "#panel/contract.ts";
import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import * as contract from "#people/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

const test = appTest({ network: { timeZone: "America/New_York" } });
beforeEach(async () => {
  app.setClock("2026-05-10T16:00:00Z");
});

const person = { first_name: "Ada", last_name: "Lovelace", email: "ada@example.test" };

const add = (changes: Record<string, unknown> = {}) =>
  admin.ask(contract.addAttorney, { body: { ...person, email: anEmail(), ...changes } });

const edit = (id: number, body: Record<string, unknown>) =>
  admin.ask(contract.editAttorney, { params: { id }, body });

let count = 0;
const anEmail = () => `someone-${(count += 1)}@example.test`;

describe("adding an attorney", () => {
  test("answers the whole record", async () => {
    await makePlan(app.db, network);
    const { status, object } = await add({
      email: " Ada.Lovelace@Example.test ",
      phone: "+1 (555) 010-0100",
      bar_number: "B-1",
      address_line_1: "1 Main St",
      address_line_2: "Suite 2",
      address_city: "Albany",
      address_region: "NY",
      address_zip: "12207",
    });
    expect(status).toBe(200);
    expect(object).toEqual({
      id: expect.any(Number),
      name: "Ada Lovelace",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada.lovelace@example.test",
      emailRefusal: null,
      phone: "(555) 010-0100",
      barNumber: "B-1",
      firm: null,
      addressLine1: "1 Main St",
      addressLine2: "Suite 2",
      addressCity: "Albany",
      addressRegion: "NY",
      addressZip: "12207",
      pausedUntil: null,
      paused: false,
      suspended: false,
      leftOn: null,
      leftReason: "",
      suspendedAt: null,
      suspensionReason: null,
      account: "none",
      pendingEmail: null,
      balance: "0.00",
      credit: "0.00",
      hasHadCredit: false,
      hasSecondFactor: false,
      referrals: { open: 0, overdue: 0, mustFile: 0, late: [] },
      subscriptions: [expect.objectContaining({ name: "Panel dues" })],
      subscriptionInstances: [],
      outstandingPayments: [],
      debits: [],
      onlinePayments: [],
      reversedOnlinePayments: [],
      checkPayments: [],
      creditPayments: [],
    });
  });

  test("with another attorney's email or bar number is 409, and names the field", async () => {
    await add({ email: "taken@example.test", bar_number: "B-7" });
    expect(await add({ email: "TAKEN@example.test" })).toMatchObject({
      status: 409,
      errors: [{ path: "email" }],
    });
    expect(await add({ bar_number: "B-7" })).toMatchObject({
      status: 409,
      errors: [{ path: "bar_number" }],
    });
    // 404 comes before 409.
    const nowhere = { email: "taken@example.test", firm_id: 999_999 };
    expect(await add(nowhere)).toMatchObject({ status: 404, message: "There is no such firm." });
    expect((await add({ bar_number: "" })).status).toBe(200);
    expect((await add({ bar_number: "" })).status).toBe(200); // an empty number is never taken
  });

  test("may be on another network's panel too", async () => {
    const other = await makeNetwork(app.db);
    await makeAttorney(app.db, other, { email: "both@example.test", barNumber: "B-9" });
    expect((await add({ email: "both@example.test", bar_number: "B-9" })).status).toBe(200);
  });

  test("several times simultaneously with one email adds one", async () => {
    const replies = await Promise.all([1, 2, 3].map(() => add({ email: "once@example.test" })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(2);
  });

  test.each([
    ["first_name", "", 422],
    ["first_name", "x".repeat(200), 200],
    ["first_name", "x".repeat(201), 422],
    ["last_name", "O'Neil-Ødegård 日本", 200],
    ["last_name", "a\nb", 422],
    ["last_name", undefined, 422],
    ["email", "not an email", 422],
    ["email", "a@b", 422],
    ["email", "", 422],
    ["email", `${"a".repeat(190)}@example.test`, 422],
    ["email", undefined, 422],
    ["first_name", "\u200b\u202e", 422],
    ["last_name", "\u0301", 422],
    ["phone", "", 200],
    ["phone", "555-0100", 422],
    ["phone", "call me", 422],
    ["phone", "1".repeat(51), 422],
    ["phone", "555.010.4477 ext. 12", 200],
    ["bar_number", "x".repeat(51), 422],
    ["address_line_1", "x".repeat(201), 422],
    ["address_line_2", "NUL\u0000", 422],
    ["address_city", null, 422],
    ["address_region", "", 200],
    ["address_region", "ny", 200],
    ["address_region", "Ontario", 422],
    ["address_region", "XX", 422],
    ["address_zip", "", 200],
    ["address_zip", "10013-2413", 200],
    ["address_zip", "1001", 422],
    ["address_zip", "x".repeat(21), 422],
  ])("with %s %j is answered %i", async (field, value, status) => {
    const reply = await add({ [field]: value });
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? [field] : []);
  });
});

describe("changing an attorney's details", () => {
  let attorney: MadeAttorney;
  beforeEach(async () => {
    attorney = await makeAttorney(app.db, network);
  });

  test("leaves absent fields as they are, and clears empty ones", async () => {
    await edit(attorney.id, { phone: "5550104477", address_city: "Albany" });
    const { object } = await edit(attorney.id, { address_city: "" });
    expect(object).toMatchObject({ firstName: "Grace", phone: "(555) 010-4477", addressCity: "" });
  });

  test("is refused in the same words as a referral, for each field", async () => {
    const { errors } = await edit(attorney.id, {
      phone: "call me",
      address_region: "Ontario",
      address_zip: "1001",
    });
    expect(errors).toEqual([
      {
        path: "phone",
        message: "Phone must be a US phone number, such as (555) 010-4477 or (555) 010-4477 x12.",
      },
      {
        path: "address_region",
        message: "Address region must be a US state, such as NY or New York.",
      },
      {
        path: "address_zip",
        message:
          "Address zip must be a US zip, such as 10013 or 10013-2413. Excel may have dropped the zero: 01001?",
      },
    ]);
  });

  test("accepts phone, state, zip and email address in common formats", async () => {
    const { object } = await edit(attorney.id, {
      phone: "tel:+1\u2011608\u2011555\u20110100, ext. 11",
      address_region: "n.y.",
      address_zip: "10013\u20132413",
      email: "O&Leary/2@Example.org\u200b",
    });
    expect(object).toMatchObject({
      phone: "(608) 555-0100 x11",
      addressRegion: "NY",
      addressZip: "10013-2413",
      email: "o&leary/2@example.org",
    });
  });

  test("keeps old values that would be refused today while other fields change", async () => {
    await sql`update attorneys set first_name = ${"\u200b"}, phone = '555', address_region = 'New York',
      address_zip = 'n/a' where id = ${attorney.id}`.execute(app.db);
    const { status, object } = await edit(attorney.id, { bar_number: "NY-1" });
    expect(status).toBe(200);
    expect(object).toMatchObject({ phone: "555", addressRegion: "New York", addressZip: "n/a" });
  });

  test("of nothing is 422", async () => {
    expect((await edit(attorney.id, {})).status).toBe(422);
  });

  test("changes the sign-in account too", async () => {
    const account = await makeAccount(app.db, network, attorney);
    await edit(attorney.id, { first_name: "Maria", email: "maria@example.test" });
    const user = await app.db
      .selectFrom("users")
      .select(["name", "email"])
      .where("id", "=", account.userId)
      .executeTakeFirst();
    expect(user).toEqual({ name: `Maria ${attorney.lastName}`, email: "maria@example.test" });
  });

  test("is refused the email of another attorney or of any account anywhere", async () => {
    await makeAccount(app.db, network, attorney);
    const colleague = await makeAttorney(app.db, network);
    const other = await makeNetwork(app.db);
    for (const email of [colleague.email, other.admin.email, network.admin.email])
      expect(await edit(attorney.id, { email })).toMatchObject({
        status: 409,
        errors: [{ path: "email" }],
      });
    const { object } = await admin.ask(contract.showAttorney, { params: { id: attorney.id } });
    expect(object.email).toBe(attorney.email);
  });

  test("to the same email is no conflict", async () => {
    expect((await edit(attorney.id, { email: attorney.email })).status).toBe(200);
  });
});

describe("vacation", () => {
  let attorney: MadeAttorney;
  beforeEach(async () => {
    attorney = await makeAttorney(app.db, network);
  });
  const pause = (paused_until: unknown) =>
    admin.ask(contract.pauseAttorney, { body: { attorney_id: attorney.id, paused_until } });

  test.each([
    ["2026-05-11", 200, true],
    ["2199-12-31", 200, true],
    ["2026-05-10", 200, false], // today is accepted and means not paused
    ["2026-05-09", 422, false],
    ["off", 200, false],
  ])("until %s is answered %i, paused: %s", async (until, status, paused) => {
    const reply = await pause(until);
    expect(reply.status).toBe(status);
    const { object } = await admin.ask(contract.showAttorney, { params: { id: attorney.id } });
    expect([object.paused, object.pausedUntil]).toEqual([
      paused,
      status === 422 || until === "off" ? null : until,
    ]);
  });

  test("ends automatically at the network's midnight, in the record and in the list", async () => {
    await pause("2026-05-11");
    const isPaused = async () => {
      const { object } = await admin.ask(contract.showAttorney, { params: { id: attorney.id } });
      const list = await admin.ask(listAttorneys, { query: { status: "paused" } });
      expect(list.object.total === 1).toBe(object.paused);
      return object.paused;
    };
    app.setClock("2026-05-11T03:59:59Z");
    expect(await isPaused()).toBe(true);
    app.setClock("2026-05-11T04:00:00Z");
    expect(await isPaused()).toBe(false);
  });

  test("ends with off, which can be repeated", async () => {
    await pause("2026-06-01");
    expect((await pause("off")).object).toMatchObject({ paused: false, pausedUntil: null });
    expect((await pause("off")).status).toBe(200);
  });

  test.each(["tomorrow", "", "OFF", "05/11/2026", "2026-02-30", null, 5, undefined])(
    "until %j is 422",
    async (until) => {
      expect(await pause(until)).toMatchObject({
        status: 422,
        errors: [{ path: "paused_until" }],
      });
    },
  );
});

describe("the panel", () => {
  const list = async (query: Record<string, unknown> = {}) =>
    (await admin.ask(listAttorneys, { query })).object;
  const namesOf = async (query: Record<string, unknown>) =>
    (await list(query)).items.map(({ name }) => name);

  beforeEach(async () => {
    const people = [
      ["Zoë", "Abel"],
      ["ada", "lovelace"],
      ["Grace", "Hopper"],
      ["Barbara", "Hopper"],
      ["Edith", "O'Clarke"],
    ];
    for (const [firstName, lastName] of people)
      await makeAttorney(app.db, network, { firstName, lastName, email: anEmail() });
  });

  test("is sorted by last name, then first, in any case, and shows balances", async () => {
    const { id } = await makeAttorney(app.db, network, { firstName: "Max", lastName: "Zz" });
    const owner = { id, networkId: network.id, firstName: "Max", lastName: "Zz", email: "" };
    await makeDebit(app.db, network, owner, { amountCents: 12_345 });
    const { items, total } = await list();
    expect(total).toBe(6);
    expect(items.map(({ name, balance }) => [name, balance])).toEqual([
      ["Zoë Abel", "0.00"],
      ["Barbara Hopper", "0.00"],
      ["Grace Hopper", "0.00"],
      ["ada lovelace", "0.00"],
      ["Edith O'Clarke", "0.00"],
      ["Max Zz", "123.45"],
    ]);
    expect(items[0]).toEqual({
      id: expect.any(Number),
      name: "Zoë Abel",
      email: expect.stringContaining("@"),
      phone: "",
      pausedUntil: null,
      paused: false,
      suspended: false,
      leftOn: null,
      firm: null,
      balance: "0.00",
      overdue: "0.00",
      overdueSince: null,
      lastSignedInAt: null,
    });
  });

  test.each([
    ["hopper", ["Barbara Hopper", "Grace Hopper"]],
    ["HOP gra", ["Grace Hopper"]],
    ["o'clarke", ["Edith O'Clarke"]],
    ["zoë", ["Zoë Abel"]],
    ["  ada  ", ["ada lovelace"]],
    ["nobody", []],
    ["hopper ada", []],
  ])("searched for %j is %j", async (search, names) => {
    expect(await namesOf({ search })).toEqual(names);
  });

  test("is searched by email, phone and bar number too", async () => {
    await add({
      last_name: "Byron",
      email: "byron@sea.test",
      phone: "(555) 010-7700",
      bar_number: "NY-42",
    });
    for (const search of ["byron@sea", "010-7700", "ny-42"])
      expect(await namesOf({ search })).toEqual(["Ada Byron"]);
  });

  describe("searched for a phone number", () => {
    beforeEach(async () => {
      await add({ last_name: "Byron", phone: "(617) 555-0134" });
      await add({ last_name: "King", phone: "+1 617.555.0177 ext. 12" });
    });

    test.each([
      ["(617) 555-0134", ["Ada Byron"]],
      ["617-555-0134", ["Ada Byron"]],
      ["617.555.0134", ["Ada Byron"]],
      ["617/555/0134", ["Ada Byron"]],
      ["617 \u2013 555 \u2013 0134", ["Ada Byron"]],
      ["6175550134", ["Ada Byron"]],
      ["+1 (617) 555-0134", ["Ada Byron"]],
      ["1-617-555-0134", ["Ada Byron"]],
      ["16175550134", ["Ada Byron"]],
      ["617 555 0134 ext. 9", ["Ada Byron"]],
      ["(617)5550177", ["Ada King"]],
      ["617 555-0177 x12", ["Ada King"]],
      ["555.0134", ["Ada Byron"]],
      ["617-555", ["Ada Byron", "Ada King"]],
      ["+1 617", ["Ada Byron", "Ada King"]],
      ["ada 555.0134", ["Ada Byron"]],
      ["king 617-555-0134", []],
      ["0134 617", ["Ada Byron"]],
      ["617-555-9999", []],
      ["99-99", []],
      ["(5", []], // too few digits for a phone number: searched as typed
      ["()", []],
      ["+", []], // no digits must not match every number
    ])("written %j it finds %j", async (search, names) => {
      const found = await list({ search });
      expect(found.items.map(({ name }) => name)).toEqual(names);
      expect(found.total).toBe(names.length);
    });
  });

  test("has pages that neither repeat nor leave out attorneys", async () => {
    const pages = [1, 2, 3, 4].map((page) => list({ page, per_page: 2 }));
    const items = (await Promise.all(pages)).map((page) => page.items.map(({ name }) => name));
    expect(items.map((page) => page.length)).toEqual([2, 2, 1, 0]);
    expect(new Set(items.flat()).size).toBe(5);
    expect(await list({ page: 3, per_page: 2 })).toMatchObject({ total: 5, page: 3, perPage: 2 });
    const found = { search: "o", per_page: 2 };
    expect(await namesOf({ ...found, page: 1 })).toEqual(["Zoë Abel", "Barbara Hopper"]);
    expect(await namesOf({ ...found, page: 3 })).toEqual(["Edith O'Clarke"]);
    expect(await list({ ...found, page: 4 })).toMatchObject({ items: [], total: 5 });
  });

  test("is filtered by status: each attorney is active, paused, suspended, or both of these", async () => {
    const { rows } = await sql<{ id: number }>`
      select id from attorneys where network_id = ${network.id} order by id`.execute(app.db);
    const [paused, suspended, both] = rows.map(({ id }) => id);
    await sql`update attorneys set paused_until = '2026-06-01' where id in (${paused}, ${both})`.execute(
      app.db,
    );
    await sql`update attorneys set suspended_at = now(), suspension_reason = 'A report is overdue.'
      where id in (${suspended}, ${both})`.execute(app.db);
    const idsOf = async (status: string) => (await list({ status })).items.map(({ id }) => id);
    expect(new Set(await idsOf("paused"))).toEqual(new Set([paused, both]));
    expect(new Set(await idsOf("suspended"))).toEqual(new Set([suspended, both]));
    expect(await idsOf("active")).toHaveLength(2);
    expect(await list({ status: "paused", search: "zoë" })).toMatchObject({ total: 1 });
  });
});

describe("an attorney's record", () => {
  test("can be read by the attorney, without the network's plans", async () => {
    await makePlan(app.db, network);
    const attorney = await makeAttorney(app.db, network);
    const lawyer = await signedIn(app, attorney, network);
    const { object } = await lawyer.ask(contract.showAttorney, { params: { id: attorney.id } });
    expect(object).toMatchObject({ id: attorney.id, subscriptions: [] });
  });

  test("offers plans that are not archived, newest first", async () => {
    const [old, gone, fresh] = [
      await makePlan(app.db, network),
      await makePlan(app.db, network),
      await makePlan(app.db, network),
    ];
    await sql`update plans set archived_at = now() where id = ${gone.id}`.execute(app.db);
    const attorney = await makeAttorney(app.db, network);
    const { object } = await admin.ask(contract.showAttorney, { params: { id: attorney.id } });
    expect(object.subscriptions.map(({ id }) => id)).toEqual([fresh.id, old.id]);
  });

  test("holds the newest thousand debits, and the balance of all", async () => {
    const attorney = await makeAttorney(app.db, network);
    const debit = await makeDebit(app.db, network, attorney, { amountCents: 100 });
    await sql`insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents,
        income_account)
      select network_id, attorney_id, enrolment_id, k, due_on + k, amount_cents, amount_cents, income_account
      from debits cross join generate_series(1, 1004) as k where id = ${debit}`.execute(app.db);
    const { object } = await admin.ask(contract.showAttorney, { params: { id: attorney.id } });
    expect(object.debits).toHaveLength(1000);
    expect(object.balance).toBe("1005.00");
    expect(object.debits.map(({ id }) => id)).not.toContain(debit); // the oldest are in the exports
    const dueDates = object.debits.map(({ dueDate }) => dueDate);
    expect(dueDates).toEqual(dueDates.toSorted());
  });
});
