import { afterEach, expect } from "vitest";
import { elavonSessionToken, listCardPayments, payByCard, refundCard } from "#cards/contract.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import { cardOf, elavonPay, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  anotherDebtor,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { anApp } from "#tests/support/running-app.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest();
afterEach(() => sandboxes.elavon.stopFailing());

const payer = { first_name: "Ann", last_name: "Lee", address: "1 Court", zip: "10001" };

async function askFor(debtor: Pick<Debtor, "visitor">, amount: string, name?: string) {
  const query = { ...payer, amount, ...(name !== undefined && { idempotency_key: name }) };
  return await debtor.visitor.send("GET", `/elavon/session_token?${new URLSearchParams(query)}`);
}

const charge = (debtor: Debtor, amount: string) =>
  tokenFrom("elavon", { visitor: debtor.visitor, sandboxes, amount });

async function post(
  debtor: Pick<Debtor, "visitor" | "debits">,
  amount: string,
  token: string,
  index = 0,
) {
  const body = { payment_hash: { [debtor.debits[index] ?? 0]: amount }, token };
  return await debtor.visitor.ask(payByCard, { body });
}

const standings = (debtor: Debtor) =>
  Promise.all(debtor.debits.map((id) => standingOf(app.db, id)));
const later = (laterMinutes: number) => cardPaymentContext(app, sandboxes, { laterMinutes });

test("a session is answered as success, token and message, without an envelope", async () => {
  const reply = await askFor(await aDebtor(app, "elavon"), "50.00");
  expect([reply.status, Object.keys(JSON.parse(reply.text))]).toEqual([
    200,
    ["success", "token", "message"],
  ]);
  expect(elavonSessionToken.object.parse(JSON.parse(reply.text))).toMatchObject({
    success: true,
    message: null,
  });
});

test("a session is refused if the network has another processor, or for more than is owed", async () => {
  const other = await askFor(await aDebtor(app, "anet"), "50.00");
  expect(other).toMatchObject({ status: 409, message: expect.stringContaining("Authorize.Net") });
  const debtor = await aDebtor(app, "elavon");
  expect(await askFor(debtor, "80.01")).toMatchObject({
    status: 409,
    message: expect.stringContaining("$80.00"),
  });
  expect(await askFor(debtor, "0")).toMatchObject({ status: 422 });
});

test("a charge whose browser never came back is posted to the oldest due debits first", async () => {
  const debtor = await aDebtor(app, "elavon", [5000, 3000, 2000]);
  await charge(debtor, "65.00");
  await reconcileSessions(later(10));
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([5000, 3000, 2000]);
  await Promise.all([reconcileSessions(later(17)), reconcileSessions(later(17))]);
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([0, 1500, 2000]);
  expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
});

test("a browser that comes back later gets the first result", async () => {
  const debtor = await aDebtor(app, "elavon");
  const token = await charge(debtor, "20.00");
  await reconcileSessions(later(17));
  const reply = await post(debtor, "20.00", token, 1);
  expect(reply.status).toBe(200);
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([3000, 3000]);
});

test("the part that does not fit becomes credit, which the administrator can refund to the card", async () => {
  const debtor = await aDebtor(app, "elavon", [5000]);
  await charge(debtor, "50.00");
  const admin = await signedIn(app, "admin", debtor.network);
  const adjusted = { debit_id: debtor.debits[0], direction: "decrease", amount: "50.00" };
  expect((await admin.send("POST", "/lrs_subscription_debit_adjustments/", adjusted)).status).toBe(
    200,
  );
  await reconcileSessions(later(17));
  const { items } = await admin.call(listCardPayments);
  expect(items).toMatchObject([{ amount: 5000, received: 5000, state: "captured", shares: [] }]);
  expect(await creditOf(app.db, debtor.attorney.id)).toBe(5000);
  const request = { params: { id: items[0]?.id }, body: { reason: "Nothing was owed" } };
  expect(await admin.ask(refundCard, request)).toMatchObject({ status: 200 });
  expect(await creditOf(app.db, debtor.attorney.id)).toBe(0);
  expect(await admin.ask(refundCard, request)).toMatchObject({ status: 409 });
  expect(
    sandboxes.elavon.charges().find((each) => each.id === items[0]?.transactionId)?.state,
  ).toBe("voided");
});

test("if a payment cannot be made as requested, its charge is posted to the oldest debits immediately", async () => {
  const debtor = await aDebtor(app, "elavon", [5000, 3000]);
  const token = await charge(debtor, "40.00");
  const reply = await post(debtor, "40.00", token, 1);
  expect(reply).toMatchObject({ status: 409, message: expect.stringContaining("oldest debits") });
  await reconcileSessions(later(1));
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([1000, 3000]);
});

test("a charge of another amount than the payment goes to the oldest debits", async () => {
  const debtor = await aDebtor(app, "elavon", [5000, 3000]);
  const token = await charge(debtor, "10.00");
  const reply = await post(debtor, "30.00", token, 1);
  expect(reply).toMatchObject({
    status: 422,
    message: expect.stringContaining("is not the total of these payments"),
  });
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([4000, 3000]);
});

