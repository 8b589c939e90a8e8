import { createHash, randomBytes } from "node:crypto";
import { type Insertable, sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { daysAfter } from "#kit/domain/day.ts";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { planImport } from "#kit/imports/csv-import.ts";
import type { Db } from "#kit/db/database.ts";
import type { DataExports } from "#kit/db/schema.ts";
import { demoAccounts } from "#sandboxes/accounts.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { recordWholeCheck as recordCheck } from "#payments/checks/record-check.ts";
import { changeLogoOf } from "#access/networks/brand.ts";
import { sendPing } from "#outgoing/webhooks/endpoints.ts";
import { attorneyImport } from "#people/import-attorneys.ts";
import {
  type CardIds,
  cardRecordsOf,
  type CardWorld,
  processorHere,
} from "#tests/interface/card-records.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aCheck, aHeldCheck, decideCheck } from "#tests/support/check-records.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { aCredit } from "#tests/support/ledger.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { aPng } from "#tests/support/pictures.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import type { Asked } from "#tests/support/visitor.ts";
import { anEndpoint } from "#tests/support/webhook-receiver.ts";

/** One record of each kind, all of one attorney of one network. */
export interface Ids extends CardIds {
  attorney: number;
  plan: number;
  enrolment: number;
  debit: number;
  share: number;
  firm: number;
  /** Received checks of the attorney: one pending, two approved. */
  pendingCheck: number;
  approvedCheck: number;
  bouncingCheck: number;
  /** An open deposit, the check in it, and a check that can be deposited. */
  deposit: number;
  depositedCheck: number;
  depositableCheck: number;
  /** Two deposited checks, each with a part held for the payer. */
  heldCheck: number;
  creditableCheck: number;
  /** An open referral of the attorney's. */
  matter: number;
  /** A referral without an attorney. */
  newMatter: number;
  /** A session of the administrator's, other than the caller's. */
  session: number;
  /** The administrator's. */
  passkey: number;
  /** A colleague of the administrator's, with an authenticator app. */
  colleague: number;
  /** An attorney without a firm, with an authenticator app and an unconfirmed new email address. */
  freeAttorney: number;
  /** An attorney who has left the panel. */
  departed: number;
  /** A Subscribe all of the plan. */
  batch: number;
  waitingReport: number;
  failedReport: number;
  /** A report whose file is ready. */
  readyReport: number;
  reportSchedule: number;
  apiToken: number;
  /** A saved filter of the administrator's. */
  savedFilter: number;
  /** A webhook endpoint, and a delivery to it. */
  webhook: number;
  webhookDelivery: number;
  /** Another endpoint. */
  removableWebhook: number;
  /** The preview's answer for a file without rows. */
  emptyImport: string;
}

/** Make records that a request can name. */
export async function recordsOf(
  app: CardWorld,
  network: MadeNetwork,
  owner?: MadeAttorney,
): Promise<Ids> {
  const attorney = owner ?? (await makeAttorney(app.db, network));
  return {
    attorney: attorney.id,
    ...(await duesOf(app, network, attorney)),
    ...(await mattersOf(app, network, attorney)),
    ...(await peopleOf(app, network)),
    emptyImport: await digestOfEmptyFile(app, network),
    ...(await checksOf(app, network, attorney)),
    ...(await depositOf(app, network, attorney)),
    ...(await reportsOf(app, network)),
    ...(await webhooksOf(app, network)),
    ...(await cardRecordsOf(app, network, attorney)),
  };
}

/**
 * Records for the next call, since earlier calls may have used some up. Only records of kinds that the call's
 * request names are made again: making all for every call takes minutes.
 */
export async function renewedRecords(
  app: CardWorld,
  network: MadeNetwork,
  { owner, ids, endpoint }: { owner: MadeAttorney; ids: Ids; endpoint: NamedCall },
): Promise<Ids> {
  const named = namesIn(endpoint, ids);
  const renew = async <Kind extends Partial<Ids>>(
    names: (keyof Kind)[],
    make: () => Promise<Kind>,
  ) => (names.some((name) => named.has(name)) ? await make() : null);
  return {
    ...ids,
    ...(await renew(["plan", "enrolment", "debit", "share", "batch"], () =>
      duesOf(app, network, owner),
    )),
    ...(await renew(["matter", "newMatter"], () => mattersOf(app, network, owner))),
    ...(await renew(
      ["session", "passkey", "colleague", "freeAttorney", "departed", "savedFilter", "apiToken"],
      () => peopleOf(app, network),
    )),
    ...(await renew(["emptyImport"], async () => ({
      emptyImport: await digestOfEmptyFile(app, network),
    }))),
    ...(await renew(["firm", "pendingCheck", "approvedCheck", "bouncingCheck"], () =>
      checksOf(app, network, owner),
    )),
    ...(await renew(
      ["deposit", "depositedCheck", "depositableCheck", "heldCheck", "creditableCheck"],
      () => depositOf(app, network, owner),
    )),
    ...(await renew(["waitingReport", "failedReport", "readyReport", "reportSchedule"], () =>
      reportsOf(app, network),
    )),
    ...(await renew(["webhook", "webhookDelivery", "removableWebhook"], () =>
      webhooksOf(app, network),
    )),
    ...(await renew(["cardPayment", "paidToken", "creditOfCard", "cardToken"], () =>
      cardRecordsOf(app, network, owner),
    )),
  };
}

/** True if a call needs a password or passkey that the tests of all calls do not have. */
export const needsPassword = ({ path }: Pick<Endpoint, "path">) =>
  [
    "/account/password",
    "/account/confirmation",
    "/account/recovery_codes",
    "/account/second_factor/confirmation",
    "/account/second_factor/removal",
    "/account/confirmation/passkey",
    "/account/passkeys/registration",
    "/sign_in/passkey",
  ].includes(path);

async function aPasskeyOf({ db }: CardWorld, { admin }: MadeNetwork): Promise<number> {
  const query = db
    .insertInto("passkeys")
    .values({
      userId: admin.userId,
      name: "Strange phone",
      publicKey: "",
      credentialId: randomBytes(16).toString("base64url"),
      counter: 0,
      deviceType: "singleDevice",
      backedUp: false,
    })
    .returning("id");
  return (await query.executeTakeFirstOrThrow()).id;
}

/** A passkey's answer that proves nothing. */
const noPasskey = { id: "AAAA", rawId: "AAAA", type: "public-key", response: {} };

async function aSessionOf({ db }: CardWorld, { admin }: MadeNetwork): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into sessions (user_id, token, expires_at)
    values (${admin.userId}, gen_random_uuid()::text, now() + interval '1 hour') returning id`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

async function duesOf({ db }: CardWorld, network: MadeNetwork, attorney: MadeAttorney) {
  const plan = await makePlan(db, network);
  const enrolment = await makeEnrolment(db, attorney, plan);
  const debit = await makeDebit(db, network, attorney);
  await aCredit(db, network, attorney.id, 10_000);
  const share = await db.transaction().execute(async (tx) => {
    const common = { networkId: network.id, attorneyId: attorney.id, checkNumber: "1" } as const;
    const payment = await tx
      .insertInto("payments")
      .values({ ...common, method: "check", amountCents: 1_00 as never })
      .returning("id")
      .executeTakeFirstOrThrow();
    return await tx
      .insertInto("paymentAllocations")
      .values({ ...common, paymentId: payment.id, debitId: debit, amountCents: 1_00 as never })
      .returning("id")
      .executeTakeFirstOrThrow();
  });
  return {
    plan: plan.id,
    enrolment,
    debit,
    share: share.id,
    batch: await aBatch(db, network, plan.id),
  };
}

async function mattersOf({ db }: CardWorld, network: MadeNetwork, attorney: MadeAttorney) {
  return {
    matter: await makeMatter(db, network, { attorney }),
    newMatter: await makeMatter(db, network),
  };
}

/** People who work or worked here, and the administrator's own records. */
async function peopleOf(app: CardWorld, network: MadeNetwork) {
  const { db } = app;
  await changeLogoOf(db, network.admin, aPng());
  return {
    session: await aSessionOf(app, network),
    passkey: await aPasskeyOf(app, network),
    colleague: await withApp(db, await makeAdmin(db, network)),
    freeAttorney: await attorneyWithApp(db, network),
    departed: (await makeAttorney(db, network, { leftOn: today() })).id,
    savedFilter: await aSavedFilter(db, network),
    apiToken: await anApiToken(db, network),
  };
}

async function attorneyWithApp(db: Db, network: MadeNetwork): Promise<number> {
  const attorney = await makeAttorney(db, network);
  const userId = await withApp(db, (await makeAccount(db, network, attorney)).userId);
  await sql`insert into email_changes
      (network_id, user_id, old_email, new_email, asked_by, old_code_hash, new_code_hash)
    values (${network.id}, ${userId}, ${attorney.email}, ${`new-${attorney.email}`}, 'Ada Min', 'old', 'new')`.execute(
    db,
  );
  return attorney.id;
}

async function withApp(db: Db, userId: number): Promise<number> {
  const app = { userId, secret: "not read", backupCodes: "not read", verified: true };
  await db.insertInto("twoFactors").values(app).execute();
  return userId;
}

/** A firm, and the attorney's checks, each on a debit of its own. */
async function checksOf({ db }: RunningApp, network: MadeNetwork, attorney: MadeAttorney) {
  const record = async (approve: boolean) => {
    const debit = await makeDebit(db, network, attorney);
    const wanted = recordWholeCheck.body.parse({
      check_number: `N-${Math.trunc(Math.random() * 1e9)}`,
      amount: "2.00",
      received_on: today(),
      attorney_id: attorney.id,
      shares: { [debit]: "1.00" },
      credits: { [attorney.id]: "1.00" },
      approve,
    });
    const answer = await db
      .transaction()
      .execute((tx) => recordCheck(tx, network.admin, wanted, plainDate(today())));
    return z.object({ id: z.number() }).parse(JSON.parse(answer.text)).id;
  };
  return {
    firm: await aFirm(db, network, []),
    pendingCheck: await record(false),
    approvedCheck: await record(true),
    bouncingCheck: await record(true),
  };
}

async function aBatch(db: Db, { id: networkId }: MadeNetwork, planId: number): Promise<number> {
  const query = db.insertInto("enrolmentBatches").values({ networkId, planId }).returning("id");
  return (await query.executeTakeFirstOrThrow()).id;
}

async function depositOf({ db }: RunningApp, network: MadeNetwork, attorney: MadeAttorney) {
  const approved = async () => {
    const check = await aCheck(db, network, {
      parts: [{ attorneyId: attorney.id, creditCents: 1 }],
    });
    await decideCheck(db, network, check, "approved");
    return check;
  };
  const [depositedCheck, depositableCheck] = [await approved(), await approved()];
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into deposits (network_id, number, deposited_on, account_name)
      select ${network.id}::bigint, count(*) + 1, current_date, 'Strange Bank' from deposits
      where network_id = ${network.id} returning network_id, id
    )
    update received_checks k set deposit_id = made.id from made
    where k.network_id = made.network_id and k.id = ${depositedCheck} returning made.id`.execute(
    db,
  );
  const [heldCheck, creditableCheck] = [
    await aHeldCheck(db, network, attorney, 1),
    await aHeldCheck(db, network, attorney, 1),
  ];
  return {
    deposit: rows[0]?.id ?? 0,
    depositedCheck,
    depositableCheck,
    heldCheck,
    creditableCheck,
  };
}

