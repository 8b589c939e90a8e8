import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { build, type Rolldown } from "vite";
import { readNameValue, writeNameValue } from "#sandboxes/payflow/name-value.ts";
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
  const cardFormCode = await bundled(cardForm);
  shop = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/payflow/return") {
      tellParent(request, response);
      return;
    }
    if (pathname === "/card-form.js") {
      response.setHeader("content-type", "text/javascript");
      response.end(cardFormCode);
      return;
    }
    const { origin } = sandboxes;
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${origin}`,
      `connect-src ${origin}`,
      `frame-src 'self' ${origin}`,
      `form-action 'self' ${origin}`,
    ];
    response.setHeader("content-type", "text/html");
    response.setHeader("content-security-policy", policy.join("; "));
    const script = searchParams.get("script");
    response.end(
      `<!doctype html><title>Shop</title><body><main></main><script src="${script}"></script></body>`,
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
async function shopWith(script: string, more: Record<string, string> = {}): Promise<Page> {
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`http://localhost:${portOf(shop)}/?${new URLSearchParams({ script, ...more })}`);
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

test("Accept.js refuses when its core was changed, behind a query string, and while the core is away", async () => {
  sandboxes.anet.fail({ call: "core", kind: "malformed" });
  const changed = await shopWith(sandboxes.addresses.anet.scriptUrl);
  await changed.waitForLoadState("networkidle");
  expect(codes(await dispatch(changed, card))).toEqual(["E_WC_03"]);
  await changed.close();

  const queried = await shopWith(`${sandboxes.addresses.anet.scriptUrl}?version=1`);
  await queried.waitForFunction(() => window.isReady);
  expect(codes(await dispatch(queried, card))).toEqual(["E_WC_01"]);
  await queried.close();

  // Last: whether the core was asked for before the page is closed is not known.
  sandboxes.anet.fail({ call: "core", kind: "slow", delayMs: 60_000 });
  const early = await shopWith(sandboxes.addresses.anet.scriptUrl);
  expect(codes(await dispatch(early, card))).toEqual(["E_WC_03"]);
  await early.close();
});

/** The shop's card form, with the real React wrapper of Stripe. */
const cardForm = `
import { createElement as h, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { loadStripe } from "@stripe/stripe-js/pure";
import { CardCvcElement, CardExpiryElement, CardNumberElement, Elements, useElements, useStripe } from "@stripe/react-stripe-js";

const key = new URLSearchParams(location.search).get("key");
window.states = {};
window.changed = [];
const note = (event) => { window.states[event.elementType] = event; window.changed.push(event.elementType); };

function Form() {
  const stripe = useStripe();
  const elements = useElements();
  const [result, setResult] = useState("");
  const [ready, setReady] = useState(0);
  const act = async (run) => {
    const { paymentMethod, paymentIntent, error } = await run(stripe, elements.getElement(CardNumberElement));
    setResult(error ? error.code + ": " + error.message : (paymentMethod ?? paymentIntent).id);
  };
  window.act = act;
  const field = (type) => h(type, { onChange: note, onReady: () => setReady((n) => n + 1), options: { style: { base: { color: "rgb(1, 2, 3)" } } } });
  return h("form", null, field(CardNumberElement), field(CardExpiryElement), field(CardCvcElement),
    h("output", { id: "ready" }, ready), h("output", { id: "result" }, result));
}

createRoot(document.querySelector("main")).render(
  h(StrictMode, null, h(Elements, { stripe: loadStripe(key) }, h(Form))));
`;

async function bundled(code: string): Promise<string> {
  const entry = "virtual:entry.js";
  const built = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? `\0${entry}` : null),
        load: (id) => (id === `\0${entry}` ? code : null),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: entry } },
  });
  const { output } = [built].flat()[0] as Rolldown.RolldownOutput; // no watching, so it is an output
  return output[0].code;
}

declare global {
  interface Window {
    states: Record<string, { complete: boolean; brand?: string; error?: { code: string } }>;
    /** The fields of all changes that were told, in their order. */
    changed: string[];
    act: (run: (stripe: StripeJs, number: unknown) => Promise<object>) => Promise<void>;
  }
}

interface StripeJs {
  createPaymentMethod: (wanted: object) => Promise<object>;
  handleNextAction: (wanted: { clientSecret: string }) => Promise<object>;
}

