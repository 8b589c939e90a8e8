import { sql } from "kysely";
import { describe, expect } from "vitest";
import { payByCard, showChallenge } from "#cards/contract.ts";
import { showReceipt } from "#payments/contract.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { withoutCardNumbers } from "#cards/processors/wording.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  anotherDebtor,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest({ asOwner: true });

const hashOf = (debtor: Debtor, amount = "50.00") => ({ [debtor.debits[0] ?? 0]: amount });
const tokenOf = (debtor: Debtor, number?: string) =>
  tokenFrom("stripe", {
    visitor: debtor.visitor,
    sandboxes,
    amount: "50.00",
    card: cardOf("stripe", number),
  });

describe("a card whose bank asks the payer to confirm", () => {
  const asksFirst = "4000000000003220";

  async function challenged() {
    const debtor = await aDebtor(app, "stripe");
    const token = await tokenOf(debtor, asksFirst);
    const body = { payment_hash: hashOf(debtor), token };
    expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(202);
    const { challenge } = await debtor.visitor.call(showChallenge, { body: { token } });
    const answer = async (outcome: string) =>
      await fetch(`${sandboxes.origin}/stripe/challenge`, {
        method: "POST",
        body: new URLSearchParams({ client_secret: challenge ?? "", outcome }),
      });
    return { debtor, token, body, challenge, answer };
  }

  test("also asks a payer who enters the card again after a lost answer: the payment has the same name", async () => {
    const debtor = await aDebtor(app, "stripe");
    const [first, second] = [await tokenOf(debtor, asksFirst), await tokenOf(debtor, asksFirst)];
    const named = { payment_hash: hashOf(debtor), idempotency_key: "payment-1" };
    const pay = (token: string) => debtor.visitor.ask(payByCard, { body: { ...named, token } });
    expect((await pay(first)).status).toBe(202); // and the answer is lost
    expect((await pay(second)).status).toBe(202);
    const asked = async (body: { token: string; idempotency_key?: string }) =>
      (await debtor.visitor.call(showChallenge, { body })).challenge;
    const again = await asked({ token: second, idempotency_key: "payment-1" });
    expect(again).toBe(await asked({ token: first }));
    expect(again).toMatch(/^pi_\w+_secret_\w+$/);
    expect((await debtor.visitor.ask(showChallenge, { body: { token: second } })).status).toBe(404);
  });

  test("is charged once the payer has agreed, by the same request again", async () => {
    const { debtor, body, challenge, answer } = await challenged();
    expect(challenge).toMatch(/^pi_\w+_secret_\w+$/);
    await answer("complete");
    expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(200);
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 0, pending: 0 });
    expect(await debtor.visitor.call(showChallenge, { body: { token: body.token } })).toEqual({
      challenge: null,
    });
  });

  test("is declined when the payer does not agree", async () => {
    const { debtor, body, answer } = await challenged();
    await answer("fail");
    expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(422);
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 5000, pending: 0 });
  });

  test("stays being confirmed while the payer does not answer", async () => {
    const { debtor } = await challenged();
    await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 20 }));
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({
      balance: 5000,
      pending: 5000,
    });
  });
});

