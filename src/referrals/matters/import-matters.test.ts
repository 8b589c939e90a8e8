import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, vi } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import { operator } from "#access/networks/networks.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { countingStatements } from "#tests/support/statements.ts";
import { databaseTest, db, pool } from "#tests/support/database-test.ts";

let folder: string;
let network: MadeNetwork;
let maya: MadeAttorney;

const test = databaseTest();
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-matters-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  network = await makeNetwork(db, { timeZone: "America/New_York" });
  maya = await makeAttorney(db, network, {
    firstName: "Maya",
    lastName: "Okafor",
    email: `maya-${network.id}@example.test`,
    barNumber: "12345",
  });
});

const today = plainDate("2026-07-01");
/** Allows for a busy machine. */
const patient = { timeout: 60_000, interval: 20 };

const header =
  "Reference,First Name,Last Name,Phone,Submitted,Attorney,Referral Date,Last Report,Closed";
const row = (...cells: string[]) => cells.join(",");

async function imported(
  lines: string[],
  options: { skipsBad?: boolean; today?: string } = {},
  into = db,
) {
  const path = join(folder, "referrals.csv");
  await writeFile(path, lines.join("\r\n"));
  const { skipsBad = false } = options;
  return await importMatters(into, operator(network.id), {
    path,
    skipsBad,
    encoding: "utf-8",
    today: options.today ? plainDate(options.today) : today,
  });
}

test("two imports at the same time record a referral without a reference once", async () => {
  const lines = Array.from({ length: 300 }, (_, index) =>
    row("", `Client${index}`, "Many", "", "05/01/2026", "", "", "", ""),
  );
  const path = join(folder, "twice.csv");
  await writeFile(path, [header, ...lines].join("\r\n"));
  const file = { path, skipsBad: false, encoding: "utf-8" as const, today };
  const once = () => importMatters(db, operator(network.id), file);
  const reports = await Promise.all([once(), once()]);
  const facts = reports.map(({ inserted, unchanged }) => ({ inserted, unchanged }));
  expect(facts).toContainEqual({ inserted: 300, unchanged: 0 });
  expect(facts).toContainEqual({ inserted: 0, unchanged: 300 });
  expect(await matters()).toHaveLength(300);
});

test("a referral closed while a file is imported stays closed", async () => {
  const of = (phone: string) =>
    row("R-1", "Ann", "Abbott", phone, "6/1/2026", "12345", "6/2/2026", "", "");
  await imported([header, of("")]);
  const reporting = await pool.connect();
  await reporting.query("begin");
  await reporting.query(
    "update matters set status = 'closed', closed_at = now(), report_due_on = null where network_id = $1",
    [network.id],
  );
  const importing = imported([header, of("(555) 010-0001")]);
  await vi.waitUntil(async () => {
    const { rows } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  }, patient);
  await reporting.query("commit");
  reporting.release();
  expect(await importing).toMatchObject({ updated: 1, isImported: true });
  const found = await db
    .selectFrom("matters")
    .select(["status", "phone", "reportDueOn"])
    .where("networkId", "=", network.id)
    .execute();
  expect(found).toEqual([{ status: "closed", phone: "(555) 010-0001", reportDueOn: null }]);
});

test("an import of past referrals emails nobody", async () => {
  const report = await imported([
    header,
    row("R-1", "Ann", "Abbott", "", "6/1/2026", "12345", "6/2/2026", "", ""),
    row("R-2", "Bea", "Baker", "", "6/1/2026", "", "", "", ""),
  ]);
  expect(report).toMatchObject({ isImported: true, inserted: 2 });
  await imported([header, row("R-2", "Bea", "Baker", "", "6/1/2026", "12345", "", "", "")]);
  const mails = await db
    .selectFrom("mails")
    .select("subject")
    .where("networkId", "=", network.id)
    .execute();
  expect(mails).toEqual([]);
});

