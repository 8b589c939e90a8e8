import { sql } from "kysely";
import { expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { inviteAttorney, showAttorney } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { acceptLink, signIn } from "#access/sign-in/contract.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { previewDeparture, recordDeparture, recordReturn } from "#people/departures/contract.ts";
import { departAttorney } from "#people/departures/departures.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { createCharge } from "#dues/ledger/contract.ts";
import { matterImports, recordMatter, referMatter } from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { confirmChecks } from "#payments/contract.ts";
import { enrolAttorney, subscribeAll } from "#dues/plans/contract.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

const test = appTest({
  clock: "2026-06-30T16:00:00Z",
  network: {},
  attorney: { firstName: "Maya", lastName: "Okafor" },
  lawyer: true,
});

const today = plainDate("2026-06-30");
const leave = (body: object, id = attorney.id) =>
  admin.ask(recordDeparture, { params: { id }, body });
const names = async (query: Record<string, unknown> = {}) =>
  (await admin.call(listAttorneys, { query })).items.map(({ name }) => name);

const enrolmentsOf = async (attorneyId: number) =>
  await app.db
    .selectFrom("enrolments")
    .select(["id", "archivedAt"])
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", attorneyId)
    .execute();

test("a departure shows its numbers, ends enrolments, and keeps the balance", async () => {
  const plan = await makePlan(app.db, network, { amountCents: 5000 });
  await makeEnrolment(app.db, attorney, plan, {
    startDate: "2026-05-20",
    enrolledOn: "2026-05-20",
    createdAt: "2026-05-20T16:00:00Z",
  });
  const charge = { name: "Course", amount: "75.00", due_on: "2026-06-01" };
  await admin.call(createCharge, { body: { ...charge, attorney_ids: [attorney.id] } });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-06-01" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-07-15" });
  const preview = await admin.call(previewDeparture, {
    params: { id: attorney.id },
    body: { left_on: "2026-06-21" },
  });
  expect(preview).toMatchObject({
    openReferrals: 2,
    overdueReports: 1,
    enrolments: 1,
    billed: 5000, // the debit of 06/20
    owed: 7500,
  });

  const reply = await leave({ left_on: "2026-06-21", reason: "Retired." });
  expect(reply.object).toMatchObject({
    leftOn: "2026-06-21",
    leftReason: "Retired.",
    balance: "125.00",
    subscriptionInstances: [],
  });
  expect(await enrolmentsOf(attorney.id)).toEqual([
    expect.objectContaining({ archivedAt: "2026-06-22T03:59:59.000Z" }), // the day's end in New York
  ]);
  const run = await runBilling(app.db, network.admin, plainDate("2026-09-30"));
  expect(run.debits, "nothing is billed afterwards").toBe(0);

  // The balance can still be paid by check.
  const { outstandingPayments } = await admin.call(showAttorney, { params: { id: attorney.id } });
  const owed = outstandingPayments.find(({ name }) => name === "Course")?.id ?? 0;
  const paid = await admin.ask(recordWholeCheck, {
    body: {
      check_number: "77",
      amount: "75.00",
      received_on: "2026-06-30",
      attorney_id: attorney.id,
      shares: { [owed]: "75.00" },
    },
  });
  expect(paid.status).toBe(200);
  const { items } = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["left the panel", "unsubscribed"]),
  );
});

test("an attorney who has left appears only with status left, and is left out of actions for all", async () => {
  const colleague = await makeAttorney(app.db, network, { firstName: "Ann", lastName: "Abbott" });
  await leave({ left_on: "2026-06-30" });
  expect(await names()).toEqual(["Ann Abbott"]);
  expect(await names({ search: "okafor" })).toEqual([]);
  expect(await names({ status: "active" })).toEqual(["Ann Abbott"]);
  expect(await names({ status: "left" })).toEqual(["Maya Okafor"]);

  const plan = await makePlan(app.db, network);
  const terms = {
    lrs_subscription_id: plan.id,
    start_date: "2026-06-30",
    bill_immediately: true,
    note: "",
  };
  expect(await admin.call(subscribeAll, { body: terms })).toMatchObject({
    subscribed: 1,
    alreadySubscribed: 0,
  });
  const charge = { all: true, name: "Course", amount: "25.00", due_on: "2026-06-30" };
  expect(await admin.call(createCharge, { body: charge })).toMatchObject({ created: 1 });
  expect((await admin.call(showAttorney, { params: { id: colleague.id } })).balance).toBe(7500);

  const nowhere = { ...terms, attorney_id: attorney.id, lrs_subscription_id: 999_999 };
  expect((await admin.ask(enrolAttorney, { body: nowhere })).status).toBe(404);
  const refusals = [
    await admin.ask(enrolAttorney, { body: { ...terms, attorney_id: attorney.id } }),
    await admin.ask(recordMatter, {
      body: { first_name: "Jane", last_name: "Doe", attorney_id: attorney.id },
    }),
    await admin.ask(referMatter, {
      params: { id: await makeMatter(app.db, network) },
      body: { attorney_id: attorney.id },
    }),
    await admin.ask(inviteAttorney, { params: { id: attorney.id } }),
    await leave({ left_on: "2026-06-30" }),
  ];
  expect(refusals.map(({ status, message }) => [status, message])).toEqual([
    [409, "Maya Okafor has left the panel and cannot be subscribed."],
    [409, "Maya Okafor has left the panel and receives no new referrals."],
    [409, "Maya Okafor has left the panel and receives no new referrals."],
    [409, "Maya Okafor has left the panel and cannot be invited to sign in."],
    [409, "Maya Okafor has already left the panel."],
  ]);
});

