import { expect } from "vitest";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";

const test = pageTest({ network: {}, attorney: {}, by: "admin" });

test("a search that is still running when you leave the list does not lead back to it", async () => {
  const held = Promise.withResolvers<void>();
  await page.clock.install();
  await page.goto("/admin/attorneys");
  await page.getByRole("searchbox").waitFor();
  // The list stays visible while the code of the next screen loads.
  await page.route(/FirmsScreen/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("searchbox").fill("hale");
  await page.getByRole("link", { name: "Firms" }).click();
  await page.clock.fastForward(1_000); // the pause of the search is over
  held.resolve();
  await page.getByRole("heading", { name: "Firms" }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/admin/firms");
});

test.for([
  { list: "/admin/attorneys", field: "Status", chosen: "suspended", filter: "status=suspended" },
  { list: "/admin/matters", field: "Status", chosen: "closed", filter: "status=closed" },
  { list: "/admin/checks", field: "Status", chosen: "denied", filter: "status=denied" },
  { list: "plan", field: "Enrolment", chosen: "ended", filter: "state=ended" },
])(
  "a filter chosen before the pause after typing stays ($list)",
  async ({ list, field, chosen, filter }) => {
    const path = list === "plan" ? `/admin/plans/${(await makePlan(app.db, network)).id}` : list;
    await makeMatter(app.db, network); // without any, that list has nothing to search
    await page.goto(path);
    await page.getByRole("searchbox").waitFor();
    const select = await page.getByLabel(field, { exact: true }).elementHandle();
    // Both in one task of the browser, so that the pause ends after the choice on any machine.
    await page.getByRole("searchbox").evaluate(
      (search, { other, value }) => {
        const enter = (control: Element, text: string, event: string) => {
          const prototype: unknown = Object.getPrototypeOf(control);
          Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(control, text); // as a person does: React must notice
          control.dispatchEvent(new Event(event, { bubbles: true }));
        };
        enter(search, "hale", "input");
        if (other) enter(other, value, "change");
      },
      { other: select, value: chosen },
    );
    await expect.poll(() => new URL(page.url()).search).toContain("search=hale");
    expect(new URL(page.url()).search).toBe(`?${filter}&search=hale`);
  },
);
