import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { folded } from "#kit/domain/folded.ts";
import { invalid, notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { changedFields } from "#kit/db/changed-fields.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJson } from "#kit/db/json-query.ts";
import { aggregateJson, firstJson, tableJson } from "#kit/db/shape-json.ts";
import { byPerson } from "#kit/db/sort.ts";
import { Firm, type FirmChanges, type NewFirm } from "#panel/firms/contract.ts";

/** A firm (alias `f`) as published JSON, with its attorneys by last name. */
export const firmJson = firstJson(
  tableJson(Firm, "firms as f", {
    attorneys: aggregateJson(
      tableJson(Firm.shape.attorneys.element, "attorneys as a", {
        name: sql`a.first_name || ' ' || a.last_name`,
        balance: sql`owed.cents`,
        credit: sql`held.cents`,
      }),
      { order: byPerson("a") },
    ),
    balance: sql`coalesce(sum(owed.cents), 0)::bigint`,
    credit: sql`coalesce(sum(held.cents), 0)::bigint`,
  }),
  sql`attorneys a
    cross join lateral (
      select coalesce(sum(d.balance_cents), 0)::bigint as cents from debits d
      where d.network_id = a.network_id and d.attorney_id = a.id) as owed
    cross join lateral (
      select coalesce(sum(c.left_cents), 0)::bigint as cents from credits c
      where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0) as held
    where a.network_id = f.network_id and a.firm_id = f.id`,
);

/** Throws 404. */
export async function findFirm(tx: Db, admin: Admin, id: number): Promise<RawJson<Firm>> {
  const found = await selectJson(tx, firmJson, {
    from: sql`firms f where f.network_id = ${admin.networkId} and f.id = ${id}`,
  });
  if (!found) throw notFound("firm");
  return found;
}

/**
 * Add a firm with its attorneys. Throws 404 for an unknown attorney; 409 if one belongs to another firm (named in the
 * message) or the firm's name is taken. Source: domain rules §10.
 */
export async function defineFirm(tx: Db, admin: Admin, wanted: NewFirm): Promise<RawJson<Firm>> {
  await refuseKnownName(tx, admin, wanted.name);
  const { id } = await refuseViolations(
    refusals,
    tx
      .insertInto("firms")
      .values({
        networkId: admin.networkId,
        name: wanted.name,
        billingEmail: wanted.billing_email,
      })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  const attorneys = await lockFreeAttorneys(tx, admin, wanted.attorney_ids, null);
  await moveAttorneys(tx, admin, { ids: attorneys.map((one) => one.id), to: id });
  await audit(tx, admin, {
    action: "added",
    recordType: "firm",
    recordId: id,
    after: {
      name: wanted.name,
      billingEmail: wanted.billing_email,
      attorneys: attorneys.map(({ name }) => name),
    },
  });
  return await findFirm(tx, admin, id);
}

/** Change a firm. `attorney_ids` lists all of its attorneys; the others are removed. Throws like `defineFirm`. */
export async function changeFirmDetails(
  tx: Db,
  admin: Admin,
  firmId: number,
  wanted: FirmChanges,
): Promise<RawJson<Firm>> {
  if (Object.keys(wanted).length === 0) throw invalid("", "The request must change something.");
  const firm = await tx
    .selectFrom("firms")
    .select(["name", "billingEmail"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", firmId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!firm) throw notFound("firm");
  const after = {
    name: wanted.name ?? firm.name,
    billingEmail: wanted.billing_email ?? firm.billingEmail,
  };
  const isRenamed = folded(after.name) !== folded(firm.name);
  if (isRenamed) await refuseKnownName(tx, admin, after.name);
  const moved = wanted.attorney_ids
    ? await replaceAttorneys(tx, admin, firmId, wanted.attorney_ids)
    : { before: [], after: [] };
  await refuseViolations(
    refusals,
    tx
      .updateTable("firms")
      .set(isRenamed ? { ...after, twin: 0 } : after)
      .where("networkId", "=", admin.networkId)
      .where("id", "=", firmId)
      .execute(),
  );
  const changes = changedFields(
    { ...firm, attorneys: moved.before.join(", ") },
    { ...after, attorneys: moved.after.join(", ") },
  );
  await audit(tx, admin, {
    action: "changed details",
    recordType: "firm",
    recordId: firmId,
    ...changes,
  });
  return await findFirm(tx, admin, firmId);
}

const nameTaken = "Another firm already has this name. Enter a different name.";

const refusals = {
  firms_name: () => new Refusal(409, nameTaken, { errors: [{ path: "name", message: nameTaken }] }),
};

/**
 * Throws 409 if a firm has this name in any spelling that folds to the same text. The unique index would still
 * allow some: firms that shared a name before migration 0067 have different `twin` numbers.
 */
async function refuseKnownName(tx: Db, { networkId }: Admin, name: string): Promise<void> {
  const { rows } = await sql`
    select from firms where network_id = ${networkId} and folded(name) = folded(${name}::text) limit 1`.execute(
    tx,
  );
  if (rows.length > 0) throw refusals.firms_name();
}

interface FirmAttorney {
  id: number;
  name: string;
  firmId: number | null;
}

/** Answers the names of the firm's attorneys before and after. */
async function replaceAttorneys(tx: Db, admin: Admin, firmId: number, ids: number[]) {
  const present = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("firmId", "=", firmId)
    .execute();
  const all = [...new Set([...ids, ...present.map(({ id }) => id)])];
  const attorneys = await lockFreeAttorneys(tx, admin, all, firmId);
  const stay = new Set(ids);
  const members = attorneys.filter((attorney) => attorney.firmId === firmId);
  const joined = attorneys.filter((attorney) => attorney.firmId === null && stay.has(attorney.id));
  const left = members.filter(({ id }) => !stay.has(id));
  await moveAttorneys(tx, admin, { ids: left.map(({ id }) => id), to: null });
  await moveAttorneys(tx, admin, { ids: joined.map(({ id }) => id), to: firmId });
  return {
    before: members.map(({ name }) => name),
    after: attorneys.filter(({ id }) => stay.has(id)).map(({ name }) => name),
  };
}

/** Lock attorneys with no firm or this one. Throws 404, or 409 naming the other firm. */
async function lockFreeAttorneys(
  tx: Db,
  admin: Admin,
  ids: number[],
  firmId: number | null,
): Promise<FirmAttorney[]> {
  const wanted = [...new Set(ids)];
  await sql`select id from attorneys
    where network_id = ${admin.networkId} and id = any(${wanted}::bigint[])
    order by id for no key update`.execute(tx);
  const { rows } = await sql<FirmAttorney & { firmName: string | null }>`
    select a.id, a.first_name || ' ' || a.last_name as name, a.firm_id, f.name as firm_name
    from attorneys a left join firms f on f.network_id = a.network_id and f.id = a.firm_id
    where a.network_id = ${admin.networkId} and a.id = any(${wanted}::bigint[])
    order by ${byPerson("a")}`.execute(tx);
  if (rows.length < wanted.length) throw notFound("attorney");
  const other = rows.find((row) => row.firmId !== null && row.firmId !== firmId);
  if (other) {
    const message = `Remove ${other.name} from ${other.firmName} first. An attorney can belong to only one firm.`;
    throw new Refusal(409, message, { errors: [{ path: "attorney_ids", message }] });
  }
  return rows;
}

/** Moves attorneys to a firm or to none, with an audit entry on each attorney. */
async function moveAttorneys(
  tx: Db,
  admin: Admin,
  { ids, to }: { ids: number[]; to: number | null },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with before as materialized (
      select a.id, f.name as firm from attorneys a
      left join firms f on f.network_id = a.network_id and f.id = a.firm_id
      where a.network_id = ${admin.networkId} and a.id = any(${ids}::bigint[])
    ), moved as (
      update attorneys set firm_id = ${to}::bigint
      where network_id = ${admin.networkId} and id = any(${ids}::bigint[])
    )
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select ${admin.networkId}, ${admin.userId}, ${admin.name}, 'changed details', 'attorney', id,
      jsonb_build_object('firm', firm),
      jsonb_build_object('firm', (select name from firms
        where network_id = ${admin.networkId} and id = ${to}::bigint))
    from before order by id`.execute(tx);
  const [only = null] = ids;
  notifyOnCommit(tx, admin.networkId, ids.length === 1 ? only : null);
}