/** Reports: one waiting, one failed, one ready and one scheduled. */
async function reportsOf({ db }: RunningApp, network: MadeNetwork) {
  const what = { networkId: network.id, reportType: "attorneys", columns: ["email"] };
  const report = { ...what, requestedBy: "Ada Min", expiresAt: "2099-01-01T00:00:00Z" };
  const failed = { status: "failed", failureReason: "No.", finishedAt: report.expiresAt } as const;
  const ready = {
    status: "ready",
    fileName: "attorneys.csv",
    fileBytes: reportText.length,
    finishedAt: report.expiresAt,
  } as const;
  const failedReport = await insertReport(db, { ...report, ...failed });
  const readyReport = await insertReport(db, { ...report, ...ready });
  await db
    .insertInto("dataExportPieces")
    .values({
      networkId: network.id,
      exportId: readyReport,
      attempt: 0,
      startByte: 0,
      bytes: Buffer.from(reportText),
    })
    .execute();
  const { id: scheduleId } = await db
    .insertInto("dataExportSchedules")
    .values({ ...what, frequency: "weekly", nextOn: "2099-01-05", createdBy: "Ada Min" })
    .returning("id")
    .executeTakeFirstOrThrow();
  // A schedule's reports count toward no limit, however many records are made.
  const waitingReport = await insertReport(db, {
    ...report,
    scheduleId,
    scheduledOn: "2026-01-05",
  });
  return { waitingReport, failedReport, readyReport, reportSchedule: scheduleId };
}

