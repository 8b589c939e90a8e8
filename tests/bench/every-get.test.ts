import { expect } from "vitest";
import { firstScreens } from "#main/first-screens.ts";
import { examples, type Largest, pages, withoutExample } from "#tests/bench/every-get.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* A call or a page that the bench does not know would be measured by nobody: `npm run bench -- --only event-loop`. */

const test = appTest();

test("the bench measures each GET of the contract, and none that is not there", () => {
  const endpoints = app.server.endpoints.map(({ endpoint }) => endpoint);
  expect(withoutExample(endpoints)).toEqual([]);
  expect(withoutExample([{ method: "GET", path: "/new_call" }])).toEqual(["/new_call"]);
  const paths = new Set(endpoints.filter(({ method }) => method === "GET").map(({ path }) => path));
  expect(Object.keys(examples).filter((path) => !paths.has(path))).toEqual([]);
});

test("the bench measures each page that brings its first screen's answers", () => {
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