describe("a payment request", () => {
  test("is refused with 401, 403, 404, 409 or 422, and charges nothing", async () => {
    const debtor = await aDebtor(app, "stripe");
    const other = await anotherDebtor(app, debtor.network, [4000]);
    const stranger = await aDebtor(app, "stripe");
    const admin = await signedIn(app, "admin", debtor.network);
    const before = sandboxes.stripe.charges().length;
    const token = "pm_none";
    const ask = async (body: object, visitor = debtor.visitor) =>
      (await visitor.ask(payByCard, { body })).status;
    const own = hashOf(debtor);
    expect(await ask({ payment_hash: own, token }, aVisitor(app))).toBe(401);
    expect(await ask({ payment_hash: own, token }, admin)).toBe(403);
    expect(await ask({ payment_hash: { [other.debits[0] ?? 0]: "1.00" }, token })).toBe(404);
    expect(await ask({ payment_hash: hashOf(stranger), token })).toBe(404);
    expect(await ask({ payment_hash: hashOf(debtor, "50.01"), token })).toBe(409);
    expect(await ask({ payment_hash: hashOf(debtor, "0"), token })).toBe(422);
    expect(await ask({ payment_hash: hashOf(debtor, "abc"), token })).toBe(422);
    expect(await ask({ payment_hash: {}, token })).toBe(422);
    expect(await ask({ payment_hash: own })).toBe(422);
    expect(await ask({ payment_hash: own, token: "" })).toBe(422);
    expect(await ask({ payment_hash: own, token, card_number: "4111111111111111" })).toBe(422);
    expect(await ask({ payment_hash: own, token: "4111111111111111" })).toBe(422);
    expect(await ask({ payment_hash: own, token })).toBe(422); // Stripe knows no such card
    expect(sandboxes.stripe.charges().length).toBe(before);
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({ balance: 5000, pending: 0 });
  });

  test("a network that takes no cards says so", async () => {
    const debtor = await aDebtor(app, "stripe");
    await sql`alter table card_processors disable trigger user`.execute(app.db);
    await app.db.deleteFrom("cardProcessors").where("networkId", "=", debtor.network.id).execute();
    await sql`alter table card_processors enable trigger user`.execute(app.db);
    const body = { payment_hash: hashOf(debtor), token: "pm_none" };
    expect(await debtor.visitor.ask(payByCard, { body })).toMatchObject({ status: 409 });
  });

  test("when a processor no longer knows the keys, the network is told and the payer is not", async () => {
    const debtor = await aDebtor(app, "stripe");
    const token = await tokenOf(debtor);
    const context = cardPaymentContext(app, sandboxes);
    const { encryptedKeys } = await import("#cards/settings/card-accounts.ts");
    await app.db
      .updateTable("cardProcessors")
      .set(encryptedKeys(context, debtor.network.id, "stripe", { secretKey: "sk_test_revoked" }))
      .where("networkId", "=", debtor.network.id)
      .execute();
    const body = { payment_hash: hashOf(debtor), token };
    const reply = await debtor.visitor.ask(payByCard, { body });
    expect(reply).toMatchObject({ status: 422, message: expect.stringContaining("not available") });
    expect(reply.text).not.toContain("sk_test");
  });
});

test("a payer with many declined cards must wait", async () => {
  const limited = await anApp({ sandboxes: sandboxes.addresses, rateLimits: true });
  const debtor = await aDebtor(limited, "stripe");
  const seen = [];
  for (let count = 0; count < 11; count += 1) {
    const body = { payment_hash: hashOf(debtor, "1.00"), token: `pm_none_${count}` };
    seen.push((await debtor.visitor.ask(payByCard, { body })).status);
  }
  await limited.close();
  expect(seen).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
});

describe("a receipt", () => {
  test("shows who paid, for what and with which card, to those who may see it", async () => {
    const debtor = await aDebtor(app, "stripe");
    const body = { payment_hash: hashOf(debtor), token: await tokenOf(debtor) };
    const record = await debtor.visitor.call(payByCard, { body });
    const params = { id: record.onlinePayments[0]?.paymentId };
    const receipt = await debtor.visitor.call(showReceipt, { params });
    expect(receipt).toMatchObject({
      networkName: debtor.network.name,
      method: "online",
      status: "paid",
      amount: 5000,
      card: { brand: "Visa", lastFour: "4242" },
      shares: [{ debitId: debtor.debits[0], amount: 5000, status: "approved" }],
    });
    const admin = await signedIn(app, "admin", debtor.network);
    expect((await admin.ask(showReceipt, { params })).status).toBe(200);
    const other = await anotherDebtor(app, debtor.network, [100]);
    expect((await other.visitor.ask(showReceipt, { params })).status).toBe(404);
    const stranger = await aDebtor(app, "stripe");
    expect((await stranger.visitor.ask(showReceipt, { params })).status).toBe(404);
  });

  test("of a check shows the status of its shares", async () => {
    const debtor = await aDebtor(app, "stripe");
    const body = { payment_hash: hashOf(debtor), check_number: "77" };
    const reply = await debtor.visitor.send("POST", "/lrs_subscription_check_payments/", body);
    const paid = reply.object as { checkPayments: { paymentId: number }[] };
    const params = { id: paid.checkPayments[0]?.paymentId };
    expect(await debtor.visitor.call(showReceipt, { params })).toMatchObject({
      method: "check",
      status: "pending",
      checkNumber: "77",
      card: null,
    });
  });
});

