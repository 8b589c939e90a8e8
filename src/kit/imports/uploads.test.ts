import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { maxFileBytes } from "#kit/contract/file.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { attorneyImports } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { showImportUnderWay } from "#kit/imports/contract.ts";
import { matterImports } from "#referrals/matters/contract.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import { operator } from "#access/networks/networks.ts";
import { maxReportedRows } from "#kit/imports/staged-rows.ts";
import { lockOf } from "#kit/db/locks.ts";
import { maxUploadsAtOnce } from "#kit/http/uploads.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { CableSocket, cookiesOf } from "#tests/support/cable.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { headersOf, portOf, RawConnection } from "#tests/support/raw-http.ts";
import { type Reply, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { inBriefOr } from "#tests/support/rounds.ts";

/* Files that administrators import in the browser. For rows, see import-attorneys.test.ts and import-matters.test.ts */

const test = appTest({ clock: "2026-07-01T12:00:00Z", network: {} });

const query = { file_name: "panel.csv" };
const header = "First name,Last name,E-mail,Bar no,Phone";
const file = (...lines: string[]) => [header, ...lines].join("\r\n");
const address = (name: string) => `${name}-${network.id}@example.test`;
const rowOf = (first: string, last: string, more = ",") =>
  `${first},${last},${address(first.toLowerCase())},${more}`;

const preview = (body: string | Buffer, by = admin) =>
  by.call(attorneyImports.preview, { query, body });

const importing = (
  body: string | Buffer,
  { digest }: { digest: string },
  more: { skips_bad?: boolean } = {},
) => admin.ask(attorneyImports.importing, { query: { ...query, digest, ...more }, body });

async function panel(of = network) {
  return await app.db
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "phone"])
    .where("networkId", "=", of.id)
    .orderBy("id")
    .execute();
}

const names = async (of = network) => (await panel(of)).map((one) => one.firstName);

