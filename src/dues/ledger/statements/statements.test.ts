import { Temporal } from "temporal-polyfill";
import { expect } from "vitest";
import { mailDueStatements } from "#dues/ledger/statements/mail-statements.ts";
import {
  changeStatementSettings,
  showStatement,
  showStatementSettings,
} from "#dues/ledger/statements/contract.ts";
import { changeLogo, changeBrand } from "#access/networks/contract.ts";
import { showReceivables } from "#dues/ledger/receivables/contract.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { confirmChecks } from "#payments/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck, bounceCheck, decideCheck } from "#tests/support/check-records.ts";
import { adjustByHand, recordedAt } from "#tests/support/entries.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { aPng, pdfPages } from "#tests/support/pictures.ts";

const test = appTest({
  asOwner: true,
  clock: "2026-05-10T16:00:00Z",
  network: { timeZone: "America/New_York", name: "Harbor County" },
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
});

/** In March and April: dues, a check on two debits with credit that is returned, and an adjustment. */
async function aStory(): Promise<void> {
  const dues = await makeDebit(app.db, network, attorney, { amountCents: 7500 });
  const fee = await aChargedDebit(app.db, network, attorney, { amountCents: 2500 });
  await recordedAt(app.db, network, "2026-03-15T12:00:00Z");
  const check = await aCheck(app.db, network, {
    number: "1020",
    parts: [{ attorneyId: attorney.id, shares: { [dues]: 7500, [fee]: 500 }, creditCents: 1000 }],
  });
  await decideCheck(app.db, network, check, "approved");
  // Half an hour before midnight in New York: still March there.
  await recordedAt(app.db, network, "2026-04-01T03:30:00Z");
  await adjustByHand(app.db, [fee], { cents: -700, note: "By agreement" });
  await recordedAt(app.db, network, "2026-04-01T04:00:00Z");
  await bounceCheck(app.db, network, check);
  await recordedAt(app.db, network, "2026-04-20T12:00:00Z");
}

test("a statement shows the accepted part of a check, and the part kept as credit", async () => {
  const [paid, denied] = [
    await makeDebit(app.db, network, attorney, { amountCents: 7500 }),
    await makeDebit(app.db, network, attorney, { amountCents: 2500 }),
  ];
  const { shares } = await admin.call(recordWholeCheck, {
    body: {
      check_number: "1020",
      amount: "110",
      received_on: "2026-01-02",
      attorney_id: attorney.id,
      shares: { [paid]: "75", [denied]: "25" },
      credits: { [attorney.id]: "10" },
    },
  });
  const statuses = Object.fromEntries(
    shares.map(({ shareId, debitId }) => [shareId, debitId === denied ? "denied" : "approved"]),
  );
  await admin.call(confirmChecks, { body: { statuses } });
  await recordedAt(app.db, network, "2026-05-05T12:00:00Z");
  const { lines } = await admin.call(showStatement, { params: { id: attorney.id } });
  expect(lines.filter(({ kind }) => kind === "payment")).toMatchObject([
    { description: "Check 1020 ($85.00, including $10.00 kept as credit)", payment: 7500 },
  ]);
});

