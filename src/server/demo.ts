import type pg from "pg";
import { openDatabase } from "#server/database.ts";
import { inTransaction } from "#server/transaction.ts";
import type { Clock } from "#server/serve.ts";
import { createAdmin, createNetwork } from "#features/settings/networks.ts";

export const demoPassword = "demo-password-1";

export const demoSignIns = [
  `  Administrator  admin@demo.test      ${demoPassword}`,
  `  Attorney       attorney@demo.test   ${demoPassword}`,
];

/** Make the demo networks in a database without any network. Answers whether they are there. */
export async function makeDemo(pool: pg.Pool, _now: Clock): Promise<boolean> {
  const db = openDatabase(pool);
  return await inTransaction(db, async (tx) => {
    const known = await tx.selectFrom("networks").select("name").orderBy("id").execute();
    if (known.length > 0) return known[0]?.name === "Harbor County Lawyer Referral Service";
    const networkId = await createNetwork(tx, {
      name: "Harbor County Lawyer Referral Service",
      timeZone: "America/New_York",
      permitsMatterEditing: true,
    });
    await createAdmin(tx, {
      networkId,
      name: "Dana Whitfield",
      email: "admin@demo.test",
      password: demoPassword,
    });
    return true;
  });
}
