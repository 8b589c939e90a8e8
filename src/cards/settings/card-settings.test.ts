import { sql } from "kysely";
import { describe, expect } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { demoAccounts, otherAccounts } from "#sandboxes/accounts.ts";
import {
  changeCardSettings,
  dashboardSettings,
  listCardPayments,
  payByCard,
  showCardSettings,
} from "#cards/contract.ts";
import { encryptedKeys } from "#cards/settings/card-accounts.ts";
import { cardSourcesFor } from "#cards/settings/card-settings.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { processors } from "#cards/processors/processors.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  takesCards,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest();

function keysOf(name: ProcessorName, accounts: Record<ProcessorName, Record<string, string>>) {
  return Object.fromEntries(
    processors[name].fields.flatMap((field) => {
      const value = accounts[name][field.name];
      return value ? [[field.name, value]] : [];
    }),
  );
}

async function anAdmin() {
  const network = await makeNetwork(app.db);
  return { network, admin: await signedIn(app, "admin", network) };
}

describe.each(allProcessors)("%s", (name) => {
  test("its keys are checked with it, stored encrypted, and never shown again", async () => {
    const { network, admin } = await anAdmin();
    const keys = keysOf(name, demoAccounts);
    const body = { payment_processor: name, sandbox: true, keys };
    const settings = await admin.call(changeCardSettings, { body });
    expect(settings).toMatchObject({ paymentProcessor: name, livePayments: false, sandbox: true });
    const secrets = processors[name].fields.filter((field) => field.isSecret);
    const shown = JSON.stringify(await admin.call(showCardSettings));
    const { rows } = await sql<{ text: string }>`
      select (select string_agg(c::text, '') from card_processors c)
        || (select string_agg(a::text, '') from audit_entries a) as text`.execute(app.db);
    for (const { name: field } of secrets) {
      expect(shown).not.toContain(keys[field]);
      expect(rows[0]?.text).not.toContain(keys[field]);
      expect(settings.processors.find((each) => each.name === name)?.secrets).toHaveProperty(field);
    }
    const attorney = await makeAttorney(app.db, network);
    const visitor = await signedIn(app, attorney, network);
    expect(await visitor.call(dashboardSettings)).toMatchObject({
      paymentProcessor: name,
      livePayments: false,
      brandmarks: ["mastercard", "visa"],
    });
  });

  test("wrong keys are refused with the processor's reason, and nothing is saved", async () => {
    const { admin } = await anAdmin();
    const right = keysOf(name, demoAccounts);
    const field = processors[name].fields.find((each) => each.isSecret)?.name ?? "";
    const wrong = String(right[field]).replace(/.$/, "z");
    const body = { payment_processor: name, sandbox: true, keys: { ...right, [field]: wrong } };
    const reply = await admin.ask(changeCardSettings, { body });
    expect(reply.status).toBe(422);
    expect(reply.message?.length).toBeGreaterThan(20);
    expect(reply.message).not.toContain(wrong);
    expect((await admin.call(showCardSettings)).paymentProcessor).toBeNull();
  });

  test("its network's pages may load from its hosts and no others", async () => {
    const { network } = await anAdmin();
    await takesCards(app, network, name);
    const actor = await makeAccount(app.db, network, await makeAttorney(app.db, network));
    const sources = await cardSourcesFor(cardPaymentContext(app, sandboxes), actor);
    const hosts = new Set([
      ...sources.scripts,
      ...sources.frames,
      ...sources.connections,
      ...sources.forms,
    ]);
    expect([...hosts].filter((host) => host !== "'self'")).toEqual([sandboxes.origin]);
    expect(await cardSourcesFor(cardPaymentContext(app, sandboxes), network.admin)).toMatchObject({
      scripts: [],
    });
  });
});