test("a referral without a reference is matched however the client's name is written", async () => {
  const of = (first: string, last: string) =>
    row("", first, last, "", "05/01/2026", "", "", "", "");
  await imported([header, of("Zoé", "Lemaître")]);
  for (const [first, last] of [
    ["Zoe\u0301", "Lemai\u0302tre"],
    ["ZOE", "LEMAITRE"],
    ["Zoé\u200b", "\u00a0Lemaître"],
  ] as const)
    expect(await imported([header, of(first, last)])).toMatchObject({ inserted: 0 });
  expect(await matters()).toHaveLength(1);
  const twice = await imported([header, of("Inès", "Muñoz"), of("Ines", "Mun\u0303oz")]);
  expect(twice).toMatchObject({ isImported: false, inserted: 0 });
});

test("an administrator's file edits no details where the network does not permit it, but moves the status on", async () => {
  const first = row("R-1", "Ann", "Abbott", "", "6/1/2026", "", "", "", "");
  const next = row("R-1", "Anna", "Abbot", "", "6/1/2026", "12345", "6/2/2026", "", "");
  await imported([header, first]);
  const path = join(folder, "edited.csv");
  await writeFile(path, [header, next].join("\r\n"));
  const by = (permitsMatterEditing: boolean) => {
    const admin = { ...operator(network.id), permitsMatterEditing };
    return importMatters(db, admin, { path, skipsBad: false, encoding: "utf-8", today });
  };
  const names = async () =>
    await db
      .selectFrom("matters")
      .select(["firstName", "lastName", "status"])
      .where("networkId", "=", network.id)
      .executeTakeFirstOrThrow();
  expect(await by(false)).toMatchObject({ isImported: true, updated: 1 });
  expect(await names()).toEqual({ firstName: "Ann", lastName: "Abbott", status: "open" });
  await by(true);
  expect(await names()).toMatchObject({ firstName: "Anna", status: "open" });
});

test("a row that refers to a departed attorney is refused; a closed referral is accepted", async () => {
  await db
    .updateTable("attorneys")
    .set({ leftOn: "2026-06-15" })
    .where("networkId", "=", network.id)
    .where("id", "=", maya.id)
    .execute();
  const report = await imported(
    [
      header,
      row("R-1", "Ann", "Abbott", "", "6/1/2026", "12345", "6/2/2026", "", ""),
      row("R-2", "Bea", "Baker", "", "5/1/2026", "12345", "5/2/2026", "5/20/2026", "5/30/2026"),
    ],
    { skipsBad: true },
  );
  expect(report).toMatchObject({
    inserted: 1,
    problems: [
      {
        field: "attorney",
        message: "Maya Okafor has left the panel and receives no new referrals.",
      },
    ],
  });
});

