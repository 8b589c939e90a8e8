import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { fileReport, listMyMatters, listReports, showMatter } from "#referrals/matters/contract.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

let matter: number;

const test = appTest({
  asOwner: true, // so that only the trigger refuses
  lawyer: true,
  clock: "2026-06-30T16:00:00Z",
  network: {},
  attorney: { firstName: "Maya", lastName: "Okafor" },
});
beforeEach(async () => {
  matter = await makeMatter(app.db, network, { attorney, dueOn: "2026-05-01" });
});

const file = (body: object, id = matter, who = lawyer) =>
  who.ask(fileReport, { params: { id }, body });

describe("a status report", () => {
  test.each(["consulted", "retained", "could_not_reach"])(
    "with outcome %s keeps the referral open: the next one is due a period from today",
    async (outcome) => {
      const reply = await file({ outcome });
      expect(reply.object).toMatchObject({ status: "open", reportDueOn: "2026-07-30" });
      expect(await lawyer.call(listMyMatters)).toHaveLength(1);
    },
  );

  test.each(["not_retained", "closed"])("with outcome %s closes the referral", async (outcome) => {
    const reply = await file({ outcome });
    expect(reply.object).toMatchObject({ status: "closed", reportDueOn: null });
    expect(await lawyer.call(listMyMatters)).toEqual([]);
    const again = await file({ outcome: "consulted" });
    expect([again.status, again.message]).toEqual([
      409,
      "This referral is closed: it needs no more reports.",
    ]);
  });

  test("is shown to the administrator and to its attorney, newest first", async () => {
    await file({ outcome: "consulted", note: "Met on Monday.\nWill call back." });
    await file({ outcome: "retained", fee: "1,250.50".replace(",", "") });
    for (const who of [admin, lawyer]) {
      const reports = await who.call(listReports, { params: { id: matter } });
      expect(reports).toMatchObject([
        { outcome: "retained", fee: 125_050, note: "", filedOn: "2026-06-30" },
        {
          attorneyName: "Maya Okafor",
          outcome: "consulted",
          fee: null,
          note: "Met on Monday.\nWill call back.",
        },
      ]);
    }
  });

  test.each([
    ["outcome", undefined],
    ["outcome", "won"],
    ["fee", "0"],
    ["fee", "-1"],
    ["fee", "12.345"],
    ["fee", "1000000.01"],
    ["fee", "a lot"],
    ["fee", null],
    ["note", "x".repeat(2001)],
    ["note", "\u0000"],
    ["filed_on", "2026-01-01"],
  ])("is refused for %s %j", async (field, value) => {
    const reply = await file({ outcome: "consulted", [field]: value });
    expect([reply.status, reply.errors[0]?.path]).toEqual([422, field]);
    expect(await admin.call(listReports, { params: { id: matter } })).toEqual([]);
  });

  test.each(["0.01", "1000000", 12.5])("accepts a fee of %j", async (fee) => {
    expect((await file({ outcome: "retained", fee })).status).toBe(200);
  });

  test("closing twice at the same time closes once", async () => {
    const replies = await Promise.all([file({ outcome: "closed" }), file({ outcome: "closed" })]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await admin.call(listReports, { params: { id: matter } })).toHaveLength(1);
  });

  test("records who reported what, and when the next one is due", async () => {
    await file({ outcome: "retained", fee: "100" });
    await file({ outcome: "closed" });
    const query = { record_type: "matter", record_id: matter };
    expect((await admin.call(listActivity, { query })).items).toMatchObject([
      { before: { status: "open", reportDueOn: "2026-07-30" }, after: { status: "closed" } },
      {
        who: "Maya Okafor",
        action: "filed report",
        before: { reportDueOn: "2026-05-01" },
        after: { outcome: "retained", fee: "100.00", reportDueOn: "2026-07-30" },
      },
    ]);
    expect((await admin.call(showMatter, { params: { id: matter } })).status).toBe("closed");
  });

  test("cannot be changed or removed, even in the database", async () => {
    await file({ outcome: "consulted" });
    await expect(
      app.db.updateTable("matterReports").set({ note: "Forged" }).execute(),
    ).rejects.toThrow(/never changed/);
    await expect(app.db.deleteFrom("matterReports").execute()).rejects.toThrow(/never changed/);
  });
});
