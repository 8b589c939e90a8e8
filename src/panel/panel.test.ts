import { sql } from "kysely";
import { parse } from "csv-parse/sync";
import { beforeEach, describe, expect } from "vitest";
import {
  inviteAttorney,
  inviteAttorneys,
  previewInvitations,
  previewReminders,
  remindAttorneys,
} from "#people/contract.ts";
import { listAttorneys } from "./contract.ts";
import { inspectLink } from "#access/sign-in/contract.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listActivity } from "#office/activity/contract.ts";
import { createCharge, previewCharges } from "#dues/ledger/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aCheck } from "#tests/support/check-records.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { aCredit } from "#tests/support/ledger.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { aSession } from "#tests/support/visitor.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {}, sendsMail: true });

const dueSince = {
  abel: "2026-02-08", // 91 days ago; the next two exactly 90 and 30
  baker: "2026-02-09",
  clark: "2026-04-10",
  dunn: "2026-05-10",
};
const names = ["abel", "baker", "clark", "dunn", "evans"] as const;
type Who = (typeof names)[number];
let people: Record<Who, MadeAttorney>;
let gone: MadeAttorney;

/** Abel owes for exactly 90 days, Baker for 89, Clark for 29, Dunn from today on; Evans owes nothing. */
beforeEach(async () => {
  const make = async (name: string) =>
    await makeAttorney(app.db, network, {
      firstName: "Ann",
      lastName: name.charAt(0).toUpperCase() + name.slice(1),
      email: `${name}-${Math.random()}@example.test`,
    });
  people = {
    abel: await make("abel"),
    baker: await make("baker"),
    clark: await make("clark"),
    dunn: await make("dunn"),
    evans: await make("evans"),
  };
  for (const [name, dueOn] of Object.entries(dueSince))
    await makeDebit(app.db, network, people[name as Who], { dueOn, amountCents: 10_000 });
  gone = await makeAttorney(app.db, network, { lastName: "Gone" });
  await makeDebit(app.db, network, gone, { dueOn: "2026-01-01", amountCents: 700 });
  await depart(gone, "2026-03-31");
});

/** Marks an attorney as left, with all enrolments ended. */
async function depart({ id }: { id: number }, leftOn: string): Promise<void> {
  const archivedAt = `${leftOn}T16:00:00Z`;
  await app.db
    .updateTable("enrolments")
    .set({ archivedAt })
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", id)
    .execute();
  await app.db
    .updateTable("attorneys")
    .set({ leftOn })
    .where("networkId", "=", network.id)
    .where("id", "=", id)
    .execute();
}

const list = async (query: Record<string, unknown> = {}) =>
  await admin.call(listAttorneys, { query });
const listed = async (query: Record<string, unknown> = {}) =>
  (await list(query)).items.map(({ name }) => name.split(" ")[1]?.toLowerCase());
const idsOf = (...who: Who[]) => who.map((name) => people[name].id);