const reportText = "Email\r\nzoe@example.test\r\n";

async function insertReport(db: Db, report: Insertable<DataExports>): Promise<number> {
  const query = db.insertInto("dataExports").values(report).returning("id");
  return (await query.executeTakeFirstOrThrow()).id;
}

async function anApiToken(db: Db, { id: networkId }: MadeNetwork): Promise<number> {
  const query = db
    .insertInto("apiTokens")
    .values({
      networkId,
      name: `Strange accounting ${Math.random()}`,
      scope: "read",
      hash: createHash("sha256").update(String(Math.random())).digest("hex"),
      lastFour: "a1B2",
      createdBy: "Ada Min",
    })
    .returning("id");
  return (await query.executeTakeFirstOrThrow()).id;
}

/** A network may have ten: existing ones are used again. */
async function webhooksOf(app: RunningApp, network: MadeNetwork) {
  const found = await app.db
    .selectFrom("webhookEndpoints")
    .select("id")
    .where("networkId", "=", network.id)
    .where("active", "=", true)
    .orderBy("id")
    .limit(2)
    .execute();
  const anOther = () => anEndpoint(app, network, { url: "https://example.org/strange-hooks" });
  const [first = await anOther(), second = await anOther()] = found;
  const ping = await sendPing(app.db, network.admin, first.id);
  return { webhook: first.id, webhookDelivery: ping.id, removableWebhook: second.id };
}

async function aSavedFilter(db: Db, { id: networkId, admin }: MadeNetwork): Promise<number> {
  const query = db
    .insertInto("savedFilters")
    .values({
      networkId,
      userId: admin.userId,
      list: "checks",
      name: `Old ${Math.random()}`,
      query: "status=all",
    })
    .returning("id");
  return (await query.executeTakeFirstOrThrow()).id;
}

const emptyFile = "First name,Last name,Email\n";

async function digestOfEmptyFile({ db }: RunningApp, { admin }: MadeNetwork): Promise<string> {
  const bytes = Buffer.from(emptyFile);
  const file = { path: "empty.csv", bytes, encoding: "utf-8", countsBy: "row" } as const;
  const plan = await db
    .transaction()
    .execute((tx) =>
      planImport(tx, file, attorneyImport(admin, "http://localhost:3000"), () => undefined),
    );
  return plan.digest;
}

