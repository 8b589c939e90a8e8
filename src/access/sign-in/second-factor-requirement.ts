import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import type { SecondFactorRequirement } from "#access/sign-in/contract.ts";

export async function showRequirement(db: Db, admin: Admin): Promise<SecondFactorRequirement> {
  const { since } = await db
    .selectFrom("networks")
    .select("secondFactorRequiredSince as since")
    .where("id", "=", admin.networkId)
    .executeTakeFirstOrThrow();
  return { required: since !== null, since };
}

/** Administrators without a second factor have seven days from now. Repeating it changes nothing. */
export async function changeRequirement(
  tx: Db,
  admin: Admin,
  required: boolean,
): Promise<SecondFactorRequirement> {
  const changed = await tx
    .updateTable("networks")
    .set({ secondFactorRequiredSince: required ? sql<string>`now()` : null })
    .where("id", "=", admin.networkId)
    .where("secondFactorRequiredSince", required ? "is" : "is not", null)
    .executeTakeFirst();
  if (changed.numUpdatedRows > 0n)
    await audit(tx, admin, {
      action: required ? "required second factors" : "stopped requiring second factors",
      recordType: "network",
      recordId: admin.networkId,
      before: { secondFactorRequired: !required },
      after: { secondFactorRequired: required },
    });
  return await showRequirement(tx, admin);
}
