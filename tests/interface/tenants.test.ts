import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql } from "kysely";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import {
  envelopedCalls,
  goodRequest,
  type Ids,
  nameOf,
  needsPassword,
  recordsOf,
  servedCalls,
} from "#tests/interface/good-requests.ts";
import { changeVacationSettings } from "#panel/contract.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * Networks cannot see each other's records, nor can attorneys of one network: another's id answers as if it
 * did not exist, in addresses, queries and payloads. Tested on every call of the server.
 */

let app: CardWorld;
let network: MadeNetwork;
let attorney: MadeAttorney;
let admin: Visitor;
let lawyer: Visitor;
let own: Ids;

beforeAll(async () => {
  app = await anAppBesideSandboxes();
  network = await makeNetwork(app.db, { permitsMatterEditing: true });
  attorney = await makeAttorney(app.db, network);
  admin = await signedIn(app, "admin", network);
  lawyer = await signedIn(app, attorney, network);
  await admin.call(changeVacationSettings, { body: { lawyers_set_own_vacation: true } });
});
afterAll(async () => await app.close());
beforeEach(async () => {
  own = await recordsOf(app, network, attorney);
});

const kinds = [
  "attorney",
  "plan",
  "enrolment",
  "debit",
  "share",
  "firm",
  "pendingCheck",
  "approvedCheck",
  "bouncingCheck",
  "deposit",
  "depositedCheck",
  "depositableCheck",
  "heldCheck",
  "creditableCheck",
  "matter",
  "newMatter",
  "session",
  "colleague",
  "freeAttorney",
  "departed",
  "batch",
  "waitingReport",
  "failedReport",
  "readyReport",
  "reportSchedule",
  "savedFilter",
  "passkey",
  "apiToken",
  "webhook",
  "webhookDelivery",
  "removableWebhook",
  "cardPayment",
  "creditOfCard",
] as const;

/** Each call, with one of its ids replaced by another owner's. */
function callsWith(others: Ids, isTried: (allow: string) => boolean) {
  return servedCalls(app)
    .filter(({ allow }) => isTried(allow))
    .flatMap(({ endpoint }) => {
      const good = JSON.stringify(goodRequest(endpoint, { ...own, ...recognizableIds }));
      return kinds
        .filter((kind) => good.includes(String(recognizableIds[kind])))
        .map((kind) => ({
          name: `${nameOf(endpoint)} with another's ${kind}`,
          endpoint,
          asked: goodRequest(endpoint, { ...own, [kind]: others[kind] }),
          // The same request with an id that nobody has: the answers must be identical.
          withUnknown: goodRequest(endpoint, { ...own, [kind]: 999_999_999 }),
        }));
    });
}

/** Unique numbers, to see which ids a request names. */
const recognizableIds: Ids = {
  attorney: 987_000_001,
  plan: 987_000_002,
  enrolment: 987_000_003,
  debit: 987_000_004,
  share: 987_000_005,
  matter: 987_000_006,
  newMatter: 987_000_007,
  colleague: 987_000_008,
  session: 987_000_046,
  waitingReport: 987_000_009,
  failedReport: 987_000_010,
  reportSchedule: 987_000_011,
  savedFilter: 987_000_040,
  passkey: 987_000_045,
  apiToken: 987_000_041,
  webhook: 987_000_042,
  webhookDelivery: 987_000_043,
  removableWebhook: 987_000_044,
  readyReport: 987_000_012,
  cardPayment: 987_000_013,
  creditOfCard: 987_000_014,
  firm: 987_000_015,
  pendingCheck: 987_000_016,
  approvedCheck: 987_000_017,
  bouncingCheck: 987_000_018,
  freeAttorney: 987_000_019,
  batch: 987_000_020,
  departed: 987_000_021,
  deposit: 987_000_031,
  depositedCheck: 987_000_032,
  depositableCheck: 987_000_033,
  heldCheck: 987_000_034,
  creditableCheck: 987_000_035,
  cardToken: "cardToken",
  paidToken: "paidToken",
  emptyImport: "0".repeat(64),
};