/** In no network's future: the date of the one furthest behind. */
const today = () => dayIn("Pacific/Pago_Pago", Temporal.Now.instant()).toString();

/** The date of card charges, in the networks' time zone: a chargeback cannot be earlier. */
const networksToday = () => dayIn("America/New_York", Temporal.Now.instant()).toString();

/** A date that is not yet over anywhere. */
const tomorrow = () =>
  dayIn("Pacific/Kiritimati", Temporal.Now.instant()).add({ days: 1 }).toString();
const terms = { start_date: "2027-01-31", note: "Panel A" };
const code = "a".repeat(43);
/** The dates closed so far: no date can be closed twice. */
let closings = 0;

const anImport = { query: { file_name: "empty.csv" }, body: emptyFile };
const agreed = (digest: string) => ({ ...anImport, query: { ...anImport.query, digest } });

const enrolling = (attorney: number, plan: number): Asked => ({
  body: {
    attorney_ids: [attorney],
    lrs_subscription_id: plan,
    bill_immediately: false,
    ...terms,
  },
});

/**
 * A good request for each call, given records of the caller's own network. A call that is missing here fails
 * the interface tests: add a line for each new call.
 */
const requests: Record<string, (ids: Ids) => Asked> = {
  "GET /session": () => ({}),
  "POST /sign_in_links/inspect": () => ({ body: { token: code } }),
  "POST /sign_in_links/accept": () => ({ body: { token: code, password: "long enough to do" } }),
  "POST /email_changes/inspect": () => ({ body: { token: code } }),
  "POST /email_changes/confirm": () => ({ body: { token: code } }),
  "POST /email_changes/keep_old": () => ({ body: { token: code } }),
  "POST /account/password": () => ({
    body: { current_password: "not known here", new_password: "long enough to do" },
  }),
  "GET /account/second_factor": () => ({}),
  "POST /account/second_factor": () => ({}),
  "POST /account/second_factor/confirmation": () => ({ body: { code: "123456" } }),
  "POST /account/second_factor/removal": () => ({}),
  "POST /account/recovery_codes": () => ({}),
  "GET /attorneys": ({ plan, firm, attorney }) => ({
    query: {
      search: "Hopper",
      status: "active",
      owes: "any",
      plan_id: plan,
      firm_id: firm,
      signed_in: "never",
      email: "refused",
      ids: String(attorney),
      sort: "-balance",
      page: 1,
      per_page: 50,
    },
  }),
  "POST /attorneys/enrol": ({ attorney, plan }) => enrolling(attorney, plan),
  "POST /attorneys/enrol/preview": ({ attorney, plan }) => enrolling(attorney, plan),
  "POST /attorneys/remind": ({ attorney }) => ({ body: { attorney_ids: [attorney] } }),
  "POST /attorneys/remind/preview": ({ attorney }) => ({ body: { attorney_ids: [attorney] } }),
  "POST /attorneys/invite": ({ attorney }) => ({ body: { attorney_ids: [attorney] } }),
  "POST /attorneys/invite/preview": ({ attorney }) => ({ body: { attorney_ids: [attorney] } }),
  "POST /attorneys": () => ({
    body: {
      first_name: "Zoë",
      last_name: "O'Neil",
      email: `zoe-${Math.random()}@example.test`,
      phone: "(555) 010-0100",
      address_region: "NY",
      address_zip: "10013",
    },
  }),
  "GET /attorneys/:id": ({ attorney }) => ({ params: { id: attorney } }),
  "PATCH /attorneys/:id": ({ attorney, firm }) => ({
    params: { id: attorney },
    body: { phone: "(555) 010-0101", firm_id: firm },
  }),
  "POST /attorneys/:id/email_change/call_off": ({ freeAttorney }) => ({
    params: { id: freeAttorney },
  }),
  "POST /attorneys/:id/invitation": ({ attorney }) => ({ params: { id: attorney } }),
  "POST /attorneys/:id/departure": ({ freeAttorney }) => ({
    params: { id: freeAttorney },
    body: { left_on: today(), reason: "Retired." },
  }),
  "POST /attorneys/:id/departure/preview": ({ freeAttorney }) => ({
    params: { id: freeAttorney },
    body: { left_on: today() },
  }),
  "POST /attorneys/:id/return": ({ departed }) => ({ params: { id: departed } }),
  "POST /attorneys/update": ({ attorney }) => ({
    body: { attorney_id: attorney, paused_until: "off" },
  }),
  "POST /attorneys/import/preview": () => anImport,
  "POST /attorneys/import/refused_rows": () => anImport,
  "POST /attorneys/import/columns": () => ({
    body: { columns: [{ heading: "Hotline", holds: "phone" }] },
  }),
  "POST /attorneys/import": ({ emptyImport }) => agreed(emptyImport),
  "POST /matters/import/preview": () => anImport,
  "POST /matters/import/refused_rows": () => anImport,
  "POST /matters/import/columns": () => ({
    body: { columns: [{ heading: "Hotline", holds: "phone" }] },
  }),
  "POST /matters/import": ({ emptyImport }) => agreed(emptyImport),
  "GET /imports/under_way": () => ({}),
  "GET /lrs_subscriptions/": () => ({}),
  "POST /lrs_subscriptions/": () => ({
    body: {
      name: "Panel dues",
      description: "",
      payment_amount: "50.00",
      payment_frequency_in_months: 1,
    },
  }),
  "POST /lrs_subscriptions/:id": ({ plan }) => ({ params: { id: plan }, body: { archived: true } }),
  "GET /lrs_subscriptions/:id/subscribe_all_preview": ({ plan }) => ({ params: { id: plan } }),
  "GET /lrs_subscriptions/:id": ({ plan }) => ({ params: { id: plan } }),
  "GET /lrs_subscriptions/:id/enrolments": ({ plan }) => ({
    params: { id: plan },
    query: { search: "Hopper", state: "active", page: 1, per_page: 50 },
  }),
  "GET /lrs_subscription_instances/subscribe_all/:id/undo_preview": ({ batch }) => ({
    params: { id: batch },
  }),
  "POST /lrs_subscription_instances/subscribe_all/:id/undo": ({ batch }) => ({
    params: { id: batch },
  }),
  "POST /lrs_subscription_instances/end_many": ({ enrolment }) => ({ body: { ids: [enrolment] } }),
  "GET /search": () => ({ query: { q: "Hopper" } }),
  "GET /firms": () => ({ query: { search: "LLP", page: 1, per_page: 50 } }),
  "POST /firms": ({ freeAttorney }) => ({
    body: {
      name: `Hale & Finch ${Math.random()}`,
      billing_email: "billing@hale.test",
      attorney_ids: [freeAttorney],
    },
  }),
  "GET /firms/:id": ({ firm }) => ({ params: { id: firm } }),
  "PATCH /firms/:id": ({ firm, freeAttorney }) => ({
    params: { id: firm },
    body: { billing_email: "", attorney_ids: [freeAttorney] },
  }),
  "GET /lrs_subscription_instances": ({ attorney }) => ({ query: { attorney_id: attorney } }),
  "POST /lrs_subscription_instances/": ({ attorney, plan }) => ({
    body: { attorney_id: attorney, lrs_subscription_id: plan, bill_immediately: false, ...terms },
  }),
  "POST /lrs_subscription_instances/subscribe_all": ({ plan }) => ({
    body: { lrs_subscription_id: plan, bill_immediately: false, ...terms },
  }),
  "POST /lrs_subscription_instances/:id": ({ enrolment }) => ({
    params: { id: enrolment },
    body: { archived: true },
  }),
  "GET /lrs_subscription_instances/:id/upcoming": ({ enrolment }) => ({
    params: { id: enrolment },
  }),
  "GET /lrs_subscription_debits/outstanding": ({ attorney }) => ({
    query: { attorney_id: attorney },
  }),
  "GET /debits": ({ attorney, plan, firm }) => ({
    query: { state: "open", attorney_id: attorney, plan_id: plan, firm_id: firm, search: "Hopper" },
  }),
  "POST /lrs_subscription_debit_adjustments/": ({ debit }) => ({
    body: { debit_id: debit, direction: "decrease", amount: "0.01", adjustment_note: "" },
  }),
  "GET /attorneys/:id/credit": ({ attorney }) => ({ params: { id: attorney } }),
  "GET /attorneys/:id/statement": ({ attorney }) => ({
    params: { id: attorney },
    query: { from: "2026-01-01", to: "2026-01-31" },
  }),
  "GET /attorneys/:id/statement.pdf": ({ attorney }) => ({
    params: { id: attorney },
    query: { from: "2026-01-01", to: "2026-01-31" },
  }),
  "GET /legal_networks/statement_settings": () => ({}),
  "PATCH /legal_networks/statement_settings": () => ({ body: { mailed_on_day: 31 } }),
  "GET /legal_networks/brand": () => ({}),
  "PATCH /legal_networks/brand": () => ({
    body: {
      name: "Harbor County Referrals",
      postal_address: "1 Main Street\nHarbor, NY 10013",
      phone: "(555) 010-0100",
      email: "office@example.test",
    },
  }),
  "POST /legal_networks/logo": () => ({ body: aPng() }),
  "GET /legal_networks/logo": () => ({}),
  "POST /credit/use": () => ({ body: { amount: "0.01" } }),
  "POST /attorneys/:id/credit": ({ attorney, debit }) => ({
    params: { id: attorney },
    body: { action: "apply", debit_id: debit, amount: "0.01" },
  }),
  "POST /charges": ({ attorney }) => ({
    body: {
      attorney_ids: [attorney],
      name: "Late fee",
      amount: "0.01",
      due_on: "2027-01-31",
      note: "",
    },
  }),
  "POST /charges/preview": ({ attorney }) => ({
    body: { attorney_ids: [attorney], amount: "0.01" },
  }),
  "GET /legal_networks/vacation_settings": () => ({}),
  "PATCH /legal_networks/vacation_settings": () => ({ body: { lawyers_set_own_vacation: true } }),
  "GET /legal_networks/money_settings": () => ({}),
  "PATCH /legal_networks/money_settings": () => ({
    body: {
      applies_credit_automatically: true,
      returned_check_fee: "35.00",
      chargeback_fee: "15.00",
      account_names: { bank: "First Harbor" },
    },
  }),
  "GET /billing_runs": () => ({ query: { page: 1, per_page: 50 } }),
  "GET /billing_runs/due_but_not_billed": () => ({}),
  "GET /data_exports/options": () => ({}),
  "GET /data_exports": () => ({ query: { waiting: "ready", page: 1, per_page: 50 } }),
  "POST /data_export.json": ({ attorney }) => ({
    body: {
      report_type: "subscription_payments",
      columns: ["amount"],
      start_date: "01012026",
      end_date: "01312026",
      range_mode: "range",
      time_filter_mode: "submitted_at",
      attorney_id: attorney,
    },
  }),
  "GET /data_exports/:id/file": ({ readyReport }) => ({ params: { id: readyReport } }),
  "POST /data_exports/:id/cancel": ({ waitingReport }) => ({ params: { id: waitingReport } }),
  "POST /data_exports/:id/retry": ({ failedReport }) => ({ params: { id: failedReport } }),
  "GET /data_export_schedules": () => ({}),
  "POST /data_export_schedules": ({ attorney }) => ({
    body: {
      frequency: "monthly",
      report_type: "subscription_payments",
      columns: ["amount"],
      attorney_id: attorney,
      time_filter_mode: "submitted_at",
    },
  }),
  "POST /data_export_schedules/:id/remove": ({ reportSchedule }) => ({
    params: { id: reportSchedule },
  }),
  "POST /lrs_subscription_check_payments/": ({ debit }) => ({
    body: {
      payment_hash: { [debit]: "0.01" },
      check_number: `N-${Math.trunc(Math.random() * 1e9)}`,
    },
  }),
  "POST /lrs_subscription_check_payments/confirm": ({ share }) => ({
    body: { statuses: { [share]: "denied" } },
  }),
  "POST /checks": ({ attorney, debit }) => ({
    body: {
      check_number: `W-${Math.trunc(Math.random() * 1e9)}`,
      amount: "0.02",
      received_on: today(),
      attorney_id: attorney,
      shares: { [debit]: "0.01" },
      credits: { [attorney]: "0.01" },
      approve: false,
      note: "By mail.",
    },
  }),
  "GET /checks": ({ attorney, firm }) => ({
    query: { status: "pending", search: "N-1", attorney_id: attorney, firm_id: firm },
  }),
  "GET /checks/:id": ({ pendingCheck }) => ({ params: { id: pendingCheck } }),
  "POST /checks/decide": ({ pendingCheck }) => ({ body: { approve: [pendingCheck] } }),
  "POST /checks/:id/returned": ({ bouncingCheck }) => ({
    params: { id: bouncingCheck },
    body: { returned_on: today(), fee: "35.00", note: "Insufficient funds." },
  }),
  "GET /checks/:id/returned_preview": ({ approvedCheck }) => ({ params: { id: approvedCheck } }),
  "POST /sign_in_links/request": () => ({ body: { email: "nobody@example.test" } }),
  "POST /account/confirmation": () => ({ body: { password: "not the password" } }),
  "GET /account/passkeys": () => ({}),
  "POST /account/passkeys/options": () => ({}),
  "POST /account/passkeys/registration": () => ({ body: { name: "A phone", response: noPasskey } }),
  "PATCH /account/passkeys/:id": ({ passkey }) => ({
    params: { id: passkey },
    body: { name: "A telephone" },
  }),
  "POST /account/passkeys/:id/removal": ({ passkey }) => ({ params: { id: passkey } }),
  "POST /sign_in/passkey/options": () => ({}),
  "POST /sign_in/passkey": () => ({ body: { response: noPasskey } }),
  "POST /account/confirmation/passkey/options": () => ({}),
  "POST /account/confirmation/passkey": () => ({ body: { response: noPasskey } }),
  "GET /account/sessions": () => ({}),
  "POST /account/sessions/:id/end": ({ session }) => ({ params: { id: session } }),
  "POST /account/sessions/end_others": () => ({}),
  "GET /administrators": () => ({}),
  "POST /administrators": () => ({
    body: { name: "Zoë O'Neil", email: `zoe-${Math.random()}@example.test` },
  }),
  "POST /administrators/:id/removal": ({ colleague }) => ({ params: { id: colleague } }),
  "GET /administrators/second_factor_requirement": () => ({}),
  "POST /administrators/second_factor_requirement": () => ({ body: { required: true } }),
  "POST /administrators/:id/end_sessions": ({ colleague }) => ({ params: { id: colleague } }),
  "POST /attorneys/:id/end_sessions": ({ freeAttorney }) => ({ params: { id: freeAttorney } }),
  "POST /administrators/:id/second_factor_removal": ({ colleague }) => ({
    params: { id: colleague },
  }),
  "POST /attorneys/:id/second_factor_removal": ({ freeAttorney }) => ({
    params: { id: freeAttorney },
  }),
  "GET /matters": ({ attorney }) => ({ query: { search: "Doe", attorney_id: attorney } }),
  "GET /matters/:id": ({ matter }) => ({ params: { id: matter } }),
  "POST /matters": ({ attorney }) => ({
    body: {
      first_name: "Zoë",
      last_name: "O'Neil",
      phone: "555 010 4477",
      email: "zoe@example.test",
      address_line_1: "1 Main Street",
      address_line_2: "",
      address_city: "Harbor",
      address_region: "NY",
      address_zip: "10013",
      contact_preference: "phone",
      followup_consent: true,
      attorney_id: attorney,
      note: "Speaks Spanish.",
    },
  }),
  "PATCH /matters/update_v2": ({ matter }) => ({
    body: { matter_id: matter, first_name: "Zoë", phone: "555.010.4478", address_zip: "10014" },
  }),
  "POST /matters/:id/referral": ({ newMatter, attorney }) => ({
    params: { id: newMatter },
    body: { attorney_id: attorney, reason: "" },
  }),
  "POST /matters/:id/closing": ({ newMatter }) => ({
    params: { id: newMatter },
    body: { reason: "The client settled." },
  }),
  "POST /matters/:id/withdrawal": ({ matter }) => ({
    params: { id: matter },
    body: { reason: "The client found somebody else." },
  }),
  "GET /choices": () => ({ query: { of: "payers", search: "Hopper" } }),
  "GET /matters/attorneys": () => ({ query: { search: "Hopper", page: 1, per_page: 50 } }),
  "GET /matters/same_client": () => ({
    query: { first_name: "Zoë", last_name: "O'Neil", phone: "+1 555 010 4477" },
  }),
  "GET /matters/:id/referrals": ({ matter }) => ({ params: { id: matter } }),
  "GET /matters/mine": () => ({}),
  "GET /matters/mine/standing": () => ({}),
  "GET /matters/:id/reports": ({ matter }) => ({ params: { id: matter } }),
  "POST /matters/:id/reports": ({ matter }) => ({
    params: { id: matter },
    body: { outcome: "retained", fee: "250.00", note: "Signed today." },
  }),
  "GET /legal_networks/settings": () => ({}),
  "GET /legal_networks/suspension_preview": () => ({ query: { threshold: 2 } }),
  "PATCH /legal_networks/update_v2": () => ({
    body: { overdue_periods_suspension_threshold: 2 },
  }),
  "GET /webhook_endpoints": () => ({}),
  "POST /webhook_endpoints": () => ({
    body: { url: "https://example.org:8443/hooks?of=ours", event_types: ["debit.created"] },
  }),
  "PATCH /webhook_endpoints/:id": ({ webhook }) => ({
    params: { id: webhook },
    body: { event_types: ["payment.recorded", "report.filed"], active: true },
  }),
  "POST /webhook_endpoints/:id/removal": ({ removableWebhook }) => ({
    params: { id: removableWebhook },
  }),
  "POST /webhook_endpoints/:id/secret": ({ webhook }) => ({ params: { id: webhook } }),
  "POST /webhook_endpoints/:id/test": ({ webhook }) => ({ params: { id: webhook } }),
  "GET /webhook_deliveries": ({ webhook }) => ({
    query: { endpoint_id: webhook, state: "waiting", page: 1, per_page: 50 },
  }),
  "POST /webhook_deliveries/:id/again": ({ webhookDelivery }) => ({
    params: { id: webhookDelivery },
  }),
  "GET /mail": () => ({ query: { status: "sent", from: "2026-01-31", page: 1, per_page: 50 } }),
  "POST /lrs_subscription_online_payments/": ({ debit, cardToken }) => ({
    body: { payment_hash: { [debit]: "0.01" }, token: cardToken, idempotency_key: cardToken },
  }),
  "POST /lrs_subscription_online_payments/challenge": ({ paidToken }) => ({
    body: { token: paidToken },
  }),
  "GET /elavon/session_token": () => ({
    query: { first_name: "Zoë", last_name: "O'Neil", address: "1 Main", zip: "10013", amount: "1" },
  }),
  "POST /payflow/secure_token": () => ({}),
  "GET /dashboard_settings": () => ({}),
  "GET /legal_networks/card_settings": () => ({}),
  "PATCH /legal_networks/card_settings": () => ({
    body: {
      payment_processor: processorHere,
      live_payments: false,
      sandbox: true,
      brandmarks: ["visa", "mastercard"],
      keys: { ...demoAccounts[processorHere] },
    },
  }),
  "GET /held_card_charges": () => ({ query: { page: 1, per_page: 50 } }),
  "GET /card_payments": ({ attorney }) => ({ query: { state: "captured", attorney_id: attorney } }),
  "POST /card_payments/:id/confirm": ({ cardPayment }) => ({ params: { id: cardPayment } }),
  "POST /payments/:id/refund": ({ cardPayment }) => ({
    params: { id: cardPayment },
    body: { reason: "Paid twice." },
  }),
  "GET /payments/:id/receipt": ({ cardPayment }) => ({ params: { id: cardPayment } }),
  "GET /payments": ({ attorney }) => ({
    query: { method: "check", status: "pending", search: "N-1", attorney_id: attorney },
  }),
  "GET /card_payments/:id": ({ creditOfCard }) => ({ params: { id: creditOfCard } }),
  "POST /card_payments/:id/refund": ({ creditOfCard }) => ({
    params: { id: creditOfCard },
    body: { reason: "Nothing was owed.", amount: "5.00" },
  }),
  "POST /card_payments/:id/transactions": ({ creditOfCard }) => ({
    params: { id: creditOfCard },
    body: { kind: "chargeback", amount: "2.00", on: networksToday(), note: "Fraud.", fee: "15.00" },
  }),
  "POST /card_payments/:id/seen": ({ creditOfCard }) => ({ params: { id: creditOfCard } }),
  "GET /deposits": () => ({ query: { page: 1, per_page: 50 } }),
  "GET /deposits/undeposited_checks": () => ({ query: { page: 1, per_page: 50 } }),
  "POST /deposits": ({ depositableCheck }) => ({
    body: { check_ids: [depositableCheck], deposited_on: today(), account_name: "Operating" },
  }),
  "GET /deposits/:id": ({ deposit }) => ({ params: { id: deposit } }),
  "PATCH /deposits/:id": ({ deposit, depositedCheck }) => ({
    params: { id: deposit },
    body: { check_ids: [depositedCheck], deposited_on: today(), account_name: "Operating" },
  }),
  "GET /held_money": () => ({ query: { page: 1, per_page: 50 } }),
  "POST /held_money/:id/give_back": ({ heldCheck }) => ({
    params: { id: heldCheck },
    body: { account_name: "Operating", note: "Our check 901" },
  }),
  "POST /held_money/:id/to_credit": ({ creditableCheck, attorney }) => ({
    params: { id: creditableCheck },
    body: { attorney_id: attorney },
  }),
  "GET /journal": ({ attorney }) => ({
    query: {
      from: "2026-01-01",
      to: "2026-01-31",
      account: "bank:Operating",
      attorney_id: attorney,
    },
  }),
  "GET /books": () => ({}),
  "GET /books/close_preview": () => ({ query: { through: "2026-01-31" } }),
  // Each a day later than the one before.
  "POST /books/close": () => ({
    body: { through: daysAfter("2001-01-01", (closings += 1)), note: "Reconciled" },
  }),
  "POST /books/reopen": () => ({ body: { after: null, reason: "A deposit was forgotten." } }),
  "GET /receivables": () => ({
    query: { as_of: "2026-01-31", bucket: "over90", page: 1, per_page: 50 },
  }),
  "GET /overview": () => ({}),
  "POST /overview/first_steps/put_away": () => ({}),
  "GET /saved_filters": () => ({ query: { list: "checks" } }),
  "POST /saved_filters": () => ({
    body: { list: "checks", name: `Large ones ${Math.random()}`, query: "status=all&sort=-amount" },
  }),
  "POST /saved_filters/:id": ({ savedFilter }) => ({
    params: { id: savedFilter },
    body: { name: `Small ones ${Math.random()}` },
  }),
  "POST /saved_filters/:id/remove": ({ savedFilter }) => ({ params: { id: savedFilter } }),
  "GET /api_tokens": () => ({ query: { page: 1, per_page: 50 } }),
  "POST /api_tokens": () => ({
    body: { name: `Accounting ${Math.random()}`, scope: "read", expires_on: tomorrow() },
  }),
  "POST /api_tokens/:id/revoke": ({ apiToken }) => ({ params: { id: apiToken } }),
  "GET /activity": ({ attorney }) => ({ query: { attorney_id: attorney, from: "2026-01-31" } }),
  "GET /activity/people": () => ({}),
};

/** Every call except signing in and out, which the auth library defines and has tests for. */
export const servedCalls = (app: RunningApp) =>
  app.server.endpoints.filter(({ endpoint }) => !endpoint.path.startsWith("/api/auth/"));

/** Calls whose good answers are in the envelope too, as all refusals are. */
export const envelopedCalls = (app: RunningApp) => servedCalls(app).filter(({ isBare }) => !isBare);

type NamedCall = Pick<Endpoint, "method" | "path">;

export const nameOf = ({ method, path }: NamedCall) => `${method} ${path}`;

/** The records that the good request of a call names. */
function namesIn(endpoint: NamedCall, ids: Ids): Set<PropertyKey> {
  const named = new Set<PropertyKey>();
  const noting = new Proxy(ids, {
    get: (all, name) => {
      named.add(name);
      return Reflect.get(all, name);
    },
  });
  goodRequest(endpoint, noting);
  return named;
}

export function goodRequest(endpoint: NamedCall, ids: Ids): Asked {
  const request = requests[nameOf(endpoint)];
  if (!request) throw new Error(`Add a good request for ${nameOf(endpoint)} to good-requests.ts.`);
  return request(ids);
}
