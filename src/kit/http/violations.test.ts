import { sql } from "kysely";
import { expect } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { addAttorney } from "#people/contract.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";
import { saveFilter } from "#kit/list/saved-filters-contract.ts";
import { addWebhookEndpoint } from "#outgoing/webhooks/contract.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

/*
 * A constraint's refusal is answered with a message, also between two simultaneous requests, and where
 * PostgreSQL names the constraint in another way: violatedConstraint() has those.
 */

const test = appTest({ asOwner: true, network: { timeZone: "UTC" } });

const person = {
  first_name: "Ada",
  last_name: "Quist",
  phone: "(555) 010-4477",
  email: "ada.quist@example.test",
};

test("a shard's constraint, with a number after its name, is the same refusal", async () => {
  const { email } = await makeAttorney(app.db, network);
  const taken = async () => {
    const { status, message } = await admin.ask(addAttorney, { body: { ...person, email } });
    return [status, message];
  };
  const refused = await taken();
  expect(refused[0]).toBe(409);
  await sql`alter index attorneys_email rename to attorneys_email_102008`.execute(app.db);
  expect(await taken()).toEqual(refused);
  await sql`alter index attorneys_email_102008 rename to attorneys_email`.execute(app.db);
});

/** Do something while a change is under way that it waits for, then let that change commit. */
async function whileChanging<Answer>(
  change: (tx: Db) => Promise<unknown>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const changing = await app.db.startTransaction().execute();
  try {
    await change(changing);
    const worked = work();
    const waits = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db);
      return rows.length;
    };
    await expect.poll(waits).toBeGreaterThan(0);
    await changing.commit().execute();
    return await worked;
  } finally {
    if (!changing.isCommitted) await changing.rollback().execute();
  }
}

test("an administrator who is removed while saving something is told so", async () => {
  const email = "brief@example.test";
  const userId = await makeAdmin(app.db, network, { email });
  const colleague = await signedIn(app, "admin", {
    ...network,
    admin: { ...network.admin, userId, email },
  });
  const reply = await whileChanging(
    (tx) => tx.deleteFrom("users").where("id", "=", userId).execute(),
    () => colleague.ask(saveFilter, { body: { list: "payments", name: "Mine", query: "page=2" } }),
  );
  expect([reply.status, reply.message]).toEqual([
    409,
    "The account has just been removed. Reload the page.",
  ]);
});

test("a webhook removed at the same moment does not break the change that it would announce", async () => {
  const attorney = await makeAttorney(app.db, network);
  const endpoints = [];
  for (const name of ["removed", "kept"]) {
    const body = { url: `https://${name}.example.com/`, event_types: ["debit.created" as const] };
    endpoints.push(await admin.call(addWebhookEndpoint, { body }));
  }
  const [removed, kept] = endpoints;
  const charged = await whileChanging(
    (tx) =>
      tx
        .deleteFrom("webhookEndpoints")
        .where("id", "=", removed?.id ?? 0)
        .execute(),
    () =>
      inTransaction(app.db, (tx) =>
        chargeAttorneys(tx, network.admin, {
          attorneyIds: [attorney.id],
          name: "Course",
          amountCents: cents(5000),
          dueOn: "2026-06-01",
          note: "",
        }),
      ),
  );
  expect(charged.debitIds).toHaveLength(1);
  const deliveries = await app.db.selectFrom("webhookDeliveries").select("endpointId").execute();
  expect(deliveries).toEqual([{ endpointId: kept?.id }]);
});
