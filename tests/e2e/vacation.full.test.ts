import { expect } from "vitest";
import { app } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  heading,
  openAttorney,
  setPausedUntil,
  unpause,
  until,
  vacationTest,
} from "#tests/support/screens/vacation.ts";

/* Further cases of vacations; attorneys.test.ts and own-vacations.test.ts test when they begin and end. */

const test = vacationTest();

test("text that is not a date is refused before anything is sent", async () => {
  await openAttorney();
  await until().fill("2/29/2027");
  await page.keyboard.press("Tab");
  await page.getByText("Date input not valid.").waitFor();
  expect(watched.alerts).toEqual([]);
  await until().fill("11/29/2026");
  await page.keyboard.press("Enter");
  const refusal = "Vacation until must be today or a later date.";
  await page.getByText(refusal).waitFor();
  await expect.poll(() => watched.alerts).toEqual([refusal]);
  await expect.poll(() => unpause().count()).toBe(0);
});

test("a vacation ends automatically when the date comes in the network's time zone", async () => {
  await setPausedUntil("2026-12-01");
  app.setClock("2026-12-01T04:59:00Z"); // 11:59 PM in New York
  await openAttorney();
  await heading().getByText("On vacation until 12/01/2026").waitFor();
  app.setClock("2026-12-01T05:01:00Z");
  await page.reload();
  await heading().getByText("Active").waitFor();
  await expect.poll(() => unpause().count()).toBe(0);
  await expect.poll(() => until().inputValue()).toBe("");
});

test("the history on the page says who changed what, from what to what", async () => {
  await openAttorney();
  await until().fill("12/15/2026");
  await page.keyboard.press("Enter");
  await page.getByText("Ada Byron is on vacation until 12/15/2026.").waitFor();
  await page.getByRole("tab", { name: "History" }).click();
  const history = page.getByRole("table", { name: "History" });
  await history.getByText("Put on vacation").waitFor();
  await expect
    .poll(async () => (await history.innerText()).replace(/\s+/g, " "))
    .toMatch(
      /Ada Min Put on vacation Ada Byron Attorney On vacation until: nothing → became 12\/15\/2026/,
    );
});

test("a vacation is typed and confirmed with Enter, by keyboard only", async () => {
  await openAttorney();
  await until().focus();
  await page.keyboard.type("1/5/2027");
  await page.keyboard.press("Enter");
  await page.getByText("Ada Byron is on vacation until 01/05/2027.").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Ada Byron is not on vacation.").waitFor();
  expect(watched.alerts).toEqual([]);
});