describe("a referral that was withdrawn", () => {
  const ofJune = row("R-7", "Ann", "Abbott", "", "", "12345", "06/02/2026", "", "");

  /** Withdrawn from Maya on a June evening in the network's time zone, or from the attorney after her. */
  async function withdrawn(from: "Maya" | "the next attorney") {
    await imported([header, ofJune]);
    const { id } = await db
      .selectFrom("matters")
      .select("id")
      .where("networkId", "=", network.id)
      .executeTakeFirstOrThrow();
    const change = (attorneyId: number | null) =>
      db
        .updateTable("matters")
        .set(
          attorneyId === null
            ? { attorneyId, status: "new", referredAt: null, reportDueOn: null }
            : { attorneyId },
        )
        .where("networkId", "=", network.id)
        .execute();
    if (from !== "Maya") await change((await makeAttorney(db, network)).id);
    await change(null);
    await db
      .updateTable("matterReferrals")
      .set({ endedAt: "2026-06-21T03:30:00Z" })
      .where("networkId", "=", network.id)
      .where("matterId", "=", id)
      .execute();
  }

  test("is not referred again by the same file: its row is refused, with the date of the withdrawal", async () => {
    await withdrawn("Maya");
    const before = await matters();
    const remedy = "Enter a later referral date to refer it again.";
    for (const again of [
      ofJune,
      row("R-7", "Ann", "Abbott", "", "", "12345", "06/20/2026", "", ""),
      row("R-7", "Ann", "Abbott", "", "", "12345", "", "", ""),
      row("R-7", "Ann", "Abbott", "", "", "12345", "", "06/30/2026", ""),
      row("R-7", "Ann", "Abbott", "", "", "12345", "06/02/2026", "", "06/30/2026"),
    ])
      expect(await imported([header, again])).toMatchObject({
        isImported: false,
        problems: [
          {
            line: 2,
            field: "attorney",
            message: `This referral was withdrawn from Maya Okafor on 06/20/2026. ${remedy}`,
          },
        ],
      });
    expect(await matters()).toEqual(before);
    expect(before).toMatchObject([{ status: "new", attorneyId: null }]);
  });

  test("is not referred again to an earlier attorney by the same file", async () => {
    await withdrawn("the next attorney");
    expect(await imported([header, ofJune])).toMatchObject({
      isImported: false,
      problems: [
        {
          message: expect.stringMatching(
            "^This referral was reassigned from Maya Okafor on 06/20/2026\\.",
          ),
        },
      ],
    });
  });

  test("is referred again by a file with a later date, or with another attorney", async () => {
    await withdrawn("Maya");
    const later = row("R-7", "Ann", "Abbott", "", "", "12345", "06/21/2026", "", "");
    expect(await imported([header, later])).toMatchObject({ updated: 1 });
    expect(await matters()).toMatchObject([{ attorneyId: maya.id, referred: "2026-06-21" }]);
    network = await makeNetwork(db, { timeZone: "America/New_York" });
    maya = await makeAttorney(db, network, { barNumber: "12345" });
    const other = await makeAttorney(db, network, { barNumber: "777" });
    await withdrawn("Maya");
    await imported([header, ofJune.replace("12345", "777")]);
    expect(await matters()).toMatchObject([{ attorneyId: other.id, referred: "2026-06-02" }]);
  });

  test("is unchanged by a file that names no attorney", async () => {
    await withdrawn("Maya");
    const nobody = row("R-7", "Ann", "Abbott", "", "", "", "", "", "");
    expect(await imported([header, nobody])).toMatchObject({ isImported: true, unchanged: 1 });
  });
});

async function matters() {
  const { rows } = await sql<Record<string, unknown>>`
    select reference, first_name || ' ' || last_name as name, phone, status, attorney_id, report_due_on,
      (submitted_at at time zone 'America/New_York')::date as submitted,
      (referred_at at time zone 'America/New_York')::date as referred,
      (closed_at at time zone 'America/New_York')::date as closed
    from matters where network_id = ${network.id} order by id`.execute(db);
  return rows;
}

