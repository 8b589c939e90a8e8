import * as fc from "fast-check";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { redirectToSignIn, pathAfterSignIn, setSigningOut } from "#kit/web/sign-in-redirect.tsx";
import { anyCodePoint } from "#tests/support/any-code-point.ts";

afterEach(() => vi.unstubAllGlobals());

function at(address: string) {
  const { origin, pathname, search } = new URL(address);
  const assign = vi.fn<(address: string) => void>();
  vi.stubGlobal("window", { location: { origin, pathname, search, assign } });
  return assign;
}

test.for([
  [null, "/"],
  ["", "/"],
  ["/admin/attorneys/7?page=2", "/admin/attorneys/7?page=2"],
  ["//elsewhere.example/x", "/"],
  ["//", "/"],
  ["/\\elsewhere.example/x", "/"],
  ["https://elsewhere.example/x", "/"],
  ["/.//elsewhere.example/x", "/"],
  ["/a/..//elsewhere.example/x", "/"],
  ["/\t/elsewhere.example/x", "/"],
  ["javascript:alert(1)", "/"],
  ["/sign-in?next=/sign-in", "/"],
])("after signing in, %j leads to %s", ([next, path]) => {
  at("https://service.example/sign-in");
  expect(pathAfterSignIn(next ?? null)).toBe(path);
});

test("no address leads to another site", () => {
  at("https://service.example/sign-in");
  const pieces = "/ // \\ . .. @ : ? # %2f %5c %2e elsewhere.example https: javascript: a".split(
    " ",
  );
  const odd = fc.constantFrom(...pieces, "\t", "\n", "\r", " ");
  const addresses = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.array(odd).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(addresses, (next) => {
      const path = pathAfterSignIn(next);
      expect(path.startsWith("/")).toBe(true);
      expect(new URL(path, "https://service.example").origin).toBe("https://service.example");
    }),
    { numRuns: 1_000 },
  );
});

test("an ended session leads to the sign-in page and back", () => {
  const assign = at("https://service.example/admin/attorneys?page=2");
  redirectToSignIn();
  expect(assign).toHaveBeenCalledWith("/sign-in?next=%2Fadmin%2Fattorneys%3Fpage%3D2");
});

test("signing out does not lead the next user to the previous user's page", () => {
  const assign = at("https://service.example/account");
  setSigningOut(true);
  onTestFinished(() => setSigningOut(false));
  redirectToSignIn(); // a list request from before sign-out
  expect(assign).toHaveBeenCalledExactlyOnceWith("/sign-in");
});

test("the sign-in page does not lead to itself", () => {
  const assign = at("https://service.example/sign-in");
  redirectToSignIn();
  expect(assign).not.toHaveBeenCalled();
});