/** Everything in the database that a call could have changed. */
async function everythingOf(networkId: number): Promise<string> {
  const tables = [
    "attorneys",
    "users",
    "plans",
    "enrolments",
    "debits",
    "payments",
    "payment_allocations",
    "received_checks",
    "deposits",
    "firms",
    "charges",
    "credits",
    "entries",
    "book_closings",
    "sign_in_links",
    "email_changes",
    "matters",
    "matter_reports",
    "matter_referrals",
    "mails",
    "data_exports",
    "data_export_schedules",
    "saved_filters",
    "passkeys",
    "api_tokens",
    "webhook_endpoints",
    "webhook_messages",
    "webhook_deliveries",
    "card_processors",
    "card_sessions",
    "card_payments",
    "card_refunds",
    "card_transactions",
    "audit_entries",
    "enrolment_batches",
  ];
  const texts = tables.map(async (table) => {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, chr(10) order by t::text) as text
      from ${sql.table(table)} t where network_id = ${networkId}`.execute(app.db);
    return `${table}: ${rows[0]?.text}`;
  });
  return (await Promise.all(texts)).join("\n");
}

describe("an administrator", () => {
  test("finds none of another network's records, and changes none", async () => {
    const other = await makeNetwork(app.db);
    const theirs = await recordsOf(app, other);
    const before = await everythingOf(other.id);
    const calls = callsWith(theirs, (allow) => allow === "admin" || allow === "signed-in");
    expect(calls.length).toBeGreaterThan(15);
    for (const { name, endpoint, asked, withUnknown } of calls) {
      const reply = await admin.ask(endpoint, asked);
      const unknown = await admin.ask(endpoint, withUnknown);
      expect([name, reply.status, reply.message]).toEqual([name, 404, unknown.message]);
    }
    expect(await everythingOf(other.id)).toBe(before);
  });

  test("sees nothing of another network in any list", async () => {
    const other = await makeNetwork(app.db);
    const stranger = await makeAttorney(app.db, other, { firstName: "Strange", lastName: "Rr" });
    await recordsOf(app, other, stranger);
    const nobody = await signedIn(app, "admin", await makeNetwork(app.db));
    for (const { endpoint } of envelopedCalls(app).filter((one) => one.allow === "admin")) {
      if (endpoint.method !== "GET" || endpoint.path.includes(":id")) continue;
      const { text } = await nobody.ask(endpoint);
      expect(text).not.toContain("Strange");
      if (isNeverEmpty.has(endpoint.path)) continue;
      const { object } = JSON.parse(text);
      // The types of reports are the same for all; reports are not.
      expect(object.items ?? Object.values(object.attorneys ?? object)).toEqual([]);
    }
  });
});

describe("an attorney", () => {
  test("finds no records of a colleague, nor of another network", async () => {
    const colleague = await recordsOf(app, network);
    const stranger = await recordsOf(app, await makeNetwork(app.db));
    const before = await everythingOf(network.id);
    for (const others of [colleague, stranger]) {
      const calls = callsWith(others, (allow) => allow === "signed-in" || allow === "attorney");
      expect(calls.length).toBeGreaterThan(3);
      for (const { name, endpoint, asked, withUnknown } of calls) {
        const reply = await lawyer.ask(endpoint, asked);
        const unknown = await lawyer.ask(endpoint, withUnknown);
        expect([name, reply.status, reply.message]).toEqual([name, 404, unknown.message]);
      }
    }
    expect(await everythingOf(network.id)).toBe(before);
  });

  test("finds its own", async () => {
    const isAdmins = ({ path }: Endpoint) => /^\/account\/(sessions|passkeys)\/:id/.test(path);
    const calls = envelopedCalls(app).filter(
      ({ allow, endpoint }) =>
        allow === "signed-in" && !needsPassword(endpoint) && !isAdmins(endpoint),
    );
    for (const { endpoint } of calls) {
      const reply = await lawyer.ask(endpoint, goodRequest(endpoint, own));
      expect([nameOf(endpoint), reply.status]).toEqual([nameOf(endpoint), 200]);
    }
  });
});

/** Calls that show something of one's own from the first day, or say that there is nothing. */
const isNeverEmpty = new Set([
  "/account/sessions",
  "/administrators",
  "/administrators/second_factor_requirement",
  "/books",
  "/books/close_preview",
  "/imports/under_way",
  "/legal_networks/brand",
  "/legal_networks/card_settings",
  "/legal_networks/money_settings",
  "/legal_networks/settings",
  "/legal_networks/statement_settings",
  "/legal_networks/suspension_preview",
  "/legal_networks/vacation_settings",
  "/overview",
  "/receivables",
]);
