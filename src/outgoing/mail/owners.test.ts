import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect } from "vitest";
import { addAttorney, editAttorney } from "#people/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { payByCheck } from "#payments/contract.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

/* Every email has an owner. Another person with the same address neither receives it nor moves it. */

const test = appTest({ network: {}, attorney: {}, lawyer: true });

const root = join(import.meta.dirname, "../../..");

test("every statement that queues email sets its owner", () => {
  const statements = [
    ...globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts")),
    ...globSync("rules/*.sql", { cwd: root }),
  ].flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/insert into mails \(([^)]*)\)/g)].map(
      ([, columns = ""]) => ({ file, columns }),
    ),
  );
  expect(statements.length).toBeGreaterThan(8);
  expect(statements.filter(({ columns }) => !/attorney_id|user_id/.test(columns))).toEqual([]);
});

test("a receipt belongs to the attorney", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  await lawyer.call(payByCheck, {
    body: { check_number: "1", payment_hash: { [debit]: "5.00" } },
  });
  const { rows } = await sql`select attorney_id, user_id, recipient from mails
    where network_id = ${network.id}`.execute(app.db);
  expect(rows).toEqual([{ attorneyId: attorney.id, userId: null, recipient: attorney.email }]);
});

test("an administrator's email stays when an attorney with the same address changes theirs", async () => {
  const { email, userId } = network.admin;
  const mail = { networkId: network.id, recipient: email, subject: "Notice", body: "Notice." };
  const body = { first_name: "Ada", last_name: "Min", email };
  const { id } = await admin.call(addAttorney, { body });
  await queueMail(app.db, { ...mail, userId, occasion: "the administrator's" });
  await queueMail(app.db, { ...mail, attorneyId: id, occasion: "the attorney's" });
  const moved = `moved-${network.id}@example.test`;
  await admin.call(editAttorney, { params: { id }, body: { email: moved } });
  const { rows } = await sql`select occasion, recipient from mails
    where network_id = ${network.id} order by id`.execute(app.db);
  expect(rows).toEqual([
    { occasion: "the administrator's", recipient: email },
    { occasion: "the attorney's", recipient: moved },
  ]);
});

test("a removed account's email stays, without an owner and without its link", async () => {
  const { userId } = await makeAccount(app.db, network, attorney);
  const mail = { networkId: network.id, userId, recipient: attorney.email, subject: "Your access" };
  await queueMail(app.db, { ...mail, occasion: "link", body: "http://x/sign-in/link#abc" });
  await queueMail(app.db, { ...mail, occasion: "notice", body: "A notice." });
  await app.db.deleteFrom("users").where("id", "=", userId).execute();
  const { rows } = await sql`select status, user_id, body from mails
    where network_id = ${network.id} order by id`.execute(app.db);
  expect(rows).toEqual([
    { status: "withdrawn", userId: null, body: "http://x/sign-in/link#…" },
    { status: "queued", userId: null, body: "A notice." },
  ]);
});
