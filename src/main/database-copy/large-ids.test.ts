import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { migrate } from "#kit/db/migrate.ts";
import { runningImport, withImportLock } from "#kit/imports/import-lock.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { makeFullNetwork } from "#tests/support/full-network.ts";
import type { Admin } from "#kit/domain/actor.ts";

const test = appTest({ asOwner: true });

const idRange = { first: 3_000_000_001, last: 4_000_000_000 };

test("an installation with ids of more than 31 bits bills, reviews, deposits and imports like any other", async () => {
  await migrate(app.connectionString, { idRange });
  const network = await makeFullNetwork(app); // with deposits
  expect(network.id).toBeGreaterThanOrEqual(idRange.first);
  const author = { networkId: network.id, userId: null, name: "Daily billing" };
  expect(await runBilling(app.db, author, plainDate("2030-01-01"))).toMatchObject({ failures: 0 });
  await inTransaction(app.db, (tx) => reviewNetwork(tx, author, plainDate("2030-01-01")));
  const admin = { networkId: network.id, name: "Dana Whitfield" } as Admin;
  const underWay = await inTransaction(app.db, (tx) =>
    withImportLock(
      { tx, db: app.db, admin },
      { recordType: "attorney", name: "panel.csv", rows: 1 },
      () => runningImport(app.db, admin),
    ),
  );
  expect(underWay).toMatchObject({ underWay: { fileName: "panel.csv" } });
});
