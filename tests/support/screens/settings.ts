import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

/* A network's settings on an administrator's screens, and the records that they affect. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const settingsTest = () =>
  pageTest({ clock: "2026-11-30T17:00:00Z", network: {}, by: "admin" });

export const enable = () => page.getByLabel("Enable overdue suspensions?");
export const gracePeriod = () => page.getByRole("textbox", { name: "Grace period" });
export const save = () => page.getByRole("button", { name: "Save" });

export async function openSettings(): Promise<void> {
  await page.goto("/admin/settings");
  await enable().waitFor();
}

/** An attorney with one open referral, whose report was due on a date. */
export async function anAttorneyLate(firstName: string, dueOn: string): Promise<void> {
  const attorney = await makeAttorney(app.db, network, { firstName, lastName: "Late" });
  await makeMatter(app.db, network, { attorney, dueOn });
}

/** Switch overdue suspensions on or off, by a call. */
export async function setRules({ enabled }: { enabled: boolean }): Promise<void> {
  const admin = await signedIn(app, "admin", network);
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: enabled } });
}

/** A mail of the network that waits to be sent. */
export async function aMail(subject: string): Promise<void> {
  await queueMail(app.db, {
    networkId: network.id,
    userId: network.admin.userId,
    occasion: subject,
    recipient: "someone@example.test",
    subject,
    body: "Dear someone,\n\nthis is the text.",
  });
}
