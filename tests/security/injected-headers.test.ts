import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendDueMail, queueMail } from "#outgoing/mail/outbox.ts";
import { openMailTransport } from "#outgoing/mail/mail-transport.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import { goodRequest, nameOf, recordsOf, servedCalls } from "#tests/interface/good-requests.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { addressOf, signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Line breaks in people's texts must not start a header of an answer or an email. */

const injected = "Dues\r\nSet-Cookie: stolen=1\r\nBcc: thief@evil.example\r\n\r\n<script>";

let app: CardWorld;
let network: MadeNetwork;
let admin: Visitor;

beforeAll(async () => {
  app = await anAppBesideSandboxes();
  network = await makeNetwork(app.db, { permitsMatterEditing: true });
  admin = await signedIn(app, "admin", network);
});
afterAll(async () => await app.close());

/** What an operator or a program could have written into the database directly. */
const renameNetwork = (name: string) =>
  sql`update networks set name = ${name} where id = ${network.id}`.execute(app.db);

test("no one-line field accepts line breaks, and no answer has a header from them", async () => {
  const attorney = await makeAttorney(app.db, network);
  const lawyer = await signedIn(app, attorney, network);
  const ids = await recordsOf(app, network, attorney);
  const mayHaveLines = /^(note|description|adjustment_note|reason|postal_address|(.+_)?password)$/;
  for (const { endpoint, allow } of servedCalls(app)) {
    const good = goodRequest(endpoint, ids);
    if (endpoint.method === "GET" || endpoint.fileMediaType || !good.body) continue;
    const caller = allow === "attorney" ? lawyer : admin;
    for (const [field, value] of Object.entries(good.body)) {
      if (typeof value !== "string") continue;
      const body = { ...good.body, [field]: injected };
      const reply = await caller.send(endpoint.method, addressOf(endpoint.path, good), body);
      expect(JSON.stringify(reply.headers)).not.toMatch(/stolen|evil/);
      if (mayHaveLines.test(field)) continue;
      const named = reply.errors.map((error) => error.path.split(".")[0]);
      expect([nameOf(endpoint), reply.status, named]).toEqual([
        nameOf(endpoint),
        422,
        expect.arrayContaining([field]),
      ]);
    }
  }
});

test("a report's file name is plain, whatever the network's name", async () => {
  await renameNetwork(`${injected}"; filename="evil.exe`);
  const { headers } = await exportedFile(app, admin, {
    report_type: "attorneys",
    columns: ["email"],
  });
  expect(headers["content-disposition"]).toMatch(/^attachment; filename="[a-z0-9-]+\.csv"$/);
  expect(headers["set-cookie"]).toBeUndefined();
});

test("an email's headers are our own, whatever its subject and the network's name", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "referral-network-mail-"));
  try {
    await app.db.deleteFrom("mails").execute();
    await renameNetwork(injected);
    await queueMail(app.db, {
      networkId: network.id,
      userId: network.admin.userId,
      occasion: "injected",
      recipient: "grace@example.test",
      subject: injected,
      body: injected,
    });
    const post = openMailTransport({
      smtpUrl: null,
      from: "no-reply@example.test",
      dataDir,
      publicUrl: "http://localhost:3000",
    });
    await sendDueMail(app.db, post);
    const folder = join(dataDir, "outbox");
    const [file = ""] = readdirSync(folder);
    const [head = ""] = readFileSync(join(folder, file), "utf8").split("\r\n\r\n");
    expect(head).toMatch(/^To: grace@example\.test$/m);
    expect(head).not.toMatch(/^(Set-Cookie|Bcc|Cc):/im);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test("an address with line breaks redirects nowhere", async () => {
  for (const url of [
    "/admin/x%0d%0aSet-Cookie:%20stolen=1",
    "/dashboard?a=%0d%0aLocation:%20//evil",
  ]) {
    const { headers } = await admin.sendRaw({
      method: "GET",
      url,
      headers: { accept: "text/html" },
    });
    expect(JSON.stringify(headers)).not.toMatch(/stolen=1"|"location":"\/\//);
  }
});
