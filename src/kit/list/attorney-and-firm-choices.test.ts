import { expect } from "vitest";
import { byNameRank, nameRank } from "#kit/domain/name-rank.ts";
import { listChoices } from "#kit/list/choices-contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listCandidates } from "#referrals/matters/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aFirm } from "#tests/support/received-checks.ts";

const test = appTest({ network: {} });

const lawyer = async (name: string, more: Parameters<typeof makeAttorney>[2] = {}) => {
  const [firstName = "", lastName = ""] = name.split(" ");
  return await makeAttorney(app.db, network, { firstName, lastName, ...more });
};

/** Mary Barnes, and others that the word "barnes" finds in other ways. */
async function aPanel(): Promise<Record<"mary" | "nick", MadeAttorney>> {
  const mary = await lawyer("Mary Barnes", { email: "mary@cedarlaw.example" });
  const nick = await lawyer("Nicholas Hatch", { email: "nhatch@abbottbarnes.example" });
  await lawyer("Anna Barnesworth");
  await lawyer("Zoe Lebarnes");
  await aFirm(app.db, network, [mary], "Cedar Law");
  await aFirm(app.db, network, [nick], "Abbott & Barnes");
  return { mary, nick };
}

const choices = async (of: "attorneys" | "firms" | "payers", search: string) =>
  (await admin.call(listChoices, { query: { of, search } })).map(({ name, foundBy }) =>
    foundBy === null ? name : `${name}, by ${foundBy}`,
  );
const candidates = async (search: string) =>
  (await admin.call(listCandidates, { query: { search } })).items.map(({ name, foundBy }) =>
    foundBy === null ? name : `${name}, by ${foundBy}`,
  );

test("names that match a whole word come first, then beginnings of words, then the middle", async () => {
  await aPanel();
  const expected = ["Mary Barnes", "Anna Barnesworth", "Zoe Lebarnes"];
  expect(await choices("attorneys", "barnes")).toEqual(expected);
  expect(await candidates("Barnes")).toEqual(expected);
  for (const typed of ["barnes, mary", "Mary  Barnes", "mary barn"])
    expect([typed, ...(await choices("attorneys", typed))]).toEqual([typed, "Mary Barnes"]);
});

test("an email, phone, bar number or firm matches only if no name does, and the result says which", async () => {
  const { nick } = await aPanel();
  await lawyer("Otto Grau", { phone: "(608) 555-0133", barNumber: "W-7781" });
  expect(await candidates("abbottbarnes")).toEqual([
    "Nicholas Hatch, by email nhatch@abbottbarnes.example",
  ]);
  expect(await candidates("abbott")).toEqual([
    `Nicholas Hatch, by email ${nick.email}, firm Abbott & Barnes`,
  ]);
  expect(await choices("attorneys", "608.555.0133")).toEqual([
    "Otto Grau, by phone (608) 555-0133",
  ]);
  expect(await choices("attorneys", "w-7781")).toEqual(["Otto Grau, by bar number W-7781"]);
});

test("choosing a payer finds the firm or lawyer typed, not the firm of that lawyer", async () => {
  await aPanel();
  expect(await choices("payers", "cedar law")).toEqual(["Cedar Law"]);
  expect(await choices("payers", "mary barnes")).toEqual(["Mary Barnes"]);
  expect(await choices("payers", "barnes")).toEqual([
    "Abbott & Barnes",
    "Mary Barnes",
    "Anna Barnesworth",
    "Zoe Lebarnes",
  ]);
  expect(await choices("firms", "mary barnes")).toEqual(["Cedar Law, by attorney Mary Barnes"]);
});

test("a firm found by its lawyer's phone, bar number or email names the lawyer", async () => {
  const otto = await lawyer("Otto Grau", { phone: "(608) 555-0133", barNumber: "W-7781" });
  await aFirm(app.db, network, [await lawyer("Ada Min"), otto], "Cedar Law");
  for (const typed of ["608.555.0133", "555-0133", "w-7781", otto.email])
    expect([typed, ...(await choices("firms", typed))]).toEqual([
      typed,
      "Cedar Law, by attorney Otto Grau",
    ]);
});

test("with nothing typed, firms come first, then the panel, then attorneys who have left, each by name", async () => {
  await lawyer("Zoe Young");
  await lawyer("Al Álvarez");
  await lawyer("Gus Gone", { leftOn: "2026-01-01" });
  const firm = await aFirm(app.db, network, [await lawyer("Bea Moss")], "Núñez & Kay LLP");
  expect(await choices("payers", "")).toEqual([
    "Núñez & Kay LLP",
    "Al Álvarez",
    "Bea Moss",
    "Zoe Young",
    "Gus Gone",
  ]);
  expect(await choices("attorneys", "")).not.toContain("Gus Gone");
  const [named] = await admin.call(listChoices, { query: { of: "firms", search: "", id: firm } });
  expect(named).toMatchObject({ kind: "firm", name: "Núñez & Kay LLP", lawyers: 1, foundBy: null });
});

test("an attorney who has left is named by id, but not another network's", async () => {
  const gone = await lawyer("Gus Gone", { leftOn: "2026-01-01" });
  const other = await makeAttorney(app.db, await makeNetwork(app.db), { lastName: "Barnes" });
  const named = (id: number) =>
    admin.call(listChoices, { query: { of: "attorneys", search: "", id } });
  expect((await named(gone.id)).map(({ name }) => name)).toEqual(["Gus Gone"]);
  expect(await named(other.id)).toEqual([]);
  expect(await choices("payers", "barnes")).toEqual([]);
});

test("options that the page already has are ranked by the same rule", () => {
  const plans = ["Annual dues (yearly)", "Yearly duesome", "Panel fee", "Dues"];
  expect(byNameRank(plans, (plan) => plan, "DUES")).toEqual([
    "Annual dues (yearly)",
    "Dues",
    "Yearly duesome",
  ]);
  expect(byNameRank(plans, (plan) => plan, "")).toEqual(plans);
  expect(nameRank("Núñez & Kay LLP", "nunez and")).toBe(0);
  expect(nameRank("Mary Barnes", "arnes ma")).toBe(2);
  expect(nameRank("Mary Barnes", "hatch")).toBeNull();
});
