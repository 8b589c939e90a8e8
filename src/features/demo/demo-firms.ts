import { cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import type { DemoNetwork } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";
import { defineFirm } from "#features/firms/firms.ts";
import { undoEnrollAll } from "#features/subscriptions/enrolment-batches.ts";
import { endEnrolment, enrollAll } from "#features/subscriptions/enrolments.ts";
import { definePlan } from "#features/subscriptions/plans.ts";

/** A firm of four lawyers, one of two, and one whose lawyers are not on the panel yet. */
export async function makeDemoFirms(
  tx: Db,
  network: DemoNetwork,
  attorneys: DemoAttorney[],
): Promise<void> {
  const admin = network.admin;
  const firm = (name: string, billing_email: string, members: DemoAttorney[]) =>
    defineFirm(tx, admin, { name, billing_email, attorney_ids: members.map(({ id }) => id) });
  const four = [...attorneys.slice(1, 2), ...attorneys.slice(3, 6)];
  await firm("Lindqvist & Raman LLP", "accounts@lindqvist-raman.example", four);
  await firm("Abernathy Law Offices", "", attorneys.slice(6, 8));
  await firm("Harborside Legal Group", "office@harborside.example", []);
}

/**
 * Everyone subscribed to the annual meeting: once by mistake from today on, which was undone, and again
 * from a month ahead, which can be undone for a day; but for a guest, who comes for free.
 */
export async function subscribeAllToMeeting(
  tx: Db,
  network: DemoNetwork,
  guestId: number,
): Promise<void> {
  const admin = network.admin;
  const name = "Annual meeting";
  await definePlan(tx, admin, {
    name,
    description: "The panel's annual meeting, with its course on ethics.",
    payment_amount: cents(60_00),
    payment_frequency_in_months: 12,
  });
  const plan = await tx
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", network.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  const terms = { lrs_subscription_id: plan.id, note: "" };
  const { today } = network;
  const mistaken = { ...terms, start_date: today.toString(), bill_immediately: true };
  const { batchId } = await enrollAll(tx, admin, mistaken, today);
  await undoEnrollAll(tx, admin, batchId);
  const meant = { ...terms, start_date: today.add({ months: 1 }).toString() };
  await enrollAll(tx, admin, { ...meant, bill_immediately: false }, today);
  const guest = await tx
    .selectFrom("enrolments")
    .select("id")
    .where("networkId", "=", network.id)
    .where("planId", "=", plan.id)
    .where("attorneyId", "=", guestId)
    .where("archivedAt", "is", null)
    .executeTakeFirstOrThrow();
  await endEnrolment(tx, admin, guest.id, today);
}