describe("the hosts of the real processors", () => {
  /** The hosts each script, form and frame needs, and no others. Source: the processors' documents. */
  const live: Record<ProcessorName, object> = {
    stripe: {
      scripts: ["https://js.stripe.com", "https://*.js.stripe.com"],
      frames: ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"],
      forms: [],
      connections: ["https://api.stripe.com"],
    },
    anet: {
      scripts: ["https://js.authorize.net"],
      frames: [],
      forms: [],
      connections: [
        "https://js.authorize.net",
        "https://api2.authorize.net",
        "https://api.authorize.net",
      ],
    },
    lawpay: {
      scripts: ["https://cdn.affinipay.com"],
      frames: ["https://cdn.affinipay.com", "https://*.affinipay.com"],
      forms: [],
      connections: ["https://api.affinipay.com", "https://*.affinipay.com"],
    },
    elavon: {
      scripts: ["https://api.convergepay.com"],
      frames: [],
      forms: [],
      connections: ["https://api.convergepay.com"],
    },
    paypal_payflow_pro: {
      scripts: [],
      frames: ["'self'", "https://payflowlink.paypal.com"],
      forms: ["https://payflowlink.paypal.com"],
      connections: [],
    },
  };

  test.each(allProcessors)("%s", (name) => {
    const { page, liveAddresses: addresses } = processors[name];
    const account = { networkId: 1, live: true, keys: {}, publicUrl: "", timeoutMs: 1, addresses };
    expect(page(account).sources).toEqual(live[name]);
  });
});

test("an optional key is cleared by empty text, a required one is not", async () => {
  const { admin } = await anAdmin();
  const change = (keys: object) =>
    admin.ask(changeCardSettings, { body: { payment_processor: "stripe", sandbox: true, keys } });
  await change(demoAccounts.stripe);
  const secrets = async () =>
    (await admin.call(showCardSettings)).processors.find(({ name }) => name === "stripe")?.secrets;
  expect(await secrets()).toHaveProperty("webhookSecret");
  expect(await change({ secretKey: "" })).toMatchObject({ status: 422 });
  expect((await change({ webhookSecret: "" })).status).toBe(200);
  expect(await secrets()).toEqual({ secretKey: expect.any(String) });
});

test("keys of two accounts, unknown names, missing keys and a live sandbox are refused", async () => {
  const { admin } = await anAdmin();
  const mixed = { ...demoAccounts.anet, clientKey: otherAccounts.anet.clientKey };
  const change = (body: object) => admin.ask(changeCardSettings, { body });
  const anet = { payment_processor: "anet", sandbox: true };
  expect(await change({ ...anet, keys: mixed })).toMatchObject({
    status: 422,
    message: expect.stringContaining("different Authorize.Net accounts"),
  });
  expect(await change({ ...anet, keys: { cardNumber: "4111111111111111" } })).toMatchObject({
    status: 422,
  });
  expect(await change(anet)).toMatchObject({ status: 422, errors: [{ path: "keys.apiLoginId" }] });
  const live = { ...anet, live_payments: true, keys: demoAccounts.anet };
  expect(await change(live)).toMatchObject({ status: 422, errors: [{ path: "sandbox" }] });
});

test("earlier keys are used again when a network returns to a processor", async () => {
  const { network, admin } = await anAdmin();
  for (const name of allProcessors) await takesCards(app, network, name);
  for (const name of allProcessors) {
    const body = { payment_processor: name, sandbox: true };
    expect(await admin.call(changeCardSettings, { body })).toMatchObject({
      paymentProcessor: name,
    });
  }
});

test("settings are not overwritten if somebody else has saved since they were shown", async () => {
  const { network, admin } = await anAdmin();
  const others = await signedIn(app, "admin", network);
  const keys = keysOf("anet", demoAccounts);
  const anet = { payment_processor: "anet", sandbox: true, keys };
  const first = { ...anet, version: null };
  const { version } = await admin.call(changeCardSettings, { body: first });
  const stripe = keysOf("stripe", demoAccounts);
  const body = { payment_processor: "stripe", sandbox: true, keys: stripe, version };
  const replies = await Promise.all(
    [admin, others, admin, others].map((who) => who.ask(changeCardSettings, { body })),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409,
  ]);
  for (const shown of [version, null])
    expect(
      await admin.ask(changeCardSettings, { body: { ...anet, version: shown } }),
    ).toMatchObject({
      status: 409,
      message: expect.stringContaining(
        "Someone else has saved the card settings since you opened them.",
      ),
    });
  expect(await others.call(showCardSettings)).toMatchObject({ paymentProcessor: "stripe" });
  expect((await others.ask(changeCardSettings, { body: anet })).status).toBe(200); // a program sends no version
});

test("payments under way finish after a change of processor", async () => {
  const debtor = await aDebtor(app, "anet");
  const token = await tokenFrom("anet", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  sandboxes.anet.fail({ call: "charge", kind: "drop-after" });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(202);
  await takesCards(app, debtor.network, "stripe");
  await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
  expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 0, pending: 0 });
  expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(200);
});