async function trail() {
  return await app.db
    .selectFrom("auditEntries")
    .select(["action", "actorName", "recordType", "after"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
}

describe("the preview of a file of attorneys", () => {
  test("says how many firms are new, and the import adds them", async () => {
    const firms = `First name,Last name,Email,Firm\nAda,Byron,${address("ada")},Hale LLP\nJo,March,${address("jo")},hale llp\n`;
    const found = await preview(firms);
    expect(found).toMatchObject({ added: 2, firms: 1 });
    expect(found.firstRows[1]?.values).toMatchObject({ name: "Jo March", firm: "hale llp" });
    expect((await importing(firms, found)).object).toMatchObject({ added: 2, firms: 1 });
    const again = await preview(firms);
    expect(again).toMatchObject({ unchanged: 2, firms: 0 });
    expect(again.firstRows[1]?.values).toMatchObject({ firm: "Hale LLP" });
  });

  test("says in numbers what will be done, shows rows as they will be stored, and changes nothing", async () => {
    const maya = address("maya");
    await makeAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor", email: maya });
    await makeAttorney(app.db, network, {
      firstName: "Jo",
      lastName: "March",
      email: address("jo"),
    });
    const before = await panel();
    const found = await preview(
      file(
        rowOf("Jo", "March"),
        `Maya,Okafor-Lind,${maya.toUpperCase()},B7,(212) 555-0147`,
        rowOf("Ada", "Byron", "B8,(212) 555-0148"),
        ",Nobody,nobody@example.test,,",
      ),
    );
    expect(found).toMatchObject({
      rows: 4,
      added: 1,
      changed: 1,
      unchanged: 1,
      refused: 1,
      encoding: "utf-8",
      ignoredColumns: [],
      problemCount: 1,
      problems: [{ row: 5, column: "First name", message: "First name must be given." }],
    });
    expect(found.firstRows).toEqual([
      { row: 2, becomes: "unchanged", values: shown("Jo March", "jo") },
      {
        row: 3,
        becomes: "changed",
        values: { ...shown("Maya Okafor-Lind", "maya"), phone: "(212) 555-0147", bar_number: "B7" },
      },
      {
        row: 4,
        becomes: "added",
        values: { ...shown("Ada Byron", "ada"), phone: "(212) 555-0148", bar_number: "B8" },
      },
    ]);
    expect(await panel()).toEqual(before);
    expect(await trail()).toEqual([]);
  });

  const shown = (name: string, mailbox: string) => ({ name, email: address(mailbox) });

  test("names each problem by spreadsheet row and the file's own heading", async () => {
    const other = await makeNetwork(app.db);
    const foreign = await makeAccount(app.db, other, await makeAttorney(app.db, other));
    const ada = await makeAttorney(app.db, network, { firstName: "Ada", barNumber: "B1" });
    await makeAccount(app.db, network, ada);
    const found = await preview(
      file(
        '"Ann\nMarie",Two Lines,two@example.test,,',
        rowOf("Eve", "Adams"),
        `Eve,Adams,${address("eve")},,`,
        "Jo,March,not an address,,",
        `Ada,Byron,${foreign.email},B1,`,
        "Too,Few",
      ),
    );
    expect(found.problems).toEqual([
      {
        row: 2,
        column: "First name",
        message: "First name must not contain control characters or line breaks.",
      },
      { row: 4, column: "E-mail", message: "This email address is already on row 3." },
      {
        row: 5,
        column: "E-mail",
        message: "E-mail must be an email address, such as name@example.org.",
      },
      { row: 6, column: "E-mail", message: "The email address belongs to another account." },
      { row: 7, column: null, message: "There are 2 values for 5 columns." },
    ]);
    expect(found).toMatchObject({ rows: 6, added: 1, refused: 5 });
  });

  test("lists the first few hundred problems, and counts all", async () => {
    const found = await preview(file(...Array.from({ length: 1_000 }, () => ",x,y,,")));
    expect(found).toMatchObject({ refused: 1_000, problemCount: 2_000 });
    expect(found.problems).toHaveLength(300);
  });

  test.each<[string, string | Buffer, string]>([
    ["nothing", "", "The file is empty. Its first row must name the columns."],
    ["a workbook", Buffer.from("PK\u0003\u0004xl"), "The file is a workbook, not a CSV file."],
    [
      "Unicode text",
      Buffer.from("\u{FEFF}First name", "utf16le"),
      "The file is Unicode text (UTF-16), which cannot be read.",
    ],
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), "The file has no text"],
    ["other columns", "a,b\n1,2\n", 'The file has no column headed "first name" or "last name"'],
  ])("refuses %s with a reason", async (_, body, sentence) => {
    const reply = await admin.ask(attorneyImports.preview, { query, body });
    expect(reply.status).toBe(422);
    expect(reply.message).toContain(sentence);
  });
});