/** The shop's card form with the three fields ready. */
async function cardFormPage(): Promise<Page> {
  const page = await shopWith(sandboxes.addresses.stripe.scriptUrl, {
    key: sandboxes.accounts.stripe.publishableKey,
  });
  await page.addScriptTag({ url: "/card-form.js", type: "module" });
  await page.locator("#ready", { hasText: /^3$/ }).waitFor();
  return page;
}

async function type(
  page: Page,
  { number, expiry = "1299", cvc = "123" }: { number: string; expiry?: string; cvc?: string },
) {
  const field = (title: string) =>
    page.frameLocator(`iframe[title="${title}"]`).getByRole("textbox");
  await field("Secure card number input frame").pressSequentially(number);
  await field("Secure expiration date input frame").pressSequentially(expiry);
  await field("Secure CVC input frame").pressSequentially(cvc);
}

const resultOf = (page: Page) => page.locator("#result:not(:empty)").textContent();

test("Stripe's own React fields make a payment method, out of the page's reach", async () => {
  const page = await cardFormPage();
  await type(page, { number: "4242424242424242" });
  await expect
    .poll(() => page.evaluate(() => window.states["cardNumber"]))
    .toMatchObject({
      complete: true,
      brand: "visa",
    });
  const frames = await page.evaluate(() =>
    [...document.querySelectorAll("iframe")].map(({ name, contentDocument }) => ({
      isPrivate: name.startsWith("__privateStripeFrame"),
      contentDocument,
    })),
  );
  expect(frames).toEqual(
    Array.from({ length: 3 }, () => ({ isPrivate: true, contentDocument: null })),
  );

  await page.evaluate(() =>
    window.act((stripe, card) => stripe.createPaymentMethod({ type: "card", card })),
  );
  expect(await resultOf(page)).toMatch(/^pm_/);
  await page.close();
});

test("Stripe's fields say what is wrong", async () => {
  const page = await cardFormPage();
  await type(page, { number: "4242424242424241", expiry: "1220", cvc: "1" });
  const errors = () =>
    page.evaluate(() => Object.values(window.states).map(({ error }) => error?.code));
  await expect.poll(errors).toEqual(["invalid_number", "invalid_expiry_year_past", undefined]);
  await page.evaluate(() =>
    window.act((stripe, card) => stripe.createPaymentMethod({ type: "card", card })),
  );
  expect(await resultOf(page)).toBe("invalid_number: Your card number is invalid.");
  await page.close();
});

test("Stripe's code field tells no change where only the number changes, and one where the brand makes it wrong", async () => {
  const page = await cardFormPage();
  const changes = () =>
    page.evaluate(() => window.changed.filter((field) => field === "cardCvc").length);
  await type(page, { number: "", cvc: "123" });
  await type(page, { number: "4242424242424242", cvc: "" });
  await page.evaluate(() =>
    window.act((stripe, card) => stripe.createPaymentMethod({ type: "card", card })),
  );
  expect(await resultOf(page)).toMatch(/^pm_/); // by then all fields have heard of the brand
  expect(await changes()).toBe(3);
  await page
    .frameLocator('iframe[title="Secure card number input frame"]')
    .getByRole("textbox")
    .fill("378282246310005");
  await expect.poll(changes).toBe(4);
  expect(await page.evaluate(() => window.states["cardCvc"]?.complete)).toBe(false);
  await page.close();
});

test("a payment waits for a challenge, which the payer passes or fails in the browser", async () => {
  const page = await cardFormPage();
  await type(page, { number: "4000000000003220" });
  for (const [button, result] of [
    ["Complete", /^pi_/],
    ["Fail", /^payment_intent_authentication_failure/],
  ] as const) {
    await page.evaluate(() =>
      window.act((stripe, card) => stripe.createPaymentMethod({ type: "card", card })),
    );
    await page.locator("#result", { hasText: /^pm_/ }).waitFor();
    const clientSecret = await chargedByServer((await resultOf(page)) ?? "");
    const answering = page.evaluate(
      (secret) => window.act((stripe) => stripe.handleNextAction({ clientSecret: secret })),
      clientSecret,
    );
    await page
      .frameLocator('iframe[title="3D Secure authentication"]')
      .getByRole("button", { name: button })
      .click();
    await answering;
    await page.locator("#result", { hasText: result }).waitFor();
  }
  expect(sandboxes.stripe.charges().map(({ state }) => state)).toEqual(["captured", "declined"]);
  await page.close();
});