test("a statement leads line by line from the balance before to the balance after, as in receivables", async () => {
  await aStory();
  const params = { id: attorney.id };
  const march = { from: "2026-03-01", to: "2026-03-31" };
  const statement = await admin.call(showStatement, { params, query: march });
  expect(statement).toMatchObject({
    attorneyId: attorney.id,
    attorneyName: "Ada Byron",
    brand: { name: "Harbor County", postalAddress: [], logo: null },
    ...march,
    opening: 0,
    charged: 10_000,
    paid: 8000,
    takenBack: 0,
    adjusted: 0,
    closing: 2000,
    credit: 1000,
  });
  expect(
    statement.lines.map(({ date, kind, description, charge, payment, balance }) => [
      date,
      kind,
      description.replace(/due .*/, "due …"),
      charge,
      payment,
      balance,
    ]),
  ).toEqual([
    ["2026-03-15", "charge", "Panel dues, due …", 7500, 0, 7500],
    ["2026-03-15", "charge", "Late fee, due …", 2500, 0, 10_000],
    [
      "2026-03-31",
      "payment",
      "Check 1020 ($90.00, including $10.00 kept as credit)",
      0,
      8000,
      2000,
    ],
    ["2026-03-31", "credit", "Credit received: Check 1020", 0, 0, 2000],
  ]);

  const april = await lawyer.call(showStatement, {
    params,
    query: { from: "2026-04-01", to: "2026-04-30" },
  });
  expect(april).toMatchObject({
    opening: 2000,
    charged: 0,
    paid: 0,
    takenBack: 8000,
    adjusted: -700,
    closing: 9300,
    credit: 0,
  });
  expect(april.lines.map(({ kind, description, balance }) => [kind, description, balance])).toEqual(
    [
      ["adjustment", expect.stringMatching(/^Adjustment of Late fee, .*: By agreement$/), 1300],
      ["reversal", "Returned by the bank: Check 1020", 9300],
      ["credit", "Credit reversed", 9300],
    ],
  );
  for (const [day, total, credit] of [
    ["2026-03-31", 2000, 1000],
    ["2026-04-30", 9300, 0],
  ] as const) {
    const asOf = await admin.call(showReceivables, { query: { as_of: day } });
    expect(asOf.totals).toMatchObject({ total, credit });
  }
});

test("a statement covers this month unless days are given, through today if the month is not over", async () => {
  const ask = (query: Record<string, unknown>) =>
    lawyer.ask(showStatement, { params: { id: attorney.id }, query });
  const facts = async (query: Record<string, unknown>) => {
    const { status, object } = await ask(query);
    return [status, object?.from, object?.to, object?.asOf];
  };
  expect(await facts({})).toEqual([200, "2026-05-01", "2026-05-10", "2026-05-10"]);
  expect(await facts({ to: "2026-05-31" })).toEqual([
    200,
    "2026-05-01",
    "2026-05-31",
    "2026-05-10",
  ]);
  expect(await facts({ from: "2025-12-31" })).toEqual([
    200,
    "2025-12-31",
    "2026-05-10",
    "2026-05-10",
  ]);
  expect(await ask({ from: "2026-05-11" })).toMatchObject({
    status: 422,
    message: "From must be today, 05/10/2026, or earlier.",
  });
  expect(await ask({ from: "2026-05-02", to: "2026-05-01" })).toMatchObject({
    status: 422,
    message: "From must not be later than To.",
  });
});

test("a statement with too many lines is refused", async () => {
  // On several debits: each entry updates its debit, so thousands on one take long.
  const debits: number[] = [];
  while (debits.length < 50) debits.push(await aChargedDebit(app.db, network, attorney));
  const ask = () =>
    lawyer.ask(showStatement, {
      params: { id: attorney.id },
      query: { from: "2020-01-01", to: "2099-12-31" },
    });
  await adjustByHand(app.db, debits, { cents: 1, times: 99 });
  expect((await ask()).object).toMatchObject({
    charged: "1250.00",
    adjusted: "49.50",
    closing: "1299.50",
  });
  await adjustByHand(app.db, debits.slice(0, 1), { cents: 1 });
  expect(await ask()).toMatchObject({
    status: 422,
    message: "A statement can have at most 5,000 lines. Choose a shorter period.",
  });
});

