import { app, network } from "#tests/support/app-test.ts";
import { page } from "#tests/support/page-test.ts";

/* Files of attorneys, and an administrator's use of the import screens. */

export const header = "First name,Last name,Email,Phone";

/** The text of a file of attorneys: these rows below the header. */
export const attorneyFile = (...rows: string[]) => [header, ...rows].join("\r\n");

/** A row of a file: an attorney of the network, with an address for that first name. */
export const aRow = (first: string, last: string, phone = "") =>
  `${first},${last},${mailbox(first.toLowerCase())},${phone}`;

/** An email address that no other test uses. */
export const mailbox = (name: string) => `${name}-${network.id}@example.test`;

/** Choose a file, as in the browser's own dialog. */
export async function chooseFile(text: string | Buffer, name = "panel.csv"): Promise<void> {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.getByLabel("Choose a CSV file").setInputFiles(file);
}

/** The first names of the attorneys on the panel, oldest record first. */
export async function firstNames(): Promise<string[]> {
  const query = app.db.selectFrom("attorneys").select("firstName");
  const rows = await query.where("networkId", "=", network.id).orderBy("id").execute();
  return rows.map(({ firstName }) => firstName);
}
