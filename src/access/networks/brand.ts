import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { changedFields, withoutUndefined } from "#kit/db/changed-fields.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { rowJson, tableJson } from "#kit/db/shape-json.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { Brand, type BrandChange } from "#access/networks/contract.ts";
import { readPicture } from "#access/networks/picture.ts";
import { printedLogo } from "#access/networks/printed-logo.ts";

/** A network's (alias `n`) brand as the contract's JSON. */
export const brandJson = tableJson(Brand, "networks as n", {
  postalAddress: sql`array_remove(string_to_array(n.postal_address, E'\n'), '')`,
  logo: rowJson(
    tableJson(Brand.shape.logo.unwrap(), "networkLogos as logo", {
      path: sql`'/legal_networks/logo?v=' || logo.digest`,
    }),
    sql`network_logos logo where logo.network_id = n.id`,
  ),
});

export async function showBrandOf(tx: Db, admin: Admin): Promise<RawJson<Brand>> {
  return await selectJsonOrThrow(tx, brandJson, {
    from: sql`networks n where n.id = ${admin.networkId}`,
  });
}

/** Change the fields given; the rest stays. */
export async function changeBrandOf(
  tx: Db,
  admin: Admin,
  wanted: BrandChange,
): Promise<RawJson<Brand>> {
  const columns = ["name", "postalAddress", "phone", "email"] as const;
  const before = await tx
    .selectFrom("networks")
    .select(columns)
    .where("id", "=", admin.networkId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const after = {
    ...before,
    ...withoutUndefined({
      name: wanted.name,
      postalAddress: wanted.postal_address && linesOf(wanted.postal_address).join("\n"),
      phone: wanted.phone,
      email: wanted.email,
    }),
  };
  await tx.updateTable("networks").set(after).where("id", "=", admin.networkId).execute();
  const changed = changedFields(before, after);
  if (Object.keys(changed.after).length > 0) await note(tx, admin, "changed brand", changed);
  if (wanted.remove_logo) await removeLogo(tx, admin);
  return await showBrandOf(tx, admin);
}

async function removeLogo(tx: Db, admin: Admin): Promise<void> {
  const before = await logoDescription(tx, admin);
  if (before.logo === null) return;
  await tx.deleteFrom("networkLogos").where("networkId", "=", admin.networkId).execute();
  await note(tx, admin, "removed logo", { before, after: { logo: null } });
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Set the network's logo. Throws 422 for a file that cannot be shown as a picture. */
export async function changeLogoOf(tx: Db, admin: Admin, bytes: Buffer): Promise<RawJson<Brand>> {
  const picture = await readPicture(bytes);
  const printed = await printedLogo(picture);
  const digest = createHash("sha256").update(picture.bytes).digest("hex").slice(0, 16);
  const before = await logoDescription(tx, admin);
  const logo = { ...picture, digest, printed };
  await tx
    .insertInto("networkLogos")
    .values({ networkId: admin.networkId, ...logo })
    .onConflict((conflict) => conflict.column("networkId").doUpdateSet(logo))
    .execute();
  await note(tx, admin, "changed logo", { before, after: await logoDescription(tx, admin) });
  return await showBrandOf(tx, admin);
}

/** The logo of the actor's network. Throws 404 if there is none. */
export async function findLogo(db: Db, { networkId }: Pick<Actor, "networkId">) {
  const logo = await db
    .selectFrom("networkLogos")
    .select(["mediaType", "bytes", "digest", "width", "height"])
    .where("networkId", "=", networkId)
    .executeTakeFirst();
  if (!logo) throw notFound("logo");
  return logo;
}

/** The logo as stored for PDFs; null if there is none. For an older logo without one, it is made and stored now. */
export async function findPrintedLogo(
  db: Db,
  { networkId }: Pick<Actor, "networkId">,
): Promise<Buffer | null> {
  const logo = await db
    .selectFrom("networkLogos")
    .select((row) => [
      "mediaType",
      "digest",
      "printed",
      row.case().when("printed", "is", null).then(row.ref("bytes")).end().as("bytes"),
    ])
    .where("networkId", "=", networkId)
    .executeTakeFirst();
  if (!logo?.bytes) return logo?.printed ?? null;
  const printed = await printedLogo({ ...logo, bytes: logo.bytes });
  await db
    .updateTable("networkLogos")
    .set({ printed })
    .where("networkId", "=", networkId)
    .where("digest", "=", logo.digest)
    .execute();
  return printed;
}

/** The logo as described in the audit trail. */
async function logoDescription(tx: Db, { networkId }: Admin): Promise<{ logo: string | null }> {
  const logo = await tx
    .selectFrom("networkLogos")
    .select(["mediaType", "width", "height"])
    .where("networkId", "=", networkId)
    .executeTakeFirst();
  const format = logo?.mediaType === "image/png" ? "PNG" : "JPEG";
  return { logo: logo ? `${format}, ${logo.width} × ${logo.height} pixels` : null };
}

async function note(
  tx: Db,
  admin: Admin,
  action: string,
  change: { before: object; after: object },
): Promise<void> {
  await audit(tx, admin, {
    action,
    recordType: "network",
    recordId: admin.networkId,
    ...change,
  });
}
