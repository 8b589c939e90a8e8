import { expect } from "vitest";
import { firstScreens } from "#main/first-screens.ts";
import { examples, type Largest, pages, withoutExample } from "#tests/bench/every-get.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* The bench would not measure a call or page that is missing here: `npm run bench -- --only event-loop`. */

const test = appTest();

test("the bench measures every GET of the contract and no others", () => {
  const endpoints = app.server.endpoints.map(({ endpoint }) => endpoint);
  expect(withoutExample(endpoints)).toEqual([]);
  expect(withoutExample([{ method: "GET", path: "/new_call" }])).toEqual(["/new_call"]);
  const paths = new Set(endpoints.filter(({ method }) => method === "GET").map(({ path }) => path));
  expect(Object.keys(examples).filter((path) => !paths.has(path))).toEqual([]);
});

test("the bench measures every page that is sent with its first screen's answers", () => {
  const one: Largest = {
    attorney: 1,
    other: 1,
    plan: 1,
    enrolment: 1,
    batch: 1,
    firm: 1,
    check: 1,
    deposit: 1,
    matter: 1,
    payment: 1,
    card: 1,
    report: 1,
  };
  const measured = pages(one).map(({ path }) => path);
  const missing = firstScreens.screens.filter(
    ({ path, calls }) => calls && !measured.some((address) => path.test(address)),
  );
  expect(missing).toEqual([]);
});