test("the PDF has the same lines, the letterhead, the head on each page, and handles letters its fonts lack", async () => {
  await admin.call(changeBrand, {
    body: {
      name: "Łódź & Muñoz 漢 Referrals",
      postal_address: "1 Main Street\nHarbor, NY 10013",
      phone: "555 010 4477",
    },
  });
  for (const transparency of [true, false])
    await admin.call(changeLogo, { body: aPng({ width: 60, height: 20, transparency }) });
  for (let count = 0; count < 60; count += 1)
    await aChargedDebit(app.db, network, attorney, { name: `Charge number ${count}` });
  for (const name of ["Nguyễn Thị", "Їжакевич", "Ωραίος"])
    await aChargedDebit(app.db, network, attorney, { name });
  const url = `/attorneys/${attorney.id}/statement.pdf?from=2020-01-01&to=2099-12-31`;
  const file = await lawyer.sendRaw({ method: "GET", url });
  expect(file.headers).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": 'attachment; filename="statement-Ada-Byron-2020-01-01-2099-12-31.pdf"',
  });
  const pages = pdfPages(file.bytes);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages[0]).toContain("Łódź & Muñoz ? Referrals");
  expect(pages[0]).toContain("1 Main Street");
  expect(pages[0]).toContain("(555) 010-4477");
  for (const [at, text] of pages.entries()) {
    expect(text).toContain("Charges");
    expect(text).toContain(`Page ${at + 1} of ${pages.length}`);
  }
  const all = pages.join("\n");
  expect(all).toContain("Charge number 59, due 05/01/2026");
  for (const name of ["Nguyễn Thị", "Їжакевич", "Ωραίος"])
    expect(all).toContain(`${name}, due 05/01/2026`);
  expect(all).toContain("$1,575.00");
  expect(all).toContain("Balance on 05/10/2026");
  expect(all).toContain("Some letters cannot be shown in this file");
});

test("a logo is prepared for the PDF once: when uploaded, or when first printed", async () => {
  await admin.call(changeLogo, { body: aPng({ transparency: true }) });
  const stored = () =>
    app.db
      .selectFrom("networkLogos")
      .select("printed")
      .where("networkId", "=", network.id)
      .executeTakeFirstOrThrow();
  const { printed } = await stored();
  await app.db
    .updateTable("networkLogos")
    .set({ printed: null }) // as before there was such a column
    .where("networkId", "=", network.id)
    .execute();
  const url = `/attorneys/${attorney.id}/statement.pdf`;
  const file = (await lawyer.sendRaw({ method: "GET", url })).text;
  expect(file).toContain("/Width 60 /Height 20 /ColorSpace /DeviceRGB");
  expect(file).not.toContain("SMask");
  expect(await stored()).toEqual({ printed });
  await admin.call(changeBrand, { body: { remove_logo: true } });
  expect((await lawyer.sendRaw({ method: "GET", url })).text).not.toContain("/Subtype /Image");
});

test("the PDF has a column for adjustments, and subtracts returned checks from payments", async () => {
  await aStory();
  const ask = async (days: string) => {
    const url = `/attorneys/${attorney.id}/statement.pdf?${days}`;
    return pdfPages((await lawyer.sendRaw({ method: "GET", url })).bytes).join("\n");
  };
  const [march, april] = [
    await ask("from=2026-03-01&to=2026-03-31"),
    await ask("from=2026-04-01&to=2026-04-30"),
  ];
  expect(march).not.toContain("Adjustments");
  expect(april).toContain("Adjustments");
  expect(april).toContain("-$80.00");
  expect(april).toContain("-$7.00");
});

const now = (instant: string) => Temporal.Instant.from(instant).toString();
const subjects = async () => (await mailsOf(app.db, network)).map(({ subject }) => subject);

