import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { pauseAttorney } from "#people/contract.ts";
import {
  editMatter,
  listMyMatters,
  recordMatter,
  referMatter,
  showMatter,
} from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({
  clock: "2026-06-30T16:00:00Z",
  network: { permitsMatterEditing: true },
  attorney: { firstName: "Maya", lastName: "Okafor" },
});

const client = {
  first_name: "  Joaquín ",
  last_name: "D'Angelo",
  phone: "+1 555.010.4477",
  email: " Joaquin@Example.TEST ",
  address_line_1: "12 Main Street",
  address_line_2: "Apt 4",
  address_city: "Harbor",
  address_region: "ny",
  address_zip: "100132413",
};

const record = (body: object) => admin.ask(recordMatter, { body });
const edit = (body: object) => admin.ask(editMatter, { body });

describe("a new referral", () => {
  test("is recorded in US format, as new", async () => {
    const reply = await record({ ...client, contact_preference: "phone", followup_consent: true });
    expect(reply.status).toBe(200);
    expect(reply.object).toMatchObject({
      name: "Joaquín D'Angelo",
      firstName: "Joaquín",
      lastName: "D'Angelo",
      phone: "(555) 010-4477",
      email: "joaquin@example.test",
      addressLine1: "12 Main Street",
      addressLine2: "Apt 4",
      addressCity: "Harbor",
      addressRegion: "NY",
      addressZip: "10013-2413",
      addressDisplay: "12 Main Street\nApt 4\nHarbor, NY 10013-2413",
      contactPreferenceSentence: "Prefers to be contacted by phone.",
      followupConsentSentence: "Agreed to be asked how the referral went.",
      status: "new",
      referredAt: null,
      attorneyId: null,
      attorneyName: null,
      reportDueOn: null,
      permitEditing: true,
    });
  });

  test("needs only a name", async () => {
    const reply = await record({ first_name: "Jane", last_name: "Doe" });
    expect(reply.object).toMatchObject({
      phone: "",
      email: "",
      addressDisplay: "",
      contactPreferenceSentence: "May be contacted by phone or email.",
      followupConsentSentence: "Did not agree to be asked how the referral went.",
    });
  });

  test("with an attorney is referred immediately: the first report is due a period later", async () => {
    const reply = await record({ ...client, attorney_id: attorney.id });
    expect(reply.object).toMatchObject({
      status: "open",
      attorneyId: attorney.id,
      attorneyName: "Maya Okafor",
      reportDueOn: "2026-07-30",
    });
  });

  test.each([
    [
      "phone",
      "12345",
      "Phone must be a US phone number, such as (555) 010-4477 or (555) 010-4477 x12.",
    ],
    ["email", "nobody", "Email must be an email address, such as name@example.org."],
    ["address_region", "XX", "Address region must be a US state, such as NY or New York."],
    ["address_zip", "123456", "Address zip must be a US zip, such as 10013 or 10013-2413."],
    ["first_name", "  ", "Enter a first name."],
    ["contact_preference", "fax", 'Contact preference must be one of "phone", "email", "either".'],
    ["followup_consent", "yes", "Followup consent must be true or false."],
    ["attorney_id", "1", "Attorney id must be the number of a record."],
    ["note", "x".repeat(2001), "Note must have at most 2,000 characters."],
    ["last_name", "x".repeat(201), "Last name must have at most 200 characters."],
  ])("is refused when its %s is %j", async (field, value, message) => {
    const reply = await record({ ...client, [field]: value });
    expect(reply.status).toBe(422);
    expect(reply.errors).toEqual([{ path: field, message }]);
  });

  test("is not recorded at all when its attorney is unknown or another network's (404)", async () => {
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    for (const attorney_id of [stranger.id, 999_999_999])
      expect((await record({ ...client, attorney_id })).status).toBe(404);
    expect((await admin.call(listMatters)).total).toBe(0);
  });

  test("is not recorded when its attorney is on vacation or suspended (409)", async () => {
    await admin.ask(pauseAttorney, {
      body: { attorney_id: attorney.id, paused_until: "2026-07-01" },
    });
    const paused = await record({ ...client, attorney_id: attorney.id });
    expect([paused.status, paused.message]).toEqual([
      409,
      "Maya Okafor is on vacation and receives no new referrals.",
    ]);
    expect((await admin.call(listMatters)).total).toBe(0);
    await admin.ask(pauseAttorney, {
      body: { attorney_id: attorney.id, paused_until: "2026-06-30" }, // today: not paused
    });
    expect((await record({ ...client, attorney_id: attorney.id })).status).toBe(200);
  });
});

