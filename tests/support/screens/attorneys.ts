import { app, network } from "#tests/support/app-test.ts";
import { page } from "#tests/support/page-test.ts";

/* The panel on an administrator's screens. */

/** The text of the contact details on an attorney's page. */
export async function details(): Promise<string> {
  return oneLine(
    await page.getByRole("region", { name: "Contact details" }).locator("dl").innerText(),
  );
}

export const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** On vacation, and suspended or not; only the record, without email or activity. */
export async function setStatus(
  lastName: string,
  { pausedUntil, isSuspended = false }: { pausedUntil: string; isSuspended?: boolean },
): Promise<void> {
  await app.db
    .updateTable("attorneys")
    .set({
      pausedUntil,
      ...(isSuspended && {
        suspendedAt: "2026-01-01T00:00:00Z",
        suspensionReason: "Overdue reports",
      }),
    })
    .where("networkId", "=", network.id)
    .where("lastName", "=", lastName)
    .execute();
}
