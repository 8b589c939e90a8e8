import { sql } from "kysely";
import { expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { pauseAttorney, showAttorney } from "#people/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import {
  closeMatter,
  fileReport,
  listCandidates,
  listMyMatters,
  listReferrals,
  listReports,
  listSameClient,
  recordMatter,
  referMatter,
  showMatter,
  withdrawMatter,
} from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { withdrawMatter as withdrawWithin } from "#referrals/matters/referrals.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({
  clock: "2026-06-30T16:00:00Z",
  network: {},
  attorney: { firstName: "Maya", lastName: "Okafor" },
  lawyer: true,
});

const refer = (id: number, body: object) => admin.ask(referMatter, { params: { id }, body });
const withdraw = (id: number, reason = "The client moved away.") =>
  admin.ask(withdrawMatter, { params: { id }, body: { reason } });
const ben = async () =>
  await makeAttorney(app.db, network, { firstName: "Ben", lastName: "Adler" });
const historyOf = async (id: number) =>
  (await admin.call(listReferrals, { params: { id } })).map(
    ({ attorneyName, ended, endedAt, reason }) => [
      attorneyName,
      ended,
      endedAt === null ? "has it" : "ended",
      reason,
    ],
  );
const mails = () =>
  app.db
    .selectFrom("mails")
    .select(["recipient", "subject"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();

test("a reassigned referral is only the new attorney's, and the first owes no report on it", async () => {
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  const other = await ben();
  const id = await makeMatter(app.db, network, { attorney, dueOn: "2026-06-01" });
  await lawyer.call(fileReport, {
    params: { id },
    body: { outcome: "consulted", note: "Met her." },
  });
  await app.db
    .updateTable("matters")
    .set({ reportDueOn: "2026-01-01" })
    .where("networkId", "=", network.id)
    .where("id", "=", id)
    .execute();
  // The first attorney's overdue report no longer counts.
  const suspended = await refer(await makeMatter(app.db, network), { attorney_id: attorney.id });
  expect(suspended.message).toBe("Maya Okafor is suspended and receives no new referrals.");

  const reply = await refer(id, { attorney_id: other.id, reason: "Conflict of interest." });
  expect(reply.object).toMatchObject({
    status: "open",
    attorneyName: "Ben Adler",
    reportDueOn: "2026-07-30",
  });
  expect((await admin.call(showAttorney, { params: { id: attorney.id } })).suspended).toBe(false);
  expect(await lawyer.call(listMyMatters)).toEqual([]);
  expect((await lawyer.ask(listReports, { params: { id } })).status).toBe(404);
  expect(
    (await lawyer.ask(fileReport, { params: { id }, body: { outcome: "closed" } })).status,
  ).toBe(404);
  const next = await signedIn(app, other, network);
  expect(await next.call(listReports, { params: { id } }), "not the first attorney's").toEqual([]);
  expect(await admin.call(listReports, { params: { id } })).toHaveLength(1);
  expect(await historyOf(id)).toEqual([
    ["Ben Adler", null, "has it", ""],
    ["Maya Okafor", "reassigned", "ended", "Conflict of interest."],
  ]);
  expect(await mails()).toEqual(
    expect.arrayContaining([
      { recipient: other.email, subject: "A client has been referred to you" },
      { recipient: attorney.email, subject: "A referral was reassigned" },
    ]),
  );

  // And back: emailed again, and every step is in the history.
  await refer(id, { attorney_id: attorney.id });
  expect((await mails()).filter(({ recipient }) => recipient === other.email)).toHaveLength(2);
  expect((await historyOf(id)).map(([name]) => name)).toEqual([
    "Maya Okafor",
    "Ben Adler",
    "Maya Okafor",
  ]);
  const { items } = await admin.call(listActivity, {
    query: { record_type: "matter", record_id: id },
  });
  expect(items.filter(({ action }) => action === "reassigned")).toHaveLength(2);
  // Each attorney's history covers the time they had it.
  const actionsOf = async (attorneyId: number) =>
    (await admin.call(listActivity, { query: { attorney_id: attorneyId } })).items
      .filter(({ recordType, recordId }) => recordType === "matter" && recordId === id)
      .map(({ action }) => action);
  expect(await actionsOf(attorney.id)).toEqual(["reassigned", "reassigned", "filed report"]);
  expect(await actionsOf(other.id)).toEqual(["reassigned", "reassigned"]);
});

test("a referral never ends before it began, even in a transaction that began earlier", async () => {
  const id = await app.db.transaction().execute(async (tx) => {
    await sql`select now()`.execute(tx);
    const client = { first_name: "Jane", last_name: "Doe", attorney_id: attorney.id };
    const { id } = await admin.call(recordMatter, { body: client });
    const wanted = { reason: "By mistake." };
    await withdrawWithin(tx, network.admin, {
      matterId: id,
      wanted,
      today: plainDate("2026-06-30"),
    });
    return id;
  });
  const [ended] = await admin.call(listReferrals, { params: { id } });
  expect(ended?.endedAt).toBe(ended?.referredAt);
});

test("a withdrawn referral is new again, and its attorney is emailed", async () => {
  const id = await makeMatter(app.db, network, { attorney });
  const withoutReason = await withdraw(id, " ");
  expect([withoutReason.status, withoutReason.message]).toEqual([422, "Enter a reason."]);
  expect((await withdraw(id)).object).toMatchObject({
    status: "new",
    attorneyId: null,
    referredAt: null,
    reportDueOn: null,
  });
  expect(await historyOf(id)).toEqual([
    ["Maya Okafor", "withdrawn", "ended", "The client moved away."],
  ]);
  expect(await mails()).toEqual([
    { recipient: attorney.email, subject: "A referral was withdrawn" },
  ]);
  const again = await withdraw(id);
  expect([again.status, again.message]).toEqual([
    409,
    "This referral is new: there is nothing to withdraw.",
  ]);
  expect((await refer(id, { attorney_id: attorney.id })).status, "and can be referred").toBe(200);
  expect((await historyOf(id)).map(([, ended]) => ended)).toEqual([null, "withdrawn"]);
});

test("a withdrawal is refused if the referral is not the expected attorney's", async () => {
  const other = await ben();
  const id = await makeMatter(app.db, network, { attorney });
  await refer(id, { attorney_id: other.id });
  const from = (attorneyId: number) =>
    admin.ask(withdrawMatter, {
      params: { id },
      body: { reason: "The client moved away.", from_attorney_id: attorneyId },
    });
  const unknown = { attorney_id: 999_999, from_attorney_id: attorney.id };
  expect((await admin.ask(referMatter, { params: { id }, body: unknown })).status).toBe(404);
  const late = await from(attorney.id);
  expect([late.status, late.message]).toEqual([
    409,
    "This referral has already been assigned. Reload the page to see it.",
  ]);
  expect((await from(other.id)).status).toBe(200);
});

test("a referral without an attorney is closed, and stays closed", async () => {
  const close = (id: number, reason = "The client settled.") =>
    admin.ask(closeMatter, { params: { id }, body: { reason } });
  const id = await makeMatter(app.db, network, { attorney });
  const early = await close(id);
  expect([early.status, early.message]).toEqual([
    409,
    "An attorney has this referral. Withdraw it before you close it.",
  ]);
  await withdraw(id);
  expect((await close(id, "")).status).toBe(422);
  expect((await close(id)).object).toMatchObject({
    status: "closed",
    attorneyId: null,
    referredAt: null,
    reportDueOn: null,
  });
  expect((await close(await makeMatter(app.db, network))).status, "one never referred").toBe(200);
  const again = [await close(id), await refer(id, { attorney_id: attorney.id })];
  expect(again.map(({ message }) => message)).toEqual([
    "This referral is already closed.",
    "This referral is closed and cannot be referred.",
  ]);
  expect((await admin.call(listMatters, { query: { status: "new" } })).total).toBe(0);
  expect((await historyOf(id)).map(([, ended]) => ended)).toEqual(["withdrawn"]);
  const { items } = await admin.call(listActivity, {
    query: { record_type: "matter", record_id: id },
  });
  expect(items[0]).toMatchObject({
    action: "closed referral",
    after: { status: "closed", reason: "The client settled." },
  });
});

test("refusals change nothing: closed referrals, attorneys who may not receive them, concurrent changes", async () => {
  const other = await ben();
  const closed = await makeMatter(app.db, network, { attorney });
  await lawyer.call(fileReport, { params: { id: closed }, body: { outcome: "closed" } });
  const open = await makeMatter(app.db, network, { attorney });
  await admin.call(pauseAttorney, {
    body: { attorney_id: other.id, paused_until: "2026-08-01" },
  });
  const third = await makeAttorney(app.db, network);
  const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
  const replies = [
    await refer(closed, { attorney_id: third.id }),
    await withdraw(closed),
    await refer(open, { attorney_id: other.id }),
    await refer(open, { attorney_id: attorney.id }),
    await refer(open, { attorney_id: third.id, from_attorney_id: null }),
    await refer(open, { attorney_id: stranger.id }),
  ];
  expect(replies.map(({ status, message }) => [status, message])).toEqual([
    [409, "This referral is closed and cannot be referred."],
    [409, "This referral is closed: there is nothing to withdraw."],
    [409, "Ben Adler is on vacation and receives no new referrals."],
    [409, "This referral has already been assigned. Reload the page to see it."],
    [409, "This referral has already been assigned. Reload the page to see it."],
    [404, "There is no such attorney."],
  ]);
  expect((await admin.call(showMatter, { params: { id: open } })).attorneyId).toBe(attorney.id);
  expect(await historyOf(open)).toEqual([["Maya Okafor", null, "has it", ""]]);
  expect(await historyOf(closed)).toEqual([["Maya Okafor", "closed", "ended", ""]]);
});

test("two matters can swap attorneys at the same time", async () => {
  const other = await ben();
  const [hers, his] = [
    await makeMatter(app.db, network, { attorney }),
    await makeMatter(app.db, network, { attorney: other }),
  ];
  const replies = await Promise.all([
    refer(hers, { attorney_id: other.id }),
    refer(his, { attorney_id: attorney.id }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
});

test("attorneys who may receive a referral are listed longest wait first", async () => {
  const [never, lately, away, departed] = [
    await makeAttorney(app.db, network, {
      firstName: "Zoe",
      lastName: "Young",
      addressCity: "Salem",
    }),
    await ben(),
    await makeAttorney(app.db, network, { pausedUntil: "2026-08-01" }),
    await makeAttorney(app.db, network, { leftOn: "2026-06-01" }),
  ];
  await makeAttorney(app.db, network, {
    suspendedAt: "2026-06-01T00:00:00Z",
    suspensionReason: "Late.",
  });
  const at = (attorneyId: number, referredAt: string) => ({
    networkId: network.id,
    firstName: "Jane",
    lastName: "Doe",
    attorneyId,
    status: "open" as const,
    referredAt,
    reportDueOn: "2026-08-01",
  });
  await app.db
    .insertInto("matters")
    .values([
      at(attorney.id, "2026-05-01T16:00:00Z"),
      at(attorney.id, "2026-04-01T16:00:00Z"),
      at(lately.id, "2026-06-20T02:00:00Z"),
    ])
    .execute();
  const offered = await admin.call(listCandidates);
  expect(offered.total).toBe(3);
  expect(
    offered.items.map(({ name, city, openReferrals, lastReferredOn }) => [
      name,
      city,
      openReferrals,
      lastReferredOn,
    ]),
  ).toEqual([
    ["Zoe Young", "Salem", 0, null],
    ["Maya Okafor", "", 2, "2026-05-01"],
    ["Ben Adler", "", 1, "2026-06-19"], // still the evening before in New York
  ]);
  const found = await admin.call(listCandidates, { query: { search: "ADLER" } });
  expect(found.items.map(({ id }) => id)).toEqual([lately.id]);
  const second = await admin.call(listCandidates, { query: { page: 2, per_page: 1 } });
  expect([second.total, second.items[0]?.id]).toEqual([3, attorney.id]);
  expect([never.id, away.id, departed.id]).toHaveLength(3);
});

test("the same client is found by name or phone, however written", async () => {
  const before = { first_name: "Joaquín", last_name: "D'Angelo", phone: "+1 555.010.4477 x 12" };
  const { id } = await admin.call(recordMatter, { body: before });
  const namesake = await admin.call(recordMatter, {
    body: { first_name: "JOAQUÍN", last_name: "d'angelo", phone: "" },
  });
  const found = async (query: Record<string, unknown>) =>
    (await admin.call(listSameClient, { query })).map((one) => [
      one.id,
      one.sameName,
      one.samePhone,
    ]);
  expect(await found({ phone: "(555) 010-4477" })).toEqual([[id, false, true]]);
  expect(
    await found({ first_name: "joaquín", last_name: "D'ANGELO", phone: "5550104477" }),
    "matches of both come first",
  ).toEqual([
    [id, true, true],
    [namesake.id, true, false],
  ]);
  expect(await found({ first_name: "Joaquín", phone: "555 010" }), "neither is complete").toEqual(
    [],
  );
  expect(await found({ first_name: "Ann", last_name: "D'Angelo" })).toEqual([]);
  expect(
    await found({ first_name: "Joaqui\u0301n\u200b", last_name: "D’Angelo" }),
    "as a phone types it",
  ).toEqual([
    [namesake.id, true, false],
    [id, true, false],
  ]);
});

test("referrals sort by a column in either direction, with or without a search", async () => {
  const other = await ben();
  const first = await makeMatter(app.db, network, {
    attorney: other,
    dueOn: "2026-08-02",
    lastName: "young",
  });
  const second = await makeMatter(app.db, network, {
    attorney,
    dueOn: "2026-08-01",
    lastName: "Abel",
  });
  const third = await makeMatter(app.db, network, { lastName: "Moss" });
  const ids = async (query: Record<string, unknown>) =>
    (await admin.call(listMatters, { query })).items.map(({ id }) => id);
  for (const search of ["", "jane"]) {
    expect(await ids({ search })).toEqual([third, second, first]);
    expect(await ids({ search, sort: "name" })).toEqual([second, third, first]);
    expect(await ids({ search, sort: "-name" })).toEqual([first, third, second]);
    expect(await ids({ search, sort: "attorney" })).toEqual([first, second, third]);
    expect(await ids({ search, sort: "due" })).toEqual([second, first, third]);
    expect(await ids({ search, sort: "-due" })).toEqual([first, second, third]);
    expect(await ids({ search, sort: "status" })).toEqual([third, first, second]);
    expect(await ids({ search, sort: "-referred" })).toEqual([second, first, third]);
  }
});