describe("a file of referrals", () => {
  test("records new, open and closed ones, and finds attorneys by email or bar number", async () => {
    const report = await imported([
      header,
      row("R-1", "Ann", "Abbott", "555.010.4477", "6/1/2026", "", "", "", ""),
      row("R-2", "Bea", "Baker", "", "2026-05-01", maya.email.toUpperCase(), "05/03/2026", "", ""),
      row("R-3", "Cy", "Chen", "", "05/01/2026", "12345", "05/03/2026", "06/10/2026", ""),
      row("R-4", "Di", "Diaz", "", "05/01/2026", "12345", "05/03/2026", "", "06/15/2026"),
      row("R-5", "Ed", "Eng", "", "05/01/2026", "12345", "", "", ""),
    ]);
    expect(report).toMatchObject({ isImported: true, inserted: 5, problems: [] });
    const nobody = { attorneyId: null, referred: null, closed: null, reportDueOn: null };
    const hers = { attorneyId: maya.id, submitted: "2026-05-01", referred: "2026-05-03" };
    expect(await matters()).toMatchObject([
      {
        ...nobody,
        name: "Ann Abbott",
        phone: "(555) 010-4477",
        submitted: "2026-06-01",
        status: "new",
      },
      { ...hers, status: "open", reportDueOn: "2026-06-02", closed: null },
      { ...hers, status: "open", reportDueOn: "2026-07-10", closed: null },
      { ...hers, status: "closed", reportDueOn: null, closed: "2026-06-15" },
      { ...hers, referred: "2026-05-01", status: "open", reportDueOn: "2026-05-31" },
    ]);
  });

  test("imported twice, even on another day, changes nothing the second time", async () => {
    const file = [
      header,
      row("R-1", "Ann", "Abbott", "", "", "", "", "", ""),
      row("", "Bea", "Baker", "", "05/01/2026", "12345", "", "", ""),
      row("", "BEA", "Baker", "", "05/02/2026", "12345", "05/03/2026", "06/01/2026", ""),
      row("R-4", "Di", "Diaz", "", "", "12345", "", "", "06/15/2026"),
    ];
    expect(await imported(file)).toMatchObject({ inserted: 4 });
    const before = await matters();
    for (const day of ["2026-07-01", "2026-09-01"])
      expect(await imported(file, { today: day })).toMatchObject({
        inserted: 0,
        updated: 0,
        unchanged: 4,
      });
    expect(await matters()).toEqual(before);
  });

  test("updates known referrals, moves statuses only forward, and ignores empty cells", async () => {
    await imported([
      header,
      row("R-1", "Ann", "Abbott", "555.010.4477", "06/01/2026", "", "", "", ""),
      row("R-2", "Bea", "Baker", "", "05/01/2026", "12345", "05/03/2026", "06/01/2026", ""),
      row("R-3", "Cy", "Chen", "", "05/01/2026", "12345", "05/03/2026", "", "06/01/2026"),
    ]);
    const report = await imported([
      header,
      row("R-1", "Anna", "Abbott", "", "06/01/2026", "12345", "06/20/2026", "", ""),
      row("R-2", "Bea", "Baker", "", "", "", "", "", ""),
      row("R-3", "Cy", "Chen", "", "", "", "", "", ""),
    ]);
    expect(report).toMatchObject({ inserted: 0, updated: 1, unchanged: 2 });
    expect(await matters()).toMatchObject([
      {
        name: "Anna Abbott",
        phone: "(555) 010-4477",
        status: "open",
        referred: "2026-06-20",
        reportDueOn: "2026-07-20",
      },
      { status: "open", reportDueOn: "2026-07-01" },
      { status: "closed", closed: "2026-06-01" },
    ]);
    await imported([
      header,
      row("R-2", "Bea", "Baker", "", "", "12345", "", "06/20/2026", ""),
      row("R-1", "Anna", "Abbott", "", "", "12345", "", "", "06/30/2026"),
    ]);
    expect(await matters()).toMatchObject([
      { status: "closed", closed: "2026-06-30", reportDueOn: null },
      { status: "open", reportDueOn: "2026-07-20" },
      {},
    ]);
  });

  test("with bad rows is refused as a whole, each with its line and the reason", async () => {
    const other = await makeAttorney(db, network, { barNumber: "777" });
    const stranger = await makeAttorney(db, await makeNetwork(db), { barNumber: "888" });
    await imported([header, row("R-9", "Zed", "Zorn", "", "", "777", "", "", "")]);
    const lines = [
      header,
      row("R-1", "Ann", "Abbott", "555", "", "", "", "", ""),
      row("", "Bea", "Baker", "", "", "", "", "", ""),
      row("R-3", "Cy", "Chen", "", "yesterday", "", "", "", ""),
      row("R-4", "Di", "Diaz", "", "", "", "05/01/2026", "", ""),
      row("R-5", "Ed", "Eng", "", "", "888", "", "", ""),
      row("R-6", "Flo", "Fox", "", "07/02/2026", "", "", "", ""),
      row("R-7", "Gil", "Gray", "", "05/02/2026", "12345", "05/01/2026", "", ""),
      row(
        "R-8",
        "Hal",
        "Hart",
        "",
        "05/01/2026",
        "12345",
        "05/03/2026",
        "06/01/2026",
        "05/20/2026",
      ),
      row("R-9", "Zed", "Zorn", "", "", "12345", "", "", ""),
      row("R-10", "Ida", "Ives", "", "05/01/2026", "", "", "", ""),
      row("R-10", "Ida", "Ives", "", "05/01/2026", "", "", "", ""),
    ];
    expect(stranger.id).not.toBe(other.id);
    const report = await imported(lines);
    expect(report.isImported).toBe(false);
    expect(report.problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      "2: Phone must be a US phone number, such as (555) 010-4477 or (555) 010-4477 x12.",
      "3: Reference must be given if there is no submission date.",
      "4: Submitted must be a date such as 01/31/2027 or 2027-01-31.",
      "5: Attorney must be given if there is a referral, report or closing date.",
      '6: Nobody on the panel has the email address or bar number "888".',
      "7: Dates must not be after today.",
      "8: Dates must be in this order: submitted, referred, last report, closed.",
      "9: Dates must be in this order: submitted, referred, last report, closed.",
      `10: This referral already went to another attorney, ${other.firstName} ${other.lastName}.`,
      "12: This reference is already on line 11.",
    ]);
    expect(await matters()).toHaveLength(1);
    const good = await imported(lines, { skipsBad: true });
    expect(good).toMatchObject({ isImported: true, rows: 11, inserted: 1, skipped: 10 });
    expect(await matters()).toMatchObject([{ reference: "R-9" }, { reference: "R-10" }]);
  });

  test("updates suspensions in the same transaction", async () => {
    await db
      .updateTable("networks")
      .set({ suspendsOverdueAttorneys: true })
      .where("id", "=", network.id)
      .execute();
    const report = await imported([
      header,
      row("R-1", "Ann", "Abbott", "", "03/01/2026", "12345", "03/02/2026", "", ""),
    ]);
    expect(report).toMatchObject({ suspended: 1, lifted: 0 });
    const closed = row("R-1", "Ann", "Abbott", "", "", "", "", "", "");
    expect(await imported([header, closed])).toMatchObject({ suspended: 0, lifted: 0 });
    const last = row("R-1", "Ann", "Abbott", "", "", "12345", "", "06/30/2026", "");
    expect(await imported([header, last])).toMatchObject({ suspended: 0, lifted: 1 });
  });

  test("leaves one audit entry per referral and one for the import", async () => {
    await imported([header, row("R-1", "Ann", "Abbott", "", "", "", "", "", "")]);
    await imported([header, row("R-1", "Anna", "Abbott", "", "", "", "", "", "")]);
    const trail = await db
      .selectFrom("auditEntries")
      .select(["action", "before", "after", "actorName"])
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(trail).toMatchObject([
      { action: "recorded", after: { firstName: "Ann" } },
      { action: "imported", after: { file: "referrals.csv", inserted: 1 } },
      {
        action: "changed details",
        before: { firstName: "Ann" },
        after: { firstName: "Anna" },
        actorName: "Operator (command line)",
      },
      { action: "imported" },
    ]);
  });

  test("of thousands of rows takes a few queries, not one per row", async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      row(
        `R-${index}`,
        `Client${index}`,
        "Many",
        "(555) 010-4477",
        "05/01/2026",
        "12345",
        "",
        "",
        "",
      ),
    );
    const counting = countingStatements(db);
    const again = async () => await imported([header, ...lines], {}, counting.db);
    expect(await again()).toMatchObject({ inserted: 3_000 });
    expect(await again()).toMatchObject({ unchanged: 3_000 });
    expect(counting.count()).toBeLessThan(200);
  });
});