describe("an import of attorneys", () => {
  test("does what its preview showed, in the administrator's name", async () => {
    const body = file(rowOf("Ada", "Byron"), rowOf("Mary", "Shelley"));
    const reply = await importing(body, await preview(body));
    expect(reply).toMatchObject({
      status: 200,
      object: { added: 2, changed: 0, unchanged: 0, refused: 0 },
    });
    expect(await names()).toEqual(["Ada", "Mary"]);
    expect(await trail()).toMatchObject([
      { action: "added", actorName: "Ada Min" },
      { action: "added", actorName: "Ada Min" },
      {
        action: "imported",
        actorName: "Ada Min",
        recordType: "attorney",
        after: { file: "panel.csv", inserted: 2, skipped: 0 },
      },
    ]);
  });

  test("sent again is refused, since nothing in its preview is left to do", async () => {
    const body = file(rowOf("Ada", "Byron"));
    const agreed = await preview(body);
    expect((await importing(body, agreed)).status).toBe(200);
    const again = await importing(body, agreed);
    expect([again.status, again.message]).toEqual([
      409,
      expect.stringMatching(
        /^Nothing was imported: something has changed since this file was checked/,
      ),
    ]);
    expect(await names()).toEqual(["Ada"]);
    expect(await trail()).toHaveLength(2);
    expect(await preview(body)).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
  });

  test("sent twice at the same time is done once", async () => {
    const body = file(rowOf("Ada", "Byron"), rowOf("Mary", "Shelley"));
    const agreed = await preview(body);
    const replies = await Promise.all([importing(body, agreed), importing(body, agreed)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await names()).toEqual(["Ada", "Mary"]);
  });

  test("is refused as a whole if its effect would differ from the preview", async () => {
    const body = file(rowOf("Ada", "Byron"), rowOf("Mary", "Shelley"));
    const agreed = await preview(body);
    await makeAttorney(app.db, network, { firstName: "Mary", email: address("mary") });
    expect((await importing(body, agreed)).status).toBe(409);
    expect((await importing(`${body}\r\n${rowOf("Jo", "March")}`, agreed)).status).toBe(409);
    expect((await importing(body, { digest: "0".repeat(64) })).status).toBe(409);
    expect(await names()).toEqual(["Mary"]);
    expect((await importing(body, await preview(body))).object).toMatchObject({
      added: 1,
      changed: 1,
    });
  });

  test("of a file with bad rows imports only the good ones if that was accepted, else nothing", async () => {
    const body = file(rowOf("Ada", "Byron"), ",Nobody,nobody@example.test,,");
    const agreed = await preview(body);
    const refused = await importing(body, agreed);
    expect([refused.status, refused.message]).toEqual([
      422,
      "Nothing was imported: 1 of 2 rows cannot be imported. Correct them in the file, or import only the other rows.",
    ]);
    expect(await names()).toEqual([]);
    const reply = await importing(body, agreed, { skips_bad: true });
    expect(reply.object).toMatchObject({ added: 1, refused: 1 });
    expect(await names()).toEqual(["Ada"]);
  });

  test("leaves another network unchanged, even if it accepted the same file", async () => {
    const elsewhere = await makeNetwork(app.db);
    const body = file(rowOf("Ada", "Byron"));
    const theirs = await preview(body, await signedIn(app, "admin", elsewhere));
    expect((await importing(body, theirs)).status).toBe(200);
    expect(await names(elsewhere)).toEqual([]);
    expect(await names()).toEqual(["Ada"]);
  });

  test("of more than ten thousand attorneys succeeds, and shows its progress", async () => {
    const count = inBriefOr(10_000, 60_000);
    const lines = Array.from(
      { length: count },
      (_, index) => `Ada,Byron ${index},a${index}-${network.id}@example.test,B${index},`,
    );
    const body = file(...lines);
    const seen = await seenWhile(() => preview(body));
    expect(seen.done).toMatchObject({ added: count, refused: 0 });
    expect(["reading", "comparing"].filter((step) => seen.steps.has(step))).not.toEqual([]);
    const imported = await seenWhile(() => importing(body, seen.done));
    expect(imported.done.object).toMatchObject({ added: count });
    expect(imported.steps).toContain("saving");
    expect(imported.last).toMatchObject({
      recordType: "attorney",
      fileName: "panel.csv",
      begunBy: "Ada Min",
    });
    const list = await admin.call(listAttorneys, { query: { per_page: 1 } });
    expect(list.total).toBe(count);
    expect(await admin.call(showImportUnderWay)).toEqual({ underWay: null });
  });

  /** The progress shown during an import. */
  async function seenWhile<Done>(work: () => Promise<Done>) {
    const steps = new Set<string>();
    let last: unknown = null;
    const over = new AbortController();
    const done = work().finally(() => over.abort());
    while (!over.signal.aborted) {
      const { underWay } = await admin.call(showImportUnderWay);
      if (underWay) steps.add(underWay.step);
      last = underWay ?? last;
    }
    return { done: await done, steps, last };
  }

  test("notifies every administrator's page once that the list has changed", async () => {
    await app.server.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.server.address() as AddressInfo; // it listens on a port, not a pipe
    const socket = new CableSocket(`ws://127.0.0.1:${port}/cable`, {
      origin: "http://localhost:3000",
      cookie: cookiesOf(admin),
    });
    await socket.frame((frame) => frame.type === "welcome");
    const identifier = JSON.stringify({
      channel: "LrsSubscriptionsChannel",
      user_id: network.admin.userId,
    });
    expect(await socket.subscribe(identifier)).toBe(true);
    const body = file(rowOf("Ada", "Byron"), rowOf("Mary", "Shelley"));
    await importing(body, await preview(body));
    const { message } = await socket.frame(({ message: told }) => typeof told === "object");
    expect(message).toEqual({ type: "subscriptions_changed", attorney_id: null });
    socket.socket.terminate();
  });
});

describe("a file of referrals", () => {
  const columns = "Reference,First name,Last name,Submitted on,Attorney,Referred on,Last report on";
  const referrals = { file_name: "referrals.csv" };
  let maya: MadeAttorney;

  beforeEach(async () => {
    maya = await makeAttorney(app.db, network, {
      firstName: "Maya",
      lastName: "Okafor",
      barNumber: "12345",
    });
  });

  const previewOf = (...lines: string[]) =>
    admin.call(matterImports.preview, {
      query: referrals,
      body: [columns, ...lines].join("\n"),
    });
  const imported = (digest: string, ...lines: string[]) =>
    admin.ask(matterImports.importing, {
      query: { ...referrals, digest },
      body: [columns, ...lines].join("\n"),
    });

  test("is previewed as it will be stored, and imported that way", async () => {
    const lines = [
      "R-1,Ann,Abbott,06/01/2026,,,",
      "R-2,Bea,Baker,05/01/2026,12345,05/03/2026,06/10/2026",
    ];
    const found = await previewOf(...lines);
    expect(found).toMatchObject({ added: 2, suspended: 0, lifted: 0 });
    expect(found.firstRows).toEqual([
      {
        row: 2,
        becomes: "added",
        values: {
          name: "Ann Abbott",
          submitted: "06/01/2026",
          status: "New",
        },
      },
      {
        row: 3,
        becomes: "added",
        values: {
          name: "Bea Baker",
          submitted: "05/01/2026",
          attorney: "Maya Okafor",
          status: "Open",
          report_due: "07/10/2026",
        },
      },
    ]);
    expect((await imported(found.digest, ...lines)).object).toMatchObject({ added: 2 });
    expect(await previewOf(...lines)).toMatchObject({ added: 0, unchanged: 2 });
    const moved = "R-1,Ann,Abbott,06/01/2026,12345,06/20/2026,";
    expect(await previewOf(moved)).toMatchObject({
      changed: 1,
      firstRows: [
        {
          becomes: "changed",
          values: { attorney: "Maya Okafor", status: "Open", report_due: "07/20/2026" },
        },
      ],
    });
  });

  test("previews who will be suspended, and whose suspension will be lifted", async () => {
    await app.db
      .updateTable("networks")
      .set({ suspendsOverdueAttorneys: true })
      .where("id", "=", network.id)
      .execute();
    const late = "R-1,Ann,Abbott,03/01/2026,12345,03/02/2026,";
    const found = await previewOf(late);
    expect(found).toMatchObject({ added: 1, suspended: 1, lifted: 0 });
    expect((await imported(found.digest, late)).object).toMatchObject({ suspended: 1, lifted: 0 });
    const reported = "R-1,Ann,Abbott,,12345,,06/30/2026";
    const next = await previewOf(reported);
    expect(next).toMatchObject({ changed: 1, suspended: 0, lifted: 1 });
    expect((await imported(next.digest, reported)).object).toMatchObject({ lifted: 1 });
    await makeMatter(app.db, network, { attorney: maya, dueOn: "2026-01-01" });
    const another = "R-2,Bea,Baker,06/20/2026,12345,06/21/2026,";
    expect(await previewOf(another)).toMatchObject({ suspended: 1 }); // for a report that was already late
  });

  test("is previewed with unchanged details if the network does not permit editing of known referrals", async () => {
    const bea = "R-2,Bea,Baker,05/01/2026,,,";
    const ann = "R-1,Ann,Abbott,06/01/2026,,,";
    const found = await previewOf(ann, bea);
    expect(found).toMatchObject({ keptDetails: 0 });
    await imported(found.digest, ann, bea);
    await app.db
      .updateTable("matters")
      .set({ phone: "(555) 010-4477", email: "ann@example.test" })
      .where("networkId", "=", network.id)
      .where("reference", "=", "R-1")
      .execute();
    const body = [
      `${columns},Phone,Email`,
      "R-1,Anna,Abbot,06/01/2026,12345,06/20/2026,,(555) 010-9999,anna@example.test",
      `${bea},,`,
      "R-3,Cy,Chen,06/01/2026,,,,(555) 010-1111,cy@example.test",
    ].join("\n");
    const shown = async (by: Visitor) => {
      const { keptDetails, changed, firstRows } = await by.call(matterImports.preview, {
        query: referrals,
        body,
      });
      const values = firstRows.map((one) => [one.values.name, one.values.phone, one.values.email]);
      return { keptDetails, changed, values };
    };
    const cy = ["Cy Chen", "(555) 010-1111", "cy@example.test"];
    const others = [["Bea Baker", undefined, undefined], cy];
    expect(await shown(admin)).toEqual({
      keptDetails: 1,
      changed: 1,
      values: [["Ann Abbott", "(555) 010-4477", "ann@example.test"], ...others],
    });
    await app.db
      .updateTable("networks")
      .set({ permitsMatterEditing: true })
      .where("id", "=", network.id)
      .execute();
    expect(await shown(admin)).toEqual({
      keptDetails: 0,
      changed: 1,
      values: [["Anna Abbot", "(555) 010-9999", "anna@example.test"], ...others],
    });
  });
});

describe("a command that imports a file", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "import-commands-"));
    return () => rm(folder, { recursive: true, force: true });
  });

  const written = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    const given = {
      skipsBad: false,
      encoding: "utf-8" as const,
      publicUrl: "http://localhost:3000",
    };
    return { path, ...given, today: plainDate("2026-07-01") };
  };
  const panelFile = () => written("panel.csv", file(rowOf("Ada", "Byron")));
  const waiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;

  test.for([
    ["attorneys", async () => importAttorneys(app.db, operator(network.id), await panelFile())],
    [
      "referrals",
      async () => {
        const one = await written(
          "referrals.csv",
          "First name,Last name,Reference\nAnn,Abbott,R-1",
        );
        return await importMatters(app.db, operator(network.id), one);
      },
    ],
  ] as const)("of %s waits for a browser's import", async ([, command]) => {
    const asked = await app.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${lockOf.import}, ${network.id}::integer)`.execute(tx);
      const one = { done: command(), isOver: false };
      void one.done.finally(() => (one.isOver = true));
      await expect
        .poll(async () => one.isOver || (await waiting.execute(app.db)).rows[0]?.count)
        .toBe(1);
      return one;
    });
    expect(await asked.done).toMatchObject({ isImported: true, inserted: 1 });
  });

  test("makes browsers wait, and shows them its progress", async () => {
    const given = await panelFile();
    const asked = await app.db.transaction().execute(async (tx) => {
      await sql`lock table attorneys in exclusive mode`.execute(tx);
      const command = importAttorneys(app.db, operator(network.id), given);
      await expect.poll(async () => (await waiting.execute(app.db)).rows[0]?.count).toBe(1);
      const body = file(rowOf("Mary", "Shelley"));
      expect((await admin.ask(attorneyImports.preview, { query, body })).status).toBe(409);
      expect(await admin.call(showImportUnderWay)).toMatchObject({
        underWay: { fileName: "panel.csv", begunBy: "Operator (command line)", step: "saving" },
      });
      return { command };
    });
    expect(await asked.command).toMatchObject({ inserted: 1 });
    expect(await admin.call(showImportUnderWay)).toEqual({ underWay: null });
  });
});

describe("an upload", () => {
  const url = `${attorneyImports.preview.path}?file_name=panel.csv`;
  const send = (by: Visitor, payload: string | Buffer, type = "text/csv", csrf = by.csrf) =>
    by.sendRaw({
      method: "POST",
      url,
      headers: { "content-type": type, ...(csrf && { "x-csrf-token": csrf }) },
      payload,
    });
  const facts = ({ status, message }: Reply) => [status, message];

  test("that is not a CSV file is 415, one that is too large 413, with a clear message", async () => {
    expect(facts(await send(admin, "{}", "application/json"))).toEqual([
      415,
      "The request must be a CSV file (text/csv).",
    ]);
    expect(facts(await send(admin, Buffer.alloc(maxFileBytes + 1, "x")))).toEqual([
      413,
      "The file is too large. The limit is 20 MB. Split it into several files.",
    ]);
    expect((await send(admin, Buffer.alloc(maxFileBytes, "x"))).status).toBe(422);
  });

  test("needs the file's name, and an import the digest of a preview", async () => {
    const reply = await admin.ask(attorneyImports.importing, { query: { digest: "x" }, body: "x" });
    expect(reply.errors).toEqual([
      { path: "file_name", message: "File name must be given." },
      { path: "digest", message: "Digest must be the digest from the preview." },
    ]);
  });

  test("does not wait: while another of the network is being imported, in any process, it is 409", async () => {
    const body = file(rowOf("Ada", "Byron"));
    await app.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${lockOf.import}, ${network.id}::integer)`.execute(tx);
      const reply = await admin.ask(attorneyImports.preview, { query, body });
      expect(facts(reply)).toEqual([
        409,
        "Another file of this network is being read. Wait until it is done, then try again.",
      ]);
      const elsewhere = await signedIn(app, "admin", await makeNetwork(app.db));
      expect(await preview(body, elsewhere)).toMatchObject({ added: 1 });
    });
    expect(await preview(body)).toMatchObject({ added: 1 });
  });

  test("is briefly refused (503) before it is read if too many networks upload at the same time", async () => {
    const body = file(rowOf("Ada", "Byron"));
    const others = await Promise.all(
      Array.from({ length: maxUploadsAtOnce }, async () =>
        signedIn(app, "admin", await makeNetwork(app.db)),
      ),
    );
    const waiting = sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%imports_under_way%'`;
    const previews = await app.db.transaction().execute(async (tx) => {
      await sql`lock table imports_under_way in exclusive mode`.execute(tx);
      const held = others.map((other) => preview(body, other));
      await expect
        .poll(async () => (await waiting.execute(app.db)).rows[0]?.count)
        .toBe(maxUploadsAtOnce);
      await expect(preview(body)).rejects.toThrow(/answered 503: .*"The service is busy/);
      return held;
    });
    expect(await Promise.all(previews)).toMatchObject(previews.map(() => ({ added: 1 })));
    expect(await preview(body)).toMatchObject({ added: 1 });
  });

  test("keeps no place if its sender hangs up before authentication", async () => {
    const port = await portOf(app);
    const body = file(rowOf("Ada", "Byron"));
    const waiting = sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%sessions%'`;
    const connections = () => promisify(app.server.server.getConnections.bind(app.server.server))();
    await app.db.transaction().execute(async (tx) => {
      await sql`lock table sessions in access exclusive mode`.execute(tx);
      const sender = await RawConnection.open(port);
      const head = `${headersOf(admin)}Content-Type: text/csv\r\nContent-Length: ${body.length}\r\n`;
      sender.write(`POST ${url} HTTP/1.1\r\n${head}\r\n${body}`);
      await expect.poll(async () => (await waiting.execute(app.db)).rows[0]?.count).toBe(1);
      sender.socket.destroy();
      await expect.poll(connections).toBe(0);
    });
    await expect
      .poll(async () => (await admin.ask(attorneyImports.preview, { query, body })).status)
      .toBe(200);
  });

  test("with too many bad rows is not read to the end, to save memory", async () => {
    const bad = `${header}\n${"a\n".repeat(maxReportedRows + 1)}`;
    expect(facts(await admin.ask(attorneyImports.preview, { query, body: bad }))).toEqual([
      422,
      "More than 10,000 rows cannot be imported, so reading stopped. The first is row 2: There are 1 values for 5 columns.",
    ]);
  });
});