describe("a card number is refused before anything is done with it", () => {
  const numbers = [
    "4111111111111111",
    "4111-1111-1111-1111",
    "4111--1111--1111--1111",
    "4111 1111 1111 1111",
  ];

  async function isKept(): Promise<boolean> {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
      app.db,
    );
    for (const { name } of rows) {
      const found = await sql<{ kept: boolean | null }>`
        select bool_or(regexp_replace(t::text, '[ -]', '', 'g') like '%4111111111111111%') as kept
        from ${sql.table(name)} t`.execute(app.db);
      if (found.rows[0]?.kept) return true;
    }
    return false;
  }

  test.each([...numbers, "378282246310005", "6304000000000000000"])(
    "as a check number: %s",
    async (check_number) => {
      const debtor = await aDebtor(app, "stripe");
      const admin = await signedIn(app, "admin", debtor.network);
      for (const visitor of [debtor.visitor, admin]) {
        const body = { payment_hash: hashOf(debtor), check_number };
        const reply = await visitor.send("POST", "/lrs_subscription_check_payments/", body);
        expect(reply).toMatchObject({
          status: 422,
          message: "Check number must be the number printed on the check, not a card number.",
        });
        expect(reply.text).not.toContain(check_number);
      }
      expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual({
        balance: 5000,
        pending: 0,
      });
      expect(await isKept()).toBe(false);
    },
  );

  test.each(["1001", "CHK-4471", "4111111111111112", "2026-000-417"])(
    "any other number is accepted: %s",
    async (check_number) => {
      const debtor = await aDebtor(app, "stripe");
      const body = { payment_hash: hashOf(debtor), check_number };
      const reply = await debtor.visitor.send("POST", "/lrs_subscription_check_payments/", body);
      expect(reply.status).toBe(200);
    },
  );

  test.each([
    ...numbers,
    "tok_4111111111111111",
    "4111-1111-1111-1111-12-27",
    "x4111111111111111x",
  ])("as a token or inside one: %s", async (token) => {
    const debtor = await aDebtor(app, "stripe");
    const before = sandboxes.stripe.calls().length;
    const body = { payment_hash: hashOf(debtor), token };
    const reply = await debtor.visitor.ask(payByCard, { body });
    const message = "Token must be the token from the card processor, never a card number.";
    expect(reply).toMatchObject({ status: 422, message });
    expect(reply.text).not.toContain(token);
    expect(await debtor.visitor.ask(showChallenge, { body: { token } })).toMatchObject({
      status: 422,
      message,
    });
    expect(sandboxes.stripe.calls().length).toBe(before);
    expect(await isKept()).toBe(false);
  });
});

test("runs of digits that could be a card number are hidden, other numbers are not", () => {
  expect(withoutCardNumbers("Card 4111 1111-1111.1111 was declined")).toBe(
    "Card •••• was declined",
  );
  expect(withoutCardNumbers("Transaction 60123456789 of $1,234.50")).toBe(
    "Transaction 60123456789 of $1,234.50",
  );
});

test("no token, key or card number is in the database or in the log", async () => {
  const debtor = await aDebtor(app, "stripe");
  const token = await tokenOf(debtor);
  const context = cardPaymentContext(app, sandboxes);
  sandboxes.stripe.fail({ call: "charge", kind: "500-after" });
  await debtor.visitor.ask(payByCard, { body: { payment_hash: hashOf(debtor), token } });
  sandboxes.stripe.fail({ call: "lookup", kind: "html" });
  await confirmOpenPayments({ ...context, now: () => context.now().add({ minutes: 1 }) });
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    app.db,
  );
  const all = [context.lines.join("\n")];
  for (const { name } of rows) {
    const dump = await sql<{ text: string | null }>`
      select string_agg(t::text, ' ') as text from ${sql.table(name)} t`.execute(app.db);
    all.push(dump.rows[0]?.text ?? "");
  }
  const kept = all.join("\n");
  expect(context.lines.length).toBeGreaterThan(0);
  for (const secret of [token, "sk_test_harbor", "whsec_harbor", "4242424242424242"])
    expect(kept).not.toContain(secret);
});
