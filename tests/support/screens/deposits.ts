import { beforeEach } from "vitest";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { aCheck, aChargedDebit, decideCheck } from "#tests/support/check-records.ts";
import { pageTest } from "#tests/support/page-test.ts";

/* Deposits, as an administrator makes them, and checks of Ada Byron that can be deposited. */

/** Checks 501 to 503 of $10.00, $20.00 and $30.00 on a debit of $100.00, approved. */
export let checks: number[];

/** `pageTest` with the checks in each test. */
export function depositsTest() {
  const test = pageTest({
    by: "admin",
    network: { timeZone: "UTC" },
    attorney: { firstName: "Ada", lastName: "Byron" },
  });
  beforeEach(async () => {
    const debit = await aChargedDebit(app.db, network, attorney, {
      amountCents: 10_000,
      dueOn: "2026-01-01",
    });
    checks = [];
    for (const [number, amount] of [
      ["501", 1000],
      ["502", 2000],
      ["503", 3000],
    ] as const) {
      const check = await aCheck(app.db, network, {
        number,
        parts: [{ attorneyId: attorney.id, shares: { [debit]: amount } }],
      });
      await decideCheck(app.db, network, check, "approved");
      checks.push(check);
    }
  });
  return test;
}