describe("referring later", () => {
  const refer = (id: number, attorney_id = attorney.id) =>
    admin.ask(referMatter, { params: { id }, body: { attorney_id } });

  test("opens a new referral, once", async () => {
    const id = await makeMatter(app.db, network);
    expect((await refer(id)).object).toMatchObject({ status: "open", attorneyId: attorney.id });
    const again = await refer(id);
    expect([again.status, again.message]).toEqual([
      409,
      "This referral has already been assigned. Reload the page to see it.",
    ]);
  });

  test("twice at the same time refers it to one of the two", async () => {
    const id = await makeMatter(app.db, network);
    const other = await makeAttorney(app.db, network);
    const referNew = (attorney_id: number) =>
      admin.ask(referMatter, { params: { id }, body: { attorney_id, from_attorney_id: null } });
    const replies = await Promise.all([referNew(attorney.id), referNew(other.id)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = replies.find(({ status }) => status === 200)?.object?.attorneyId;
    expect((await admin.call(showMatter, { params: { id } })).attorneyId).toBe(winner);
  });
});

describe("the attorney to whom a client is referred", () => {
  const refer = (id: number, attorney_id = attorney.id) =>
    admin.ask(referMatter, { params: { id }, body: { attorney_id } });
  const mails = () =>
    app.db
      .selectFrom("mails")
      .select(["recipient", "subject", "body", "pagePath"])
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();

  test("is emailed a link, and nothing about the client", async () => {
    const { object } = await record({
      ...client,
      note: "Arrested on Friday.",
      attorney_id: attorney.id,
    });
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toEqual({
      recipient: attorney.email,
      subject: "A client has been referred to you",
      body: `Dear Maya,

${network.name} has referred a client to you. Your first status report on this referral is due on 07/30/2026.

See the client's contact details and file reports here:`,
      pagePath: `/dashboard/referrals?referral=${object?.id}`,
    });
    const told = JSON.stringify(mail);
    for (const secret of ["Joaquín", "D'Angelo", "010-4477", "Arrested"])
      expect(told).not.toContain(secret);
  });

  test("is emailed once when it is referred later, however many requests arrive together", async () => {
    const id = await makeMatter(app.db, network);
    await Promise.all(Array.from({ length: 5 }, () => refer(id)));
    await refer(id);
    expect((await mails()).map(({ recipient }) => recipient)).toEqual([attorney.email]);
  });

  test("is emailed for each of several referrals", async () => {
    for (let number = 0; number < 3; number += 1)
      await record({ ...client, attorney_id: attorney.id });
    expect(await mails()).toHaveLength(3);
  });

  test("is not emailed about a refused referral, and nobody is about an unreferred one", async () => {
    await record(client);
    await admin.ask(pauseAttorney, {
      body: { attorney_id: attorney.id, paused_until: "2026-07-01" },
    });
    expect((await record({ ...client, attorney_id: attorney.id })).status).toBe(409);
    expect((await refer(await makeMatter(app.db, network))).status).toBe(409);
    expect(await mails()).toEqual([]);
  });
});

describe("editing contact details", () => {
  test("changes the given fields only, in US format", async () => {
    const id = await makeMatter(app.db, network, { attorney });
    const reply = await edit({ matter_id: id, last_name: "Roe", phone: "5550104478 ext. 12" });
    expect(reply.object).toMatchObject({
      name: "Jane Roe",
      phone: "(555) 010-4478 x12",
      email: "jane@example.test",
      addressZip: "10013",
      status: "open",
    });
    const emptied = await edit({ matter_id: id, phone: "", email: "", address_line_2: "" });
    expect(emptied.object).toMatchObject({ phone: "", email: "", addressLine2: "" });
  });

  test.each([
    ["phone", "abc"],
    ["email", "jane@"],
    ["address_region", "Ontario"],
    ["address_zip", "ABCDE"],
    ["first_name", ""],
    ["contact_preference", "email"],
    ["status", "closed"],
    ["attorney_id", 1],
  ])("is refused for %s %j", async (field, value) => {
    const id = await makeMatter(app.db, network);
    const reply = await edit({ matter_id: id, [field]: value });
    expect([reply.status, reply.errors[0]?.path]).toEqual([422, field]);
  });

  test("without a change is refused", async () => {
    expect((await edit({ matter_id: await makeMatter(app.db, network) })).status).toBe(422);
  });

  test("is 403 in a network that does not permit it, but 404 for an unknown referral and 422 before both", async () => {
    const strict = await makeNetwork(app.db, { permitsMatterEditing: false });
    const strictAdmin = await signedIn(app, "admin", strict);
    const id = await makeMatter(app.db, strict);
    const statusOf = async (body: object) => (await strictAdmin.ask(editMatter, { body })).status;
    expect(await statusOf({ matter_id: id, first_name: "Joan" })).toBe(403);
    expect(await statusOf({ matter_id: 999_999_999, first_name: "Joan" })).toBe(404);
    expect(await statusOf({ matter_id: await makeMatter(app.db, network), first_name: "J" })).toBe(
      404,
    );
    expect(await statusOf({ matter_id: id, phone: "abc" })).toBe(422);
    const matter = await strictAdmin.call(showMatter, { params: { id } });
    expect(matter).toMatchObject({ firstName: "Jane", permitEditing: false });
  });

  test("records who changed what, before and after, and nothing if nothing changed", async () => {
    const id = await makeMatter(app.db, network);
    await edit({ matter_id: id, first_name: "Joan", last_name: "Doe", phone: "555-010-4477" });
    await edit({ matter_id: id, first_name: "Joan" });
    const query = { record_type: "matter", record_id: id };
    expect((await admin.call(listActivity, { query })).items).toMatchObject([
      {
        who: "Ada Min",
        action: "changed contact details",
        before: { firstName: "Jane" },
        after: { firstName: "Joan" },
      },
    ]);
  });
});

describe("the list of referrals", () => {
  const found = async (query: object) => {
    const page = await admin.call(listMatters, { query: { ...query } });
    return page.items.map(({ lastName }) => lastName);
  };

  beforeEach(async () => {
    await makeMatter(app.db, network, { lastName: "Abbott" });
    await makeMatter(app.db, network, { lastName: "Baker", attorney });
    await makeMatter(app.db, network, { lastName: "Çelik_100%", attorney });
    await makeMatter(app.db, await makeNetwork(app.db), { lastName: "Stranger" });
  });

  test("is newest first, in pages", async () => {
    expect(await found({})).toEqual(["Çelik_100%", "Baker", "Abbott"]);
    const page = await admin.call(listMatters, { query: { page: 2, per_page: 2 } });
    expect(page).toMatchObject({ total: 3, page: 2, perPage: 2, items: [{ lastName: "Abbott" }] });
  });

  test("is filtered by status and by attorney", async () => {
    expect(await found({ status: "new" })).toEqual(["Abbott"]);
    expect(await found({ status: "closed" })).toEqual([]);
    expect(await found({ attorney_id: attorney.id })).toEqual(["Çelik_100%", "Baker"]);
  });

  test("with overdue reports is most overdue first, as of the network's day", async () => {
    await makeMatter(app.db, network, { attorney, lastName: "Yesterday", dueOn: "2026-06-29" });
    await makeMatter(app.db, network, { attorney, lastName: "Long ago", dueOn: "2026-05-20" });
    await makeMatter(app.db, network, { attorney, lastName: "Today", dueOn: "2026-06-30" });
    expect(await found({ report: "overdue" })).toEqual(["Long ago", "Yesterday"]);
    expect(await found({ report: "overdue", search: "jane" })).toEqual(["Long ago", "Yesterday"]);
    expect(await found({ report: "overdue", per_page: 1, page: 2 })).toEqual(["Yesterday"]);
    expect(await found({ report: "overdue", status: "closed" })).toEqual([]);
    expect((await admin.ask(listMatters, { query: { report: "late" } })).status).toBe(422);
  });

  test.each([
    ["baker", ["Baker"]],
    ["JANE bak", ["Baker"]],
    ["ÇELIK", ["Çelik_100%"]],
    ["jane@example.test abb", ["Abbott"]],
    ["(555) 010-4477", ["Çelik_100%", "Baker", "Abbott"]],
    ["555.010.4477", ["Çelik_100%", "Baker", "Abbott"]],
    ["4477", ["Çelik_100%", "Baker", "Abbott"]],
    ["555-010", ["Çelik_100%", "Baker", "Abbott"]],
    ["jane 010.4477", ["Çelik_100%", "Baker", "Abbott"]],
    ["()", []],
    ["0%", ["Çelik_100%"]],
    ["_", ["Çelik_100%"]],
    ["\\", []],
    ["stranger", []],
    ["ab ab", ["Abbott"]],
  ])("finds %j", async (search, names) => {
    expect(await found({ search })).toEqual(names);
  });
});

describe("an attorney", () => {
  test("sees only their own open referrals, most overdue first", async () => {
    const lawyer = await signedIn(app, attorney, network);
    const colleague = await makeAttorney(app.db, network);
    await makeMatter(app.db, network, { attorney, dueOn: "2026-07-30", lastName: "Later" });
    await makeMatter(app.db, network, { attorney, dueOn: "2026-05-30", lastName: "Overdue" });
    await makeMatter(app.db, network, { attorney: colleague, lastName: "Colleague's" });
    await makeMatter(app.db, network, { lastName: "Nobody's" });
    const mine = await lawyer.call(listMyMatters);
    expect(mine.map(({ lastName }) => lastName)).toEqual(["Overdue", "Later"]);
    expect(mine.every(({ permitEditing }) => !permitEditing)).toBe(true);
  });
});