describe("the list of attorneys", () => {
  test("is filtered by how long debits are overdue", async () => {
    expect(await listed()).toEqual(names);
    expect(await listed({ owes: "any" })).toEqual(["abel", "baker", "clark", "dunn"]);
    expect(await listed({ owes: "30" })).toEqual(["abel", "baker"]);
    expect(await listed({ owes: "60" })).toEqual(["abel", "baker"]);
    expect(await listed({ owes: "90" })).toEqual(["abel"]);
    expect(await list({ owes: "30", per_page: "1" })).toMatchObject({
      total: 2,
      totals: { balance: 20_000, overdue: 20_000 },
      items: [{ balance: 10_000, overdue: 10_000, overdueSince: "2026-02-08" }],
    });
    expect((await list({ search: "dunn" })).items).toMatchObject([
      { balance: 10_000, overdue: 0, overdueSince: null },
    ]);
  });

  test("is filtered by plan, firm, sign-in and departure", async () => {
    const plan = await makePlan(app.db, network);
    const left = await makeEnrolment(app.db, people.abel, plan);
    await makeEnrolment(app.db, people.clark, plan);
    await sql`update enrolments set archived_at = now() where id = ${left}`.execute(app.db);
    const firm = await aFirm(app.db, network, [people.baker, people.clark], "Hale LLP");
    await makeAccount(app.db, network, people.abel);
    await aSession(app, (await makeAccount(app.db, network, people.evans)).userId);
    expect(await listed({ plan_id: String(plan.id) })).toEqual(["clark"]);
    expect(await listed({ firm_id: String(firm) })).toEqual(["baker", "clark"]);
    expect(await listed({ signed_in: "never" })).toEqual(["abel", "baker", "clark", "dunn"]);
    expect(await listed({ status: "left" })).toEqual(["gone"]);
    expect((await list({ status: "left" })).items).toMatchObject([
      { leftOn: "2026-03-31", balance: 700 },
    ]);
    expect(await listed({ search: "evans", signed_in: "never" })).toEqual([]);
    expect(await list({ plan_id: String(plan.id), firm_id: String(firm) })).toMatchObject({
      items: [{ name: "Ann Clark" }],
      names: { plan_id: plan.name, firm_id: "Hale LLP" },
    });
  });

  test("is sorted by every column, over all pages", async () => {
    await sql`update attorneys set suspended_at = now(), suspension_reason = 'Late.'
      where id = ${people.baker.id}`.execute(app.db);
    await sql`update attorneys set paused_until = '2027-01-01', phone = '212-555-0100'
      where id = ${people.dunn.id}`.execute(app.db);
    await makeDebit(app.db, network, people.clark, { dueOn: "2026-05-09", amountCents: 5000 });
    await aFirm(app.db, network, [people.evans]);
    await aSession(app, (await makeAccount(app.db, network, people.dunn)).userId);
    expect(await listed({ sort: "-name" })).toEqual(names.toReversed());
    expect(await listed({ sort: "-email", per_page: "2", page: "2" })).toEqual(["clark", "baker"]);
    expect(await listed({ sort: "phone" })).toEqual(["dunn", "abel", "baker", "clark", "evans"]);
    expect(await listed({ sort: "firm" })).toEqual(["evans", "abel", "baker", "clark", "dunn"]);
    expect(await listed({ sort: "status" })).toEqual(["abel", "clark", "evans", "dunn", "baker"]);
    expect(await listed({ sort: "-balance" })).toEqual(["clark", "dunn", "baker", "abel", "evans"]);
    expect(await listed({ sort: "overdue" })).toEqual(["dunn", "evans", "abel", "baker", "clark"]);
    expect(await listed({ sort: "since" })).toEqual(["abel", "baker", "clark", "dunn", "evans"]);
    expect((await listed({ sort: "signed_in" }))[0]).toBe("dunn");
  });

  test("is exported by its filters or by its selected rows", async () => {
    const exported = async (filters: Record<string, unknown>) => {
      const { bytes, made } = await exportedFile(app, admin, {
        report_type: "attorneys",
        filters,
      } as never);
      const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
      return { names: rows.map((row) => row["Last name"]?.toLowerCase()), scope: made.scope };
    };
    expect(await exported({ owes: "30" })).toEqual({
      names: ["abel", "baker"],
      scope: "Attorneys, owing for over 30 days",
    });
    expect((await exported({ status: "left" })).names).toEqual(["gone"]);
    expect((await exported({})).names).toEqual(names);
    const ids = [people.dunn.id, gone.id].join(",");
    expect(await exported({ ids })).toEqual({
      names: ["dunn", "gone"],
      scope: "Attorneys (2 chosen)",
    });
  });
});