describe("a key or user replaced at the processor and then entered here", () => {
  test("does not stop payments under way from finishing", async () => {
    const debtor = await aDebtor(app, "anet");
    const token = await tokenFrom("anet", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
    sandboxes.anet.fail({ call: "charge", kind: "drop-after" });
    const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
    expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(202);
    await replaceKeys(debtor, "anet");
    await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 0, pending: 0 });
  });

  test.each(["paypal_payflow_pro", "elavon"] as const)(
    "does not leave an attorney waiting for a session that was open at the time (%s)",
    async (name) => {
      const debtor = await aDebtor(app, name);
      const former = processors[name].fields.flatMap((field) =>
        field.isReplaceable ? [[field.name, "former"]] : [],
      );
      await makeCardAccount(app.db, debtor.network, {
        secret: app.secret,
        processor: name,
        keys: { ...demoAccounts[name], ...Object.fromEntries(former) },
      });
      const owner = { networkId: debtor.network.id, attorneyId: debtor.attorney.id };
      await app.db
        .insertInto("cardSessions")
        .values({
          ...owner,
          processor: name,
          cardProcessorId: (await latestVersion(debtor)).id,
          reference: "0123456789AB",
          amountCents: cents(5000),
          nextLookAt: new Date().toISOString(),
        })
        .execute();
      await replaceKeys(debtor, name);
      await reconcileSessions(cardPaymentContext(app, sandboxes, { laterMinutes: 40 }));
      const { state } = await app.db
        .selectFrom("cardSessions")
        .select("state")
        .where("networkId", "=", debtor.network.id)
        .executeTakeFirstOrThrow();
      expect(state).toBe("closed");
    },
  );
});

const latestVersion = async ({ network }: Pick<Debtor, "network">) =>
  await app.db
    .selectFrom("cardProcessors")
    .select("id")
    .where("networkId", "=", network.id)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();

/** The processor refuses the saved keys from now on; the right keys are saved as a new version. */
async function replaceKeys(debtor: Debtor, name: ProcessorName): Promise<void> {
  const { fields } = processors[name];
  const secrets = fields.flatMap((field) => (field.isSecret ? [[field.name, "replaced"]] : []));
  await app.db
    .updateTable("cardProcessors")
    .set(encryptedKeys(app, debtor.network.id, name, Object.fromEntries(secrets)))
    .where("networkId", "=", debtor.network.id)
    .execute();
  await takesCards(app, debtor.network, name);
}

test("administrators see payments being confirmed only in their own network", async () => {
  const debtor = await aDebtor(app, "anet");
  const token = await tokenFrom("anet", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  sandboxes.anet.fail({ call: "charge", kind: "500-before" });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(202);
  const query = { state: "processing" };
  const admin = await signedIn(app, "admin", debtor.network);
  const { items } = await admin.call(listCardPayments, { query });
  expect(items).toMatchObject([{ state: "processing", problem: expect.stringContaining("500") }]);
  const stranger = (await anAdmin()).admin;
  expect(await stranger.call(listCardPayments, { query })).toMatchObject({ items: [], total: 0 });
});

test("LawPay's script comes with the hash that its vendor publishes for that version", async () => {
  const network = await makeNetwork(app.db);
  await takesCards(app, network, "lawpay");
  const attorney = await signedIn(app, await makeAttorney(app.db, network), network);
  const standIn = sandboxes.addresses.lawpay;
  expect(await attorney.call(dashboardSettings)).toMatchObject({
    scriptUrl: standIn.scriptUrl,
    scriptIntegrity: standIn.scriptIntegrity,
  });
  const real = { scriptUrl: /fieldGen_1\.5\.3\.js$/, scriptIntegrity: /^sha384-OInNoiApwwsc6xI2N/ };
  const { liveAddresses, testAddresses } = processors.lawpay;
  for (const addresses of [liveAddresses, testAddresses]) {
    expect(addresses["scriptUrl"]).toMatch(real.scriptUrl);
    expect(addresses["scriptIntegrity"]).toMatch(real.scriptIntegrity);
    const [, digest = ""] = (addresses["scriptIntegrity"] ?? "").split("-");
    expect(Buffer.from(digest, "base64")).toHaveLength(48);
  }
});
