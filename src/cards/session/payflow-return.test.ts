import { expect } from "vitest";
import { aVisitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

const test = appTest();

const form = { "content-type": "application/x-www-form-urlencoded" };

/** The fields that PayPal's page makes the browser post, from another site: no cookie, no CSRF token. */
async function postBack(fields: Record<string, string>) {
  const visitor = aVisitor(app);
  visitor.cookies.clear();
  const payload = new URLSearchParams(fields).toString();
  const reply = await visitor.sendRaw({
    method: "POST",
    url: "/payflow/return",
    headers: form,
    payload,
  });
  return {
    ...reply,
    said: JSON.parse(/postMessage\((.*), window/.exec(reply.text)?.[1] ?? "null"),
  };
}

test("the return page sends the outcome to its parent page, and only to our origin", async () => {
  const { status, said, headers, text } = await postBack({
    RESULT: "0",
    RESPMSG: "Verified",
    SECURETOKENID: "abc123",
    PNREF: "A1",
    ACCT: "1111",
  });
  expect([status, said]).toEqual([
    200,
    { source: "payflow", secureTokenId: "abc123", approved: true, message: null },
  ]);
  expect(text).toContain("window.location.origin");
  expect(headers["x-frame-options"]).toBeUndefined();
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; object-src 'none'; base-uri 'none'; script-src 'nonce-[^']+'; frame-ancestors 'self'$/,
  );
});

test("a decline is explained in our own sentence, by its number", async () => {
  const { said } = await postBack({ RESULT: "12", RESPMSG: "Declined: 51-xx", SECURETOKENID: "a" });
  expect(said).toMatchObject({ approved: false, message: expect.stringContaining("declined") });
});

test.each(["0", "126", "127", "402", "104", "117", "160", "161", "-1", ""])(
  "RESULT %j is not a refusal: our server finds out what was charged",
  async (RESULT) => {
    const { said } = await postBack({ RESULT, SECURETOKENID: "a" });
    expect(said).toEqual({
      source: "payflow",
      secureTokenId: "a",
      approved: RESULT === "0",
      message: null,
    });
  },
);

test("no posted value becomes part of the page", async () => {
  const hostile = "</script><script>alert(1)</script>";
  const { text, said } = await postBack({
    RESULT: hostile,
    RESPMSG: hostile,
    SECURETOKENID: hostile,
  });
  expect(text).not.toContain("alert");
  expect(said).toMatchObject({ secureTokenId: null, approved: false });
});

test("a return by GET is read like one by POST", async () => {
  const reply = await aVisitor(app).sendRaw({
    method: "GET",
    url: "/payflow/return?RESULT=0&SECURETOKENID=x1",
  });
  expect(reply.text).toContain('"approved":true');
});
