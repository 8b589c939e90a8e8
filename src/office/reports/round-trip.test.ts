import "#main/reports.ts";
import * as fc from "fast-check";
import { describe, expect, onTestFinished } from "vitest";
import type { z } from "zod";
import { Name, Note } from "#kit/contract/fields.ts";
import { attorneyImports, ImportedAttorney } from "#people/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatters, makeReports, type NewMatter } from "#main/demo/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { exportTypes } from "#kit/list/offered-reports.ts";
import { matterImports } from "#referrals/matters/contract.ts";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { makeDemo } from "#main/demo.ts";
import { anApp } from "#tests/support/running-app.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { rounds } from "#tests/support/rounds.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Our exports can be imported again and change nothing. */

const test = appTest({ clock: "2026-11-21T17:00:00Z" });

const columnsOf = (type: string, but: string[] = []) =>
  (exportTypes.find(({ value }) => value === type)?.columns ?? [])
    .map(({ value }) => value)
    .filter((value) => !but.includes(value));

async function exported(admin: Visitor, type: string, but: string[] = [], from = app) {
  const wanted = {
    report_type: type,
    columns: columnsOf(type, but),
    range_mode: "all-time" as const,
  };
  return (await exportedFile(from, admin, wanted)).bytes;
}

const previewOf = {
  attorneys: (admin: Visitor, body: Buffer | string) =>
    admin.call(attorneyImports.preview, { query: { file_name: "attorneys.csv" }, body }),
  matters: (admin: Visitor, body: Buffer | string) =>
    admin.call(matterImports.preview, { query: { file_name: "referrals.csv" }, body }),
};

/** Stored texts with everything that a CSV file, a spreadsheet or an import may stumble on. */
const texts = (schema: z.ZodType<string, string>, maxLength: number) =>
  fc
    .string({
      unit: fc.constantFrom(...Array.from("abZ09 '\",;|\t=+-@.éßñ’—王\n\r#")),
      maxLength,
    })
    .filter((text) => schema.safeParse(text).success)
    .map((text) => schema.parse(text));

const { shape } = ImportedAttorney;
const names = texts(Name, 12);
const lines = texts(Name.or(shape.firm.unwrap()), 20);
const contact = {
  phone: fc.constantFrom("", "(212) 555-0147", "(212) 555-0148 x12"),
  addressLine1: lines,
  addressLine2: lines,
  addressCity: lines,
  addressRegion: fc.constantFrom("", "NY", "MA"),
  addressZip: fc.constantFrom("", "02110", "10013-2413"),
};

describe("attorneys", () => {
  const firmNames = ["Hale LLP", "=Hale; +Co", "O'Neil & “Sons”"];
  const attorneys = fc.uniqueArray(
    fc.record({
      ...contact,
      firstName: names,
      lastName: names,
      barNumber: fc.oneof(fc.constantFrom("", "123", "000123", "0"), lines),
      firm: fc.constantFrom("", ...firmNames),
    }),
    { minLength: 1, maxLength: 12, selector: ({ barNumber }) => barNumber || Symbol("none") },
  );

  test("of any kind are exported and imported unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(attorneys, async (panel) => {
        const network = await makeNetwork(app.db);
        const admin = await signedIn(app, "admin", network);
        const firms = await app.db
          .insertInto("firms")
          .values(firmNames.map((name) => ({ networkId: network.id, name })))
          .returning(["id", "name"])
          .execute();
        for (const { firm, ...attorney } of panel) {
          const firmId = firms.find(({ name }) => name === firm)?.id ?? null;
          await makeAttorney(app.db, network, { ...attorney, firmId });
        }
        const found = await previewOf.attorneys(admin, await exported(admin, "attorneys"));
        expect(found.problems).toEqual([]);
        expect(found).toMatchObject({
          rows: panel.length,
          unchanged: panel.length,
          askedColumns: [],
        });
      }),
      { numRuns: rounds(5, 12) },
    );
  });
});