test("statements are emailed on the chosen day, once a month per attorney, also after a day without a worker", async () => {
  await aStory();
  await makeAttorney(app.db, network); // no balance and no entries
  const early = await admin.call(showStatementSettings);
  expect(early).toEqual({ mailedOnDay: null, nextOn: null });
  await mailDueStatements(app.db, now("2026-05-12T16:00:00Z"));
  expect(await subjects()).toEqual([]);

  const chosen = await admin.call(changeStatementSettings, { body: { mailed_on_day: 31 } });
  expect(chosen).toEqual({ mailedOnDay: 31, nextOn: "2026-05-31" });
  // April's day was before emailing was switched on; May's has not come in New York.
  await mailDueStatements(app.db, now("2026-05-31T03:59:00Z"));
  expect(await subjects()).toEqual([]);
  await Promise.all([1, 2, 3].map(() => mailDueStatements(app.db, now("2026-05-31T04:10:00Z"))));
  await mailDueStatements(app.db, now("2026-06-02T04:10:00Z"));
  const [mail, ...others] = await mailsOf(app.db, network);
  expect(others).toEqual([]);
  expect(mail).toEqual({
    recipient: attorney.email,
    subject: "Your statement for April 2026",
    body: expect.stringContaining(
      [
        "  Balance before 04/01/2026: $20.00",
        "  Charges: $0.00",
        "  Payments: $0.00",
        "  Payments reversed: $80.00",
        "  Adjustments: -$7.00",
        "  Balance on 04/30/2026: $93.00",
      ].join("\n"),
    ),
    pagePath: `/statements/${attorney.id}?from=2026-04-01&to=2026-04-30`,
  });

  // June has 30 days and no worker ran: sent in July. A year later, February has 28 days.
  await mailDueStatements(app.db, now("2026-07-03T04:10:00Z"));
  await mailDueStatements(app.db, now("2027-02-28T05:10:00Z"));
  expect(await subjects()).toEqual(
    ["April 2026", "May 2026", "January 2027"].map((month) => `Your statement for ${month}`),
  );
});

test("departed attorneys get no statement, no one gets two when the day changes, and credit is enough for one", async () => {
  await admin.call(changeStatementSettings, { body: { mailed_on_day: 10 } });
  const rich = await makeAttorney(app.db, network, { firstName: "Rich" });
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: rich.id, creditCents: 500 }],
  });
  await decideCheck(app.db, network, check, "approved");
  await aChargedDebit(app.db, network, attorney);
  await recordedAt(app.db, network, "2026-04-05T12:00:00Z");
  await app.db
    .updateTable("attorneys")
    .set({ leftOn: "2026-05-01" })
    .where("id", "=", attorney.id)
    .execute();
  await mailDueStatements(app.db, now("2026-05-10T16:00:00Z"));
  const later = await admin.call(changeStatementSettings, { body: { mailed_on_day: 20 } });
  expect(later.nextOn).toBe("2026-06-20"); // April's are mailed
  await mailDueStatements(app.db, now("2026-05-20T16:00:00Z"));
  const mails = await mailsOf(app.db, network);
  expect(mails.map(({ recipient }) => recipient)).toEqual([rich.email]);
  expect(mails[0]?.body).toContain("Credit on your account: $5.00");
  expect(mails[0]?.body).not.toContain("after your credit");
});

test("the email shows what is owed after credit, if there are both", async () => {
  await admin.call(changeStatementSettings, { body: { mailed_on_day: 10 } });
  const covered = await makeAttorney(app.db, network, { firstName: "Covered" });
  for (const { id } of [attorney, covered]) {
    const parts = [{ attorneyId: id, creditCents: 500 }];
    await decideCheck(app.db, network, await aCheck(app.db, network, { parts }), "approved");
  }
  await aChargedDebit(app.db, network, attorney, { amountCents: 1200 });
  await aChargedDebit(app.db, network, covered, { amountCents: 500 });
  await recordedAt(app.db, network, "2026-04-05T12:00:00Z");
  await mailDueStatements(app.db, now("2026-05-10T16:00:00Z"));
  const mails = await mailsOf(app.db, network);
  expect(mails.map(({ body }) => /Balance after.*/.exec(body)?.[0])).toEqual([
    "Balance after your credit: $7.00",
    "Balance after your credit: nothing",
  ]);
});
