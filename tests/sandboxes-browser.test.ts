import { createServer, type Server } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { launchBrowser } from "#tests/support/chromium.ts";

/*
 * A shop at localhost, the sandboxes at 127.0.0.1: another site to the browser.
 * The shop's policy lets in what sandboxes/README.md says that a page needs, and nothing more.
 */

let sandboxes: Sandboxes;
let shop: Server;
let browser: Browser;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
  shop = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const { origin } = sandboxes;
    const policy = [
      "default-src 'none'",
      `script-src ${origin}`,
      `connect-src ${origin}`,
      `frame-src 'self' ${origin}`,
      `form-action 'self' ${origin}`,
    ];
    response.setHeader("content-type", "text/html");
    response.setHeader("content-security-policy", policy.join("; "));
    const script = searchParams.get("script");
    response.end(
      `<!doctype html><title>Shop</title><body><div id="a"></div><div id="b"></div><div id="c"></div>${
        script ? `<script src="${script}"></script>` : ""
      }</body>`,
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, "localhost", resolve));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await sandboxes.close();
});
beforeEach(() => sandboxes.reset());

/** What pages blocked or failed at; only faults that a test ordered may be among it. */
let complaints: string[] = [];
afterEach(() => {
  const found = complaints;
  complaints = [];
  if (found.length > 0) throw new Error(found.join("\n"));
});

/** A page of the shop with the processor's script on it. */
async function shopWith(script: string): Promise<Page> {
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`http://localhost:${portOf(shop)}/?script=${encodeURIComponent(script)}`);
  return page;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  return address.port;
}

interface AcceptResponse {
  messages: { resultCode: string; message: { code: string; text: string }[] };
  opaqueData: { dataDescriptor: string; dataValue: string };
}

declare global {
  interface Window {
    isReady: boolean;
    Accept: { dispatchData: (data: object, handler: unknown) => void };
    heard: (response: AcceptResponse) => void;
  }
}

const card = { cardNumber: "4111 1111 1111 1111", month: "1", year: "2099", cardCode: "123" };

async function dispatch(page: Page, cardData: object, handler: "function" | "name" = "function") {
  const { apiLoginId: apiLoginID, clientKey } = sandboxes.accounts.anet;
  const secureData = { authData: { apiLoginID, clientKey }, cardData };
  return await page.evaluate(
    ([wanted, kind]) =>
      new Promise<AcceptResponse>((resolve) => {
        window.heard = resolve;
        window.Accept.dispatchData(wanted, kind === "name" ? "heard" : resolve);
      }),
    [secureData, handler] as const,
  );
}

const codes = ({ messages }: AcceptResponse) => messages.message.map(({ code }) => code);

test("Accept.js turns a card into a nonce that charges once", async () => {
  const page = await shopWith(sandboxes.addresses.anet.scriptUrl);
  await page.waitForFunction(() => window.isReady);
  for (const handler of ["function", "name"] as const) {
    const response = await dispatch(page, card, handler);
    expect(response.messages).toEqual({
      resultCode: "Ok",
      message: [{ code: "I_WC_01", text: "Successful." }],
    });
    expect(response.opaqueData.dataDescriptor).toBe("COMMON.ACCEPT.INAPP.PAYMENT");
    expect(response.opaqueData.dataValue).toMatch(/^[\w+/=]{50,}$/);
  }
  await page.close();
});

test("Accept.js collects every mistake, and renames the server's refusals", async () => {
  const page = await shopWith(sandboxes.addresses.anet.scriptUrl);
  await page.waitForFunction(() => window.isReady);
  const wrong = { cardNumber: "4111111111111112", month: "13", year: "2001", cardCode: "12" };
  expect(codes(await dispatch(page, wrong))).toEqual(["E_WC_05", "E_WC_06", "E_WC_15"]);
  const past = { ...card, month: "12", year: "20" };
  expect(codes(await dispatch(page, past))).toEqual(["E_WC_08"]);
  sandboxes.anet.fail({ call: "tokenise", kind: "unsure-before" });
  expect(codes(await dispatch(page, card))).toEqual(["E_WC_19"]);
  sandboxes.anet.fail({ call: "tokenise", kind: "malformed" });
  expect(codes(await dispatch(page, card))).toEqual(["E_WC_14"]);
  await page.close();
});

test("Accept.js refuses while its core is away, when the core was changed, and behind a query string", async () => {
  sandboxes.anet.fail({ call: "core", kind: "slow", delayMs: 1_000 });
  const early = await shopWith(sandboxes.addresses.anet.scriptUrl);
  expect(codes(await dispatch(early, card))).toEqual(["E_WC_03"]);
  await early.close();

  sandboxes.anet.fail({ call: "core", kind: "malformed" });
  const changed = await shopWith(sandboxes.addresses.anet.scriptUrl);
  await changed.waitForLoadState("networkidle");
  expect(codes(await dispatch(changed, card))).toEqual(["E_WC_03"]);
  await changed.close();

  const queried = await shopWith(`${sandboxes.addresses.anet.scriptUrl}?version=1`);
  await queried.waitForFunction(() => window.isReady);
  expect(codes(await dispatch(queried, card))).toEqual(["E_WC_01"]);
  await queried.close();
});