describe("reminding attorneys of overdue balances", () => {
  const everybody = { body: { filters: {} } };

  test("sends each attorney one email a day, as the preview says", async () => {
    const chosen = { body: { attorney_ids: [...idsOf(...names), gone.id] } };
    const counts = {
      reminded: 3,
      amount: 30_000,
      remindedToday: 0,
      nothingOverdue: 2,
      coveredByCredit: 0,
      left: 1,
      delivery: "server",
    };
    expect(await admin.call(previewReminders, chosen)).toEqual(counts);
    expect(await mailsOf(app.db, network)).toEqual([]);
    expect(await admin.call(remindAttorneys, chosen)).toEqual(counts);
    const again = { reminded: 0, amount: 0, remindedToday: 3, nothingOverdue: 2 };
    expect(await admin.call(previewReminders, everybody)).toMatchObject({ ...again, left: 0 });
    expect(await admin.call(remindAttorneys, everybody)).toMatchObject({ ...again, left: 0 });
    const mails = await mailsOf(app.db, network);
    expect(mails.map(({ recipient }) => recipient)).toEqual(
      (["abel", "baker", "clark"] as const).map((name) => people[name].email),
    );
    expect(mails[0]).toMatchObject({
      subject: "$100.00 of your dues is overdue",
      body: expect.stringContaining("Panel dues, due 02/08/2026: $100.00, 91 days overdue"),
      pagePath: "/dashboard",
    });
    const activity = await admin.call(listActivity, { query: { attorney_id: people.abel.id } });
    expect(activity.items[0]).toMatchObject({
      action: "reminded of dues",
      recordName: "Ann Abel",
      after: { amount: "100.00", overdueDebits: 1 },
    });
  });

  test("lists each debit and leaves out pending amounts", async () => {
    const debit = await makeDebit(app.db, network, people.abel, { dueOn: "2026-03-01" });
    await aCheck(app.db, network, {
      number: "1",
      parts: [{ attorneyId: people.abel.id, shares: { [debit]: 4900 } }],
    });
    expect(await admin.call(remindAttorneys, { body: { filters: { owes: "90" } } })).toMatchObject({
      reminded: 1,
      amount: 10_100,
    });
    const [mail] = await mailsOf(app.db, network);
    expect(mail?.body).toContain("due 03/01/2026: $1.00, 70 days overdue");
    expect(mail?.body).toContain("In total, $101.00 is overdue.");
  });

  test("skips attorneys whose credit covers it, and asks others only for the rest", async () => {
    await aCredit(app.db, network, people.abel.id, 10_000);
    await aCredit(app.db, network, people.baker.id, 2000);
    await aCredit(app.db, network, people.baker.id, 1050);
    const counts = { reminded: 2, amount: 16_950, coveredByCredit: 1, nothingOverdue: 2 };
    expect(await admin.call(previewReminders, everybody)).toMatchObject(counts);
    expect(await admin.call(remindAttorneys, everybody)).toMatchObject(counts);
    const mails = await mailsOf(app.db, network);
    expect(mails.map(({ recipient }) => recipient)).toEqual([
      people.baker.email,
      people.clark.email,
    ]);
    expect(mails[0]).toMatchObject({
      subject: "$69.50 of your dues is overdue",
      body: expect.stringContaining("You have $30.50 of credit, which leaves $69.50 to pay."),
    });
    expect(mails[1]?.body).not.toContain("credit");
    const activity = await admin.call(listActivity, { query: { attorney_id: people.baker.id } });
    expect(activity.items[0]).toMatchObject({ after: { amount: "69.50" } });
  });

  test("twice at the same time sends each email once", async () => {
    const replies = await Promise.all([
      admin.call(remindAttorneys, everybody),
      admin.call(remindAttorneys, everybody),
    ]);
    expect(new Set(replies.map(({ reminded }) => reminded))).toEqual(new Set([0, 3]));
    expect(await mailsOf(app.db, network)).toHaveLength(3);
  });
});