/** The client secret of an intent that the server has made and confirmed. */
async function chargedByServer(paymentMethod: string): Promise<string> {
  const answer = await fetch(`${sandboxes.addresses.stripe.apiUrl}/v1/payment_intents`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandboxes.accounts.stripe.secretKey}` },
    body: new URLSearchParams({
      amount: "2000",
      currency: "usd",
      payment_method: paymentMethod,
      confirm: "true",
      use_stripe_sdk: "true",
      return_url: "http://localhost/",
    }),
  });
  const intent: { client_secret: string; status: string } = await answer.json();
  expect(intent.status).toBe("requires_action");
  return intent.client_secret;
}

declare global {
  interface Window {
    ConvergeEmbeddedPayment: { pay: (fields: object, callbacks: object) => void };
  }
}

/** Press Pay in a session for the amount; answers the one callback that was called, and its argument. */
async function payByConverge(page: Page, amount: string) {
  const { merchantId, userId, pin } = sandboxes.accounts.elavon;
  const opened = await fetch(sandboxes.addresses.elavon.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      ssl_merchant_id: merchantId,
      ssl_user_id: userId,
      ssl_pin: pin,
      ssl_transaction_type: "ccsale",
      ssl_amount: amount,
    }),
  });
  const fields = {
    ssl_txn_auth_token: (await opened.text()).trim(),
    ssl_card_number: "5121212121212124",
    ssl_exp_date: "1299",
    ssl_cvv2cvc2: "123",
    ssl_cvv2cvc2_indicator: "1",
  };
  return await page.evaluate(
    (paid) =>
      new Promise<[string, unknown]>((resolve) => {
        window.ConvergeEmbeddedPayment.pay(paid, {
          onApproval: (response: unknown) => resolve(["onApproval", response]),
          onDeclined: (response: unknown) => resolve(["onDeclined", response]),
          onError: (error: unknown) => resolve(["onError", error]),
        });
      }),
    fields,
  );
}

test("Checkout.js charges the card from the browser, and calls back once", async () => {
  const page = await shopWith(sandboxes.addresses.elavon.scriptUrl);
  const approved = await payByConverge(page, "20.00");
  expect(approved).toMatchObject([
    "onApproval",
    { ssl_result_message: "APPROVAL", ssl_amount: "20.00" },
  ]);
  const declined = await payByConverge(page, "20.05");
  expect(declined).toMatchObject(["onDeclined", { ssl_result_message: "DECLINED" }]);
  expect(await payByConverge(page, "20.96")).toEqual(["onError", "The request has timed out."]);
  expect(sandboxes.elavon.totals()).toMatchObject({ charges: 1, capturedCents: 2000 });
  await page.close();
});

interface HostedFields {
  initializeFields: (config: object, callback: (state: FieldState) => void) => HostedForm;
  parseException: (exception: unknown) => { code: number; message: string; messages: string[] };
}

interface HostedForm {
  getPaymentToken: (form: object) => Promise<{ id: string; number: string }>;
  clearIframeInput: (selector: string) => void;
  focusIframeInput: (selector: string) => void;
}

interface FieldState {
  isReady: boolean;
  target: string | null;
  fields: { type: string; focus: boolean; error: string }[];
}

declare global {
  interface Window {
    AffiniPay: { HostedFields: HostedFields };
    form: HostedForm;
    state: FieldState;
  }
}

/** The shop's form with both hosted fields ready. */
async function hostedFieldsPage(): Promise<Page> {
  const page = await shopWith(sandboxes.addresses.lawpay.scriptUrl);
  await page.evaluate((publicKey) => {
    document.body.innerHTML = '<div id="number"></div><div id="code"></div>';
    const css = { color: "rgb(1, 2, 3)", ":focus": { color: "black" } };
    const fields = [
      {
        selector: "#number",
        input: { type: "credit_card_number", css, placeholder: "Card number" },
      },
      { selector: "#code", input: { type: "cvv" } },
    ];
    const note = (state: FieldState) => (window.state = state);
    window.form = window.AffiniPay.HostedFields.initializeFields({ publicKey, fields }, note);
  }, sandboxes.accounts.lawpay.publicKey);
  await page.frameLocator("#number iframe").getByPlaceholder("Card number").waitFor();
  return page;
}

const hosted = (page: Page, selector: string) =>
  page.frameLocator(`${selector} iframe`).getByRole("textbox");

const tokenised = (page: Page) =>
  page.evaluate(async () => {
    const { parseException } = window.AffiniPay.HostedFields;
    const expiry = { exp_month: "12", exp_year: "2099", name: "Ada" };
    return await window.form.getPaymentToken(expiry).catch(parseException);
  });

test("LawPay's hosted fields make a token out of the page's reach", async () => {
  const page = await hostedFieldsPage();
  await hosted(page, "#number").pressSequentially("4242424242424242");
  await hosted(page, "#code").pressSequentially("123");
  await expect
    .poll(() => page.evaluate(() => window.state))
    .toMatchObject({
      isReady: true,
      target: "#code",
      fields: [
        { type: "credit_card_number", error: "" },
        { type: "cvv", error: "", focus: true },
      ],
    });
  const color = await hosted(page, "#number").evaluate((input) => getComputedStyle(input).color);
  expect(color).toBe("rgb(1, 2, 3)");
  expect(await tokenised(page)).toMatchObject({
    type: "card",
    number: "************4242",
    name: "Ada",
  });
  await page.evaluate(() => window.form.clearIframeInput("#number"));
  await expect.poll(() => page.evaluate(() => window.state.isReady)).toBe(false);
  await page.close();
});

test("LawPay's hosted fields say what is missing, and reject without it", async () => {
  const page = await hostedFieldsPage();
  await hosted(page, "#number").pressSequentially("4242424242424241");
  await expect.poll(() => page.evaluate(() => window.state.fields[0]?.error)).not.toBe("");
  expect(await tokenised(page)).toEqual({
    code: 2,
    message: "configuration exception",
    messages: ["CC token is invalid, credit card field must be defined and have a valid token"],
  });
  await page.close();
});

/** The shop's return page: tells the page around it what was posted, and with which cookies. */
function tellParent(request: IncomingMessage, response: ServerResponse): void {
  let body = "";
  request.on("data", (chunk) => (body += String(chunk)));
  request.on("end", () => {
    const posted = {
      ...Object.fromEntries(new URLSearchParams(body)),
      cookie: request.headers.cookie,
    };
    const json = JSON.stringify(posted).replaceAll("<", "\\u003c");
    response.setHeader("content-type", "text/html");
    response.end(`<script>parent.postMessage(${json}, location.origin)</script>`);
  });
}

test("Payflow's form post comes back across sites, without the shop's cookies", async () => {
  const { postUrl, apiUrl } = sandboxes.addresses.paypal_payflow_pro;
  const { partner, vendor, user, password } = sandboxes.accounts.paypal_payflow_pro;
  const made = await fetch(apiUrl, {
    method: "POST",
    headers: { "x-vps-request-id": "browser1" },
    body: writeNameValue({
      PARTNER: partner,
      VENDOR: vendor,
      USER: user,
      PWD: password,
      TENDER: "C",
      TRXTYPE: "A",
      AMT: "0.00",
      CREATESECURETOKEN: "Y",
      SECURETOKENID: "browser1",
      SILENTTRAN: "TRUE",
      RETURNURL: `http://localhost:${portOf(shop)}/payflow/return`,
    }),
  });
  const { SECURETOKEN = "" } = readNameValue(await made.text()) ?? {};
  const page = await shopWith(sandboxes.addresses.elavon.scriptUrl);
  const posted = await page.evaluate(
    ([action, token]) =>
      new Promise<Record<string, string>>((resolve) => {
        document.cookie = "session=lax; SameSite=Lax";
        window.addEventListener("message", ({ data }) => resolve(data));
        document.body.innerHTML = `<iframe name="hidden"></iframe><form method="post" target="hidden"></form>`;
        const [form] = document.forms;
        if (!form) return;
        form.action = action;
        const fields = {
          SECURETOKEN: token,
          SECURETOKENID: "browser1",
          ACCT: "4111111111111111",
          EXPDATE: "1249",
          CSC: "123",
        };
        for (const [name, value] of Object.entries(fields)) {
          const input = document.createElement("input");
          Object.assign(input, { type: "hidden", name, value });
          form.append(input);
        }
        form.submit();
      }),
    [postUrl, SECURETOKEN] as const,
  );
  expect(posted).toMatchObject({ RESULT: "0", RESPMSG: "Verified", SECURETOKENID: "browser1" });
  expect(posted["cookie"]).toBeUndefined();
  await page.close();
});