describe("referrals", () => {
  const day = (month: string) =>
    fc.integer({ min: 10, max: 28 }).map((date) => `2026-${month}-${date}`);
  const at = (on: string) => `${on}T15:00:00Z`;

  /** The outcomes of referrals: their columns, and the days of their reports. */
  const outcomes = fc
    .record({
      submitted: day("05"),
      referred: day("06"),
      reported: fc.array(day("07"), { maxLength: 2 }),
      closed: day("08"),
      kind: fc.constantFrom(
        "new",
        "withdrawn",
        "closed as nobody's",
        "open",
        "reassigned",
        "closed",
      ),
    })
    .map(({ submitted, referred, reported, closed, kind }) => {
      const isTheirs = ["open", "reassigned", "closed"].includes(kind);
      const referredAt = kind === "reassigned" ? at("2026-08-01") : at(referred);
      return {
        submittedAt: at(submitted),
        status: isTheirs
          ? kind === "closed"
            ? "closed"
            : "open"
          : kind.startsWith("closed")
            ? "closed"
            : "new",
        isTheirs,
        referredAt: isTheirs ? referredAt : null,
        closedAt: kind.startsWith("closed") ? at(closed) : null,
        // Not a whole period after anything: the network's period was different then.
        reportDueOn: ["open", "reassigned"].includes(kind) ? "2026-08-20" : null,
        reports: kind === "new" || kind === "closed as nobody's" ? [] : reported,
      } as const;
    });

  const referrals = fc.uniqueArray(
    fc.record({
      ...contact,
      fate: outcomes,
      // Few, so that clients share a name and day.
      firstName: fc.oneof(fc.constantFrom("Ann", "ANN"), names),
      lastName: fc.oneof(fc.constantFrom("Abbott", "O'Neil", "O’Neil"), names),
      reference: fc.oneof(
        fc.constantFrom("", "123", "000123"),
        lines.map((text) => text.slice(0, 50)),
      ),
      email: fc.constantFrom("", "ann@example.test"),
      note: texts(Note, 30),
      contactPreference: fc.constantFrom("phone", "email", "either"),
      followupConsent: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12, selector: ({ reference }) => reference || Symbol("none") },
  );

  test.for<[string, string[]]>([
    ["with all its columns", []],
    ["without the reference of each", ["reference"]],
  ])("of any kind are exported and imported unchanged %s", async ([, but]) => {
    await fc.assert(
      fc.asyncProperty(referrals, async (many) => {
        const network = await makeNetwork(app.db, { permitsMatterEditing: true });
        const admin = await signedIn(app, "admin", network);
        const { id: attorneyId } = await makeAttorney(app.db, network);
        const matters = many.map(({ fate, ...matter }): NewMatter => {
          const { reports: _, isTheirs, ...standing } = fate;
          return { ...matter, ...standing, attorneyId: isTheirs ? attorneyId : null };
        });
        const ids = await makeMatters(app.db, network, matters);
        const reports = many.flatMap(({ fate }, index) =>
          fate.reports.map((filedOn) => ({
            matterId: ids[index] ?? 0,
            attorneyId,
            outcome: "consulted" as const,
            filedOn,
          })),
        );
        if (reports.length > 0) await makeReports(app.db, network, reports);
        const found = await previewOf.matters(admin, await exported(admin, "matters", but));
        expect(found.problems).toEqual([]);
        expect(found).toMatchObject({
          rows: many.length,
          unchanged: many.length,
          askedColumns: [],
        });
      }),
      { numRuns: rounds(5, 12) },
    );
  });

  test("that match two referrals are refused, with both named, and never added", async () => {
    const network = await makeNetwork(app.db);
    const admin = await signedIn(app, "admin", network);
    const grace = await makeAttorney(app.db, network, { lastName: "Hopper" });
    const ann = { firstName: "Ann", lastName: "O’Neil", submittedAt: at("2026-05-05") };
    const open = {
      status: "open",
      referredAt: at("2026-05-06"),
      reportDueOn: "2026-06-05",
    } as const;
    const [one, other] = await makeMatters(app.db, network, [
      { ...ann, ...open, attorneyId: grace.id, reference: "R-1" },
      ann,
      { ...ann, lastName: "Abbott" },
    ]);
    const file = await exported(admin, "matters", ["matter_id", "reference"]);
    const found = await previewOf.matters(admin, file);
    expect(found).toMatchObject({ added: 0, changed: 0, unchanged: 1, refused: 2 });
    expect(new Set(found.problems.map(({ message }) => message))).toEqual(
      new Set([
        `These referrals have this client's name and date: number ${one} (open, with Grace Hopper) and number ${other} (new). Enter the reference of the right one, or change it on its page.`,
        "This name and submission date is already on row 2.",
      ]),
    );
    const byHand = await previewOf.matters(
      admin,
      "First name,Last name,Submitted on\nann,ONEIL,5/5/2026\nANN,Abbott,5/5/2026\n",
    );
    expect(byHand).toMatchObject({ added: 0, unchanged: 1, refused: 1 });
  });
});

test("thousands of referrals with the same name and day are exported and imported unchanged, and no slower", async () => {
  const network = await makeNetwork(app.db);
  const admin = await signedIn(app, "admin", network);
  const alike = { firstName: "Unknown", lastName: "Caller", submittedAt: "2026-05-05T15:00:00Z" };
  await makeMatters(
    app.db,
    network,
    Array.from({ length: 4000 }, () => alike),
  );
  const file = await exported(admin, "matters", ["reference"]);
  expect(await previewOf.matters(admin, file)).toMatchObject({ unchanged: 4000, refused: 0 });
});

test("the demo's reports are exported and imported unchanged, in both networks", async () => {
  const demo = await anApp({ clock: "2026-11-21T17:00:00Z" });
  onTestFinished(() => demo.close());
  await makeDemo(demo.pool, demo.server.now);
  for (const email of ["admin@demo.test", "admin@lakeside.test"]) {
    const admin = aVisitor(demo);
    await admin.send("POST", "/api/auth/sign-in/email", { email, password: demoPassword });
    for (const type of ["attorneys", "matters"] as const) {
      const found = await previewOf[type](admin, await exported(admin, type, [], demo));
      expect(found.problems).toEqual([]);
      expect(found).toMatchObject({ added: 0, changed: 0, unchanged: found.rows, keptDetails: 0 });
      expect(found.rows).toBeGreaterThan(4);
    }
  }
});