test("the date of a departure is today or earlier", async () => {
  const reply = await leave({ left_on: "2026-07-01" });
  expect([reply.status, reply.errors]).toEqual([
    422,
    [{ path: "left_on", message: "Left on must be today or earlier." }],
  ]);
});

test("the account is closed and signed out immediately, and reopens after a return with a new password", async () => {
  const { userId } = await app.db
    .selectFrom("users")
    .select("id as userId")
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", attorney.id)
    .executeTakeFirstOrThrow();
  await admin.call(inviteAttorney, { params: { id: attorney.id } });
  await givePassword(app.db, userId);
  const mine = { params: { id: attorney.id } };
  expect((await lawyer.ask(showAttorney, mine)).status).toBe(200);

  await leave({ left_on: "2026-06-30" });
  expect((await lawyer.ask(showAttorney, mine)).status, "signed out").toBe(401);
  const signingIn = () =>
    aVisitor(app).send("POST", signIn.path, {
      email: attorney.email,
      password: testPassword,
    });
  const refused = await signingIn();
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.text).message).toMatch(/^Your account is closed because you have left/);
  const { rows } = await sql<{ links: number; mails: number }>`
    select (select count(*)::int from sign_in_links where user_id = ${userId} and used_at is null) as links,
      (select count(*)::int from mails where network_id = ${network.id} and status = 'queued'
        and position('/sign-in/link#' in body) > 0) as mails`.execute(app.db);
  expect(rows).toEqual([{ links: 0, mails: 0 }]);
  const session = { userId, token: "made at the same moment", expiresAt: "2099-01-01T00:00:00Z" };
  await expect(app.db.insertInto("sessions").values(session).execute()).rejects.toThrow(/is shut/);

  await app.db
    .insertInto("passkeys")
    .values({
      userId,
      credentialId: `of ${userId}`,
      publicKey: "k",
      counter: 0,
      deviceType: "singleDevice",
      backedUp: false,
    })
    .execute();
  const back = await admin.call(recordReturn, { params: { id: attorney.id } });
  expect(back.account).toBe("new_password");
  expect((await signingIn()).status, "with the old password").toBe(401);
  expect(
    await app.db.selectFrom("passkeys").select("id").where("userId", "=", userId).execute(),
  ).toEqual([]);
  const mailed = (await mailsOf(app.db, network)).filter(
    ({ recipient }) => recipient === attorney.email,
  );
  const mail = mailed.at(-1)?.body ?? "";
  expect(mail).toContain("Your old password and passkeys no longer work.");
  const token = /\/sign-in\/link#([\w-]+)/.exec(mail)?.[1];
  await aVisitor(app).call(acceptLink, { body: { token, password: testPassword } });
  expect((await signingIn()).status).toBe(200);
  const notices = (await mailsOf(app.db, network)).filter(
    ({ subject }) => subject === "Your password was changed",
  );
  expect(notices.map(({ recipient }) => recipient)).toEqual([attorney.email]);
  const { changedAt } = await app.db
    .selectFrom("users")
    .select("passwordChangedAt as changedAt")
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  expect(changedAt, "no administrator has to wait to take a lost second factor away").toBeNull();
  const again = await admin.ask(recordReturn, { params: { id: attorney.id } });
  expect([again.status, again.message]).toEqual([409, "Maya Okafor is already on the panel."]);
});

test("queued emails about dues are withdrawn, and receipts have no link to a closed page", async () => {
  const queued = (kind: string) =>
    sql`
    insert into mails (network_id, attorney_id, occasion, recipient, facts)
    select ${network.id}, id, ${kind}, email, json_build_object('kind', ${kind}::text)
    from attorneys where network_id = ${network.id} and id = ${attorney.id}`.execute(app.db);
  for (const kind of ["dues reminder", "statement"]) await queued(kind);
  const dues = await makeDebit(app.db, network, attorney, { amountCents: 7_500 });
  await leave({ left_on: "2026-06-30" });
  const body = {
    check_number: "78",
    amount: "75.00",
    received_on: "2026-06-30",
    attorney_id: attorney.id,
    shares: { [dues]: "75.00" },
  };
  const { shares } = await admin.call(recordWholeCheck, { body });
  const statuses = Object.fromEntries(shares.map(({ shareId }) => [shareId, "approved" as const]));
  await admin.call(confirmChecks, { body: { statuses } });

  const mails = await app.db
    .selectFrom("mails")
    .select(["status", "pagePath"])
    .select(sql<string>`facts ->> 'kind'`.as("kind"))
    .where("networkId", "=", network.id)
    .where("recipient", "=", attorney.email)
    .orderBy("id")
    .execute();
  expect(mails).toEqual([
    { kind: "dues reminder", status: "withdrawn", pagePath: null },
    { kind: "statement", status: "withdrawn", pagePath: null },
    { kind: "receipt", status: "queued", pagePath: null },
    { kind: "receipt", status: "queued", pagePath: null },
  ]);
});

