import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as pageAnswers from "#kit/web/page-answers.tsx";

const answer = { success: true, object: { user: null }, message: null };

/** The module as a page has it that has just been loaded. */
let page: typeof pageAnswers;
let address: { href: string };
let millisecondsSinceLoading: number;

beforeEach(async () => {
  vi.resetModules();
  page = await import("#kit/web/page-answers.tsx");
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
  expect(page.takePageAnswer("/session")).toEqual(answer);
  expect(page.takePageAnswer("/session")).toBeUndefined();
  expect(page.takePageAnswer("/attorneys/8")).toBeUndefined();
});

test("nothing that came with the page counts once a change is sent", () => {
  page.takePageAnswer("/session");
  page.forgetPageAnswers();
  expect(page.takePageAnswer("/attorneys/7")).toBeUndefined();
});

test("nor once the page shows another address", () => {
  page.takePageAnswer("/session");
  address.href = "https://dues.example/dashboard/referrals";
  expect(page.takePageAnswer("/attorneys/7")).toBeUndefined();
});

test("nor when its code took longer than half a minute to come", () => {
  millisecondsSinceLoading = 30_000;
  expect(page.takePageAnswer("/session")).toBeUndefined();
});

test("a page that the server wrote without knowing who asks says so", () => {
  expect(page.pageHasAnswers()).toBe(true);
  loadedWith(null);
  expect(page.pageHasAnswers()).toBe(false);
  expect(page.takePageAnswer("/session")).toBeUndefined();
});