test("another attorney's transaction is refused, and still posts for its own attorney", async () => {
  const debtor = await aDebtor(app, "elavon");
  const thief = { network: debtor.network, ...(await anotherDebtor(app, debtor.network, [5000])) };
  const token = await charge(debtor, "50.00");
  await askFor(thief, "50.00");
  expect((await post(thief, "50.00", token)).status).toBe(422);
  expect((await standingOf(app.db, thief.debits[0] ?? 0)).balance).toBe(5000);
  expect((await post(debtor, "50.00", token)).status).toBe(200);
});

test("a transaction unknown to Converge is never posted", async () => {
  const debtor = await aDebtor(app, "elavon");
  await askFor(debtor, "50.00");
  const made = "211126AD3-27AEE6EF-8CA7-4811-8D1F-E420C3B5041E";
  expect((await post(debtor, "50.00", made)).status).toBe(202);
  const zeros = "000000000-00000000-0000-0000-0000-000000000000";
  expect((await post(debtor, "30.00", zeros, 1)).status).toBe(422);
});

test("a second session waits until the first is decided", async () => {
  const debtor = await aDebtor(app, "elavon");
  await askFor(debtor, "50.00"); // left without paying
  const token = await charge(debtor, "50.00");
  expect(await askFor(debtor, "30.00")).toMatchObject({
    status: 409,
    message: expect.stringContaining("being confirmed"),
  });
  expect((await post(debtor, "50.00", token)).status).toBe(200);
  expect((await askFor(debtor, "30.00")).status).toBe(200);
});

test("while Converge does not answer, no second session can charge the card again", async () => {
  const debtor = await aDebtor(app, "elavon");
  await charge(debtor, "50.00");
  sandboxes.elavon.fail({ call: "lookup", kind: "500-before", times: 3 });
  expect((await askFor(debtor, "50.00")).status).toBe(409);
});

test("a reloaded page opens no second session while the first may still be charging", async () => {
  const debtor = await aDebtor(app, "elavon");
  await askFor(debtor, "50.00", "first");
  expect(await askFor(debtor, "50.00", "loaded-anew")).toMatchObject({
    status: 409,
    message: expect.stringContaining("started a moment ago"),
  });
  // The page that opened it has had its answer; otherwise it would not ask.
  expect((await askFor(debtor, "50.00", "first")).status).toBe(200);
});

test("once a decline is listed, a new session can be opened", async () => {
  const debtor = await aDebtor(app, "elavon");
  const { token: session } = JSON.parse((await askFor(debtor, "50.00", "first")).text);
  await elavonPay(sandboxes, session, cardOf("elavon", "4000000000009995"));
  expect((await askFor(debtor, "50.00", "loaded-anew")).status).toBe(200);
});

test("a payment that was made is not started again under its name, even if other debits are owed", async () => {
  const debtor = await aDebtor(app, "elavon", [5000, 5000]);
  const { token: session } = JSON.parse((await askFor(debtor, "50.00", "first")).text);
  const token = await elavonPay(sandboxes, session, cardOf("elavon"));
  const body = {
    payment_hash: { [debtor.debits[0] ?? 0]: "50.00" },
    token,
    idempotency_key: "first",
  };
  expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(200); // and its answer is lost
  expect(await askFor(debtor, "50.00", "first")).toMatchObject({
    status: 409,
    message: expect.stringContaining("already made"),
  });
  expect((await askFor(debtor, "50.00", "second")).status).toBe(200);
});

test("nor is one whose charge was found before its browser came back", async () => {
  const debtor = await aDebtor(app, "elavon", [5000, 5000]);
  const { token: session } = JSON.parse((await askFor(debtor, "50.00", "first")).text);
  await elavonPay(sandboxes, session, cardOf("elavon"));
  await reconcileSessions(later(17));
  expect((await askFor(debtor, "50.00", "first")).status).toBe(409);
});

test("an unused session ends without changing the book", async () => {
  const debtor = await aDebtor(app, "elavon");
  await askFor(debtor, "50.00");
  await reconcileSessions(later(17));
  await reconcileSessions(later(30));
  const session = await app.db
    .selectFrom("cardSessions")
    .select("state")
    .where("networkId", "=", debtor.network.id)
    .executeTakeFirstOrThrow();
  expect(session.state).toBe("closed");
});

test("a charge of a card that covers only part of the amount is voided", async () => {
  const debtor = await aDebtor(app, "elavon");
  const reply = await post(debtor, "10.65", await charge(debtor, "10.65"));
  expect(reply).toMatchObject({ status: 422, message: expect.stringMatching(/^declined: .*part/) });
  expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([5000, 3000]);
});

test("sessions are limited for each attorney, so that nobody can test stolen cards", async () => {
  const limited = await anApp({ sandboxes: sandboxes.addresses, rateLimits: true });
  const debtor = await aDebtor(limited, "elavon");
  const seen = [];
  for (let count = 0; count < 16; count += 1) seen.push((await askFor(debtor, "50.00")).status);
  await limited.close();
  expect(seen).toEqual([...Array.from({ length: 15 }, () => 200), 429]);
});

test("a declined card can be tried again in the same session", async () => {
  const debtor = await aDebtor(app, "elavon");
  const { token: session } = JSON.parse((await askFor(debtor, "50.00")).text);
  const declined = await elavonPay(sandboxes, session, cardOf("elavon", "4000000000009995"));
  expect((await post(debtor, "50.00", declined)).message).toBe("declined: DECLINED.");
  const token = await elavonPay(sandboxes, session, cardOf("elavon"));
  expect((await post(debtor, "50.00", token)).status).toBe(200);
});