test("attorneys who left are not suspended or reminded; a return checks overdue reports again", async () => {
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-01-01" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-06-30" });
  await app.db.transaction().execute((tx) => reviewNetwork(tx, network.admin, today));
  await leave({ left_on: "2026-06-30" });
  await app.db.transaction().execute((tx) => reviewNetwork(tx, network.admin, today));
  await queueReminders(app.db, "2026-06-30T16:00:00Z");
  const waiting = await app.db
    .selectFrom("mails")
    .select("occasion")
    .where("networkId", "=", network.id)
    .where("status", "=", "queued")
    .execute();
  expect(waiting).toEqual([]);
  expect((await admin.call(showAttorney, { params: { id: attorney.id } })).suspended).toBe(false);
  const back = await admin.call(recordReturn, { params: { id: attorney.id } });
  expect(back).toMatchObject({ leftOn: null, suspended: true });
});

test("a departure during billing, Subscribe all and a referral leaves no enrolment or referral", async () => {
  const plans = [await makePlan(app.db, network), await makePlan(app.db, network)];
  const [first] = plans;
  const leavers = await Promise.all(Array.from({ length: 4 }, () => makeAttorney(app.db, network)));
  for (const leaver of leavers) {
    if (first) await makeEnrolment(app.db, leaver, first, { startDate: "2026-06-01" });
  }
  const matters = await Promise.all(leavers.map(() => makeMatter(app.db, network)));
  await Promise.all([
    ...leavers.map(({ id }) => leave({ left_on: "2026-06-30" }, id)),
    ...plans.map(({ id }) =>
      admin.ask(subscribeAll, {
        body: {
          lrs_subscription_id: id,
          start_date: "2026-06-30",
          bill_immediately: true,
          note: "",
        },
      }),
    ),
    ...leavers.map((leaver, at) =>
      admin.ask(referMatter, {
        params: { id: matters[at] },
        body: { attorney_id: leaver.id },
      }),
    ),
    runBilling(app.db, network.admin, today),
  ]);
  const { rows } = await sql<{ left: number; enrolled: number; sooner: number }>`
    select count(*)::int as left,
      (select count(*)::int from enrolments e join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
        where a.network_id = ${network.id} and a.left_on is not null and e.archived_at is null) as enrolled,
      (select count(*)::int from matter_referrals r
        join audit_entries e on e.network_id = r.network_id and e.record_type = 'attorney'
          and e.record_id = r.attorney_id and e.action = 'left the panel'
        where r.network_id = ${network.id} and r.referred_at > e.created_at + interval '1 minute') as sooner
    from attorneys where network_id = ${network.id} and left_on is not null`.execute(app.db);
  expect(rows).toEqual([{ left: 4, enrolled: 0, sooner: 0 }]);
});

test("a sign-in and an import that wait for a departure to commit are refused with a message", async () => {
  const { id: userId } = await app.db
    .selectFrom("users")
    .select("id")
    .where("attorneyId", "=", attorney.id)
    .executeTakeFirstOrThrow();
  await givePassword(app.db, userId);
  const body = `First name,Last name,Submitted on,Attorney\nJane,Doe,2026-06-29,${attorney.email}\n`;
  const query = { file_name: "referrals.csv" };
  const { digest } = await admin.call(matterImports.preview, { query, body });
  const waiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const replies = await app.db.transaction().execute(async (tx) => {
    const wanted = { left_on: "2026-06-30", reason: "" };
    await departAttorney(tx, network.admin, { attorneyId: attorney.id, wanted, today });
    const begun = [
      aVisitor(app).send("POST", signIn.path, { email: attorney.email, password: testPassword }),
      admin.ask(matterImports.importing, { query: { ...query, digest }, body }),
    ];
    await expect.poll(async () => (await waiting.execute(app.db)).rows[0]?.count).toBe(2);
    return begun;
  });
  const [signingIn, importing] = await Promise.all(replies);
  expect(signingIn).toMatchObject({ status: 403 });
  expect(JSON.parse((signingIn as { text: string }).text).message).toMatch(
    /^Your account is closed/,
  );
  expect(importing).toMatchObject({
    status: 409,
    message: expect.stringMatching(/^Nothing was imported: an attorney in the file left the panel/),
  });
  expect((await admin.call(listMatters)).total).toBe(0);
});

test("the database itself refuses to enrol, or refer to, an attorney who has left", async () => {
  const departed = await makeAttorney(app.db, network, { leftOn: "2026-06-01" });
  const plan = await makePlan(app.db, network);
  await expect(makeEnrolment(app.db, departed, plan)).rejects.toThrow(/enrolled in nothing/);
  await expect(makeMatter(app.db, network, { attorney: departed })).rejects.toThrow(/no referral/);
});
