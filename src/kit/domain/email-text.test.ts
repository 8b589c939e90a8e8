import { describe, expect, test } from "vitest";
import { isEmailAddress } from "#kit/domain/email-text.ts";

describe("an email address", () => {
  test.each([
    "name@example.org",
    "o&leary@example.org",
    "a/b@example.org",
    "o'neil'@example.org",
    "first.last+tag@mail.example.co.uk",
    "!#$%&'*+-/=?^_`{|}~@example.org",
    "1@example.org",
    "a@xn--bcher-kva.example.xn--p1ai",
    "a@e.museum",
  ])("may be %j", (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    "",
    "nobody",
    "@example.org",
    "a@",
    "a@example",
    "a@@example.org",
    "a@b@example.org",
    ".a@example.org",
    "a.@example.org",
    "a..b@example.org",
    "a b@example.org",
    "a@example..org",
    "a@-example.org",
    "a@example.org.",
    "a@example.1",
    "a@[127.0.0.1]",
    '"a b"@example.org',
    "Ada <a@example.org>",
    "a(b)@example.org",
    "a,b@example.org",
    "a;b@example.org",
    "a:b@example.org",
    "a\\b@example.org",
    "a@exa_mple.org",
    "a@example.org\n",
  ])("is not %j", (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});