describe("inviting attorneys", () => {
  const everybody = { body: { filters: {} } };

  test("emails a link to each attorney who cannot sign in, and answers no links", async () => {
    const { userId } = await makeAccount(app.db, network, people.abel);
    await sql`insert into accounts (user_id, account_id, provider_id, password)
      values (${userId}, ${userId}::text, 'credential', 'a hash')`.execute(app.db);
    await makeAccount(app.db, network, people.baker);
    const other = await makeNetwork(app.db);
    await makeAccount(app.db, other, {
      ...(await makeAttorney(app.db, other)),
      email: people.clark.email,
    });
    const counts = { invited: 3, canSignIn: 1, invitedLately: 0, emailTaken: 1, left: 0 };
    expect(await admin.call(previewInvitations, everybody)).toEqual(counts);
    const reply = await admin.ask(inviteAttorneys, everybody);
    expect(reply.object).toEqual(counts);
    const mails = await mailsOf(app.db, network);
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(
      (["baker", "dunn", "evans"] as const).map((name) => people[name].email),
    );
    const token = /#([\w-]+)/.exec(mails[1]?.body ?? "")?.[1] ?? "";
    expect(await admin.call(inspectLink, { body: { token } })).toMatchObject({
      email: mails[1]?.recipient,
    });
    expect(await admin.call(inviteAttorneys, everybody)).toEqual({
      invited: 0,
      canSignIn: 1,
      invitedLately: 3,
      emailTaken: 1,
      left: 0,
    });
  });

  test("twice at the same time invites each once", async () => {
    const replies = await Promise.all([
      admin.call(inviteAttorneys, everybody),
      admin.call(inviteAttorneys, everybody),
    ]);
    expect(new Set(replies.map(({ invited }) => invited))).toEqual(new Set([0, 5]));
    expect(await mailsOf(app.db, network)).toHaveLength(5);
  });
});

describe("attorneys chosen by the list's filters", () => {
  test("are the attorneys the list shows, and only of this network", async () => {
    const filters = { owes: "30" };
    expect(await admin.call(previewCharges, { body: { filters, amount: "5.00" } })).toMatchObject({
      attorneys: 2,
      total: 1000,
    });
    const charge = { filters, name: "Late fee", amount: "5.00", due_on: "2026-05-10" };
    expect(await admin.call(createCharge, { body: charge })).toEqual({ created: 2, amount: 1000 });
    const other = await makeNetwork(app.db);
    const stranger = await makeAttorney(app.db, other);
    for (const ask of [
      (body: object) => admin.ask(previewReminders, { body }),
      (body: object) => admin.ask(remindAttorneys, { body }),
      (body: object) => admin.ask(previewInvitations, { body }),
      (body: object) => admin.ask(inviteAttorneys, { body }),
    ]) {
      expect(await ask({ attorney_ids: [people.abel.id, stranger.id] })).toMatchObject({
        status: 404,
        message: "There is no such attorney.",
      });
      expect(await ask({ filters: { search: "nobody at all" } })).toMatchObject({
        status: 422,
        message: "No attorneys match these filters now. Change the filters.",
      });
      expect((await ask({})).status).toBe(422);
      expect((await ask({ filters: {}, attorney_ids: [people.abel.id] })).status).toBe(422);
    }
    expect(await mailsOf(app.db, network)).toEqual([]);
  });
});

test("a new password link for an attorney who can sign in is only in the email to them", async () => {
  const made = await makeAttorney(app.db, network);
  const { id, email } = made;
  const { userId } = await makeAccount(app.db, network, made);
  const invited = await admin.call(inviteAttorney, { params: { id } });
  expect(invited.url).toMatch(/\/sign-in\/link#/);
  await givePassword(app.db, userId);
  expect((await admin.call(inviteAttorney, { params: { id } })).url).toBeNull();
  const mails = await app.db
    .selectFrom("mails")
    .select("body")
    .where("networkId", "=", network.id)
    .where("recipient", "=", email)
    .execute();
  expect(mails.filter(({ body }) => body?.includes("/sign-in/link#"))).toHaveLength(2);
});
