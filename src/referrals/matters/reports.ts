import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { dollarsText } from "#kit/domain/money.ts";
import type { Actor, AttorneyActor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import {
  closingOutcomes,
  type Matter,
  type MatterReport,
  type NewReport,
} from "#referrals/matters/contract.ts";
import { findMatter } from "#referrals/matters/matters.ts";
import { reviewAttorney } from "#referrals/suspension/suspension.ts";

/**
 * File a status report on an open referral. The next one is due one overdue period from today, or the matter closes.
 * Filing the last overdue report lifts a suspension before this returns. Throws 404 for another attorney's matter,
 * 409 for a closed one. Source: domain rules §6.
 */
export async function fileReport(
  tx: Db,
  actor: AttorneyActor,
  matterId: number,
  wanted: NewReport,
  today: PlainDate,
): Promise<Matter> {
  const matter = await tx
    .selectFrom("matters as m")
    .innerJoin("networks as n", "n.id", "m.networkId")
    .select(["m.status", "m.attorneyId", "m.reportDueOn", "n.overduePeriodInDays"])
    .where("m.networkId", "=", actor.networkId)
    .where("m.id", "=", matterId)
    .forUpdate("m")
    .executeTakeFirst();
  if (!matter || matter.attorneyId !== actor.attorneyId) throw notFound("referral");
  if (matter.status !== "open")
    throw new Refusal(409, "This referral is closed: it needs no more reports.");
  const { id } = await tx
    .insertInto("matterReports")
    .values({
      networkId: actor.networkId,
      matterId,
      attorneyId: actor.attorneyId,
      outcome: wanted.outcome,
      feeCents: wanted.fee ?? null,
      note: wanted.note,
      filedOn: today.toString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const next = closingOutcomes.has(wanted.outcome)
    ? { status: "closed" as const, closedAt: sql<string>`now()`, reportDueOn: null }
    : {
        status: "open" as const,
        reportDueOn: today.add({ days: matter.overduePeriodInDays }).toString(),
      };
  await tx
    .updateTable("matters")
    .set(next)
    .where("networkId", "=", actor.networkId)
    .where("id", "=", matterId)
    .execute();
  await audit(tx, actor, {
    action: "filed report",
    recordType: "matter",
    recordId: matterId,
    before: { status: "open", reportDueOn: matter.reportDueOn },
    after: {
      status: next.status,
      reportDueOn: next.reportDueOn,
      reportId: id,
      outcome: wanted.outcome,
      ...(wanted.fee && { fee: dollarsText(wanted.fee) }),
    },
  });
  notifyOnCommit(tx, actor.networkId, actor.attorneyId);
  await reviewAttorney(tx, actor, actor.attorneyId, today);
  return await findMatter(tx, actor, matterId);
}

/**
 * The reports filed on a referral, newest first; attorneys see only their own. Throws 404 if the actor may not see
 * the referral.
 */
export async function listReports(tx: Db, actor: Actor, matterId: number): Promise<MatterReport[]> {
  await findMatter(tx, actor, matterId);
  const reports = tx
    .selectFrom("matterReports as r")
    .innerJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "r.networkId").onRef("a.id", "=", "r.attorneyId"),
    )
    .select(["r.id", "r.outcome", "r.feeCents as fee", "r.note", "r.filedOn", "r.createdAt"])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as("attorneyName"))
    .where("r.networkId", "=", actor.networkId)
    .where("r.matterId", "=", matterId)
    .orderBy("r.id", "desc");
  const readable =
    actor.role === "attorney" ? reports.where("r.attorneyId", "=", actor.attorneyId) : reports;
  return await readable.execute();
}
