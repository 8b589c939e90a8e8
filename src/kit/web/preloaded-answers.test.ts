import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as pageAnswers from "#kit/web/preloaded-answers.tsx";

const answer = { success: true, object: { user: null }, message: null };

/** The module as a freshly loaded page has it. */
let page: typeof pageAnswers;
let address: { href: string };
let millisecondsSinceLoading: number;

beforeEach(async () => {
  vi.resetModules();
  page = await import("#kit/web/preloaded-answers.tsx");
  address = { href: "https://dues.example/dashboard" };
  loadedWith(JSON.stringify({ "/session": answer, "/attorneys/7": answer }));
  vi.stubGlobal("window", { location: address });
  millisecondsSinceLoading = 2_000;
  vi.spyOn(performance, "now").mockImplementation(() => millisecondsSinceLoading);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function loadedWith(textContent: string | null): void {
  const element = textContent === null ? null : { textContent };
  vi.stubGlobal("document", { querySelector: () => element });
}

test("an answer that came with the page is taken once", () => {
  expect(page.takePreloadedAnswer("/session")).toEqual(answer);
  expect(page.takePreloadedAnswer("/session")).toBeUndefined();
  expect(page.takePreloadedAnswer("/attorneys/8")).toBeUndefined();
});

test("answers in the page are dropped once a change is sent", () => {
  page.takePreloadedAnswer("/session");
  page.discardPreloadedAnswers();
  expect(page.takePreloadedAnswer("/attorneys/7")).toBeUndefined();
});

test("answers in the page are dropped once it shows another address", () => {
  page.takePreloadedAnswer("/session");
  address.href = "https://dues.example/dashboard/referrals";
  expect(page.takePreloadedAnswer("/attorneys/7")).toBeUndefined();
});

test("answers in the page are dropped if its code took over 30 seconds to load", () => {
  millisecondsSinceLoading = 30_000;
  expect(page.takePreloadedAnswer("/session")).toBeUndefined();
});

test("a page served without a known user says so", () => {
  expect(page.hasPreloadedAnswers()).toBe(true);
  loadedWith(null);
  expect(page.hasPreloadedAnswers()).toBe(false);
  expect(page.takePreloadedAnswer("/session")).toBeUndefined();
});
