import { sql } from "kysely";
import { afterEach, describe, expect } from "vitest";
import type { Charge } from "#sandboxes/sandbox.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import {
  changeCardSettings,
  listCardPayments,
  listHeldCharges,
  payByCard,
  payflowSecureToken,
  refundPayment,
  showCardSettings,
} from "#cards/contract.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import { cardOf, payflowToken, postToPayflow, type TestCard } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  anotherDebtor,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* PayPal Payflow: the secure token holds the sale, the browser makes it, and our server asks for the result. */

const test = cardTest();
afterEach(() => {
  sandboxes.paypal_payflow_pro.stopFailing();
  sandboxes.paypal_payflow_pro.allowReferences(false);
});

const name = "paypal_payflow_pro";
const good = cardOf(name);
const heldCard = cardOf(name, "4000000000000259");
const aPayer = (owed?: number[]) => aDebtor(app, name, owed);
const owed = { balance: 5000, pending: 0 };
const reserved = { balance: 5000, pending: 5000 };
const paid = { balance: 0, pending: 0 };
const standing = (debtor: Pick<Debtor, "debits">, index = 0) =>
  standingOf(app.db, debtor.debits[index] ?? 0);
const later = (laterMinutes: number) => cardPaymentContext(app, sandboxes, { laterMinutes });

const askForToken = (debtor: Pick<Debtor, "visitor">, amount?: string) =>
  debtor.visitor.ask(payflowSecureToken, { body: amount === undefined ? {} : { amount } });

/** The browser's part: the form that charges the card. */
const sell = (debtor: Pick<Debtor, "visitor">, amount: string, card: TestCard = good) =>
  payflowToken({ visitor: debtor.visitor, card, amount });

async function post(
  debtor: Pick<Debtor, "visitor" | "debits">,
  amount: string,
  token: string,
  index = 0,
) {
  const body = { payment_hash: { [debtor.debits[index] ?? 0]: amount }, token };
  return await debtor.visitor.ask(payByCard, { body });
}

async function pay(debtor: Debtor, card: TestCard = good, amount = "50.00") {
  return await post(debtor, amount, await sell(debtor, amount, card));
}

/** The sale of a debtor's newest session, at the processor. */
async function saleOf(debtor: Pick<Debtor, "attorney">): Promise<Charge | undefined> {
  const { reference } = await app.db
    .selectFrom("cardSessions")
    .select("reference")
    .where("attorneyId", "=", debtor.attorney.id)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return sandboxes[name].charges().findLast((charge) => charge.reference === reference);
}

const voids = () => sandboxes[name].calls().filter(({ call }) => call === "void").length;

async function subjectsOf({ network }: Debtor) {
  return (await mailsOf(app.db, network)).map(({ subject }) =>
    subject.replace("Your card payment of $50.00 ", ""),
  );
}

describe("an account as PayPal opens it", () => {
  test("takes a payment: the browser makes the sale, and our server looks it up before posting it", async () => {
    const debtor = await aPayer();
    const reply = await pay(debtor);
    expect([reply.status, reply.message]).toEqual([200, null]);
    expect(await standing(debtor)).toEqual(paid);
    expect(await saleOf(debtor)).toMatchObject({ amountCents: 5000, state: "captured" });
  });

  test("refuses to charge a card that was only verified: a fault of the account, not the card", async () => {
    const debtor = await aPayer();
    const token = await payflowToken({ visitor: debtor.visitor, card: good });
    const reply = await post(debtor, "50.00", token);
    expect(reply.status).toBe(422);
    expect(reply.message).toMatch(/not available right now/);
    expect(reply.message).not.toMatch(/another card/i);
    expect(await standing(debtor)).toEqual(owed);
    const admin = await signedIn(app, "admin", debtor.network);
    const { accountFault } = await admin.call(showCardSettings);
    expect(accountFault?.message).toMatch(/^Payflow 117: .*Reference transactions/);
    expect((await pay(debtor)).status).toBe(200);
    expect((await admin.call(showCardSettings)).accountFault).toBeNull();
  });

  test("makes such a charge once reference transactions are allowed", async () => {
    sandboxes[name].allowReferences(true);
    const debtor = await aPayer();
    const token = await payflowToken({ visitor: debtor.visitor, card: good });
    expect((await post(debtor, "50.00", token)).status).toBe(200);
    expect((await post(debtor, "50.00", token)).status).toBe(200);
    expect(await standing(debtor)).toEqual(paid);
  });

  test("reports to administrators when it opens no more sessions", async () => {
    const debtor = await aPayer();
    const { encryptedKeys } = await import("#cards/settings/card-accounts.ts");
    await app.db
      .updateTable("cardProcessors")
      .set(encryptedKeys(later(0), debtor.network.id, name, { password: "changed" }))
      .where("networkId", "=", debtor.network.id)
      .execute();
    await expect(askForToken(debtor, "50.00")).rejects.toThrow("answered 503");
    const admin = await signedIn(app, "admin", debtor.network);
    const { accountFault } = await admin.call(showCardSettings);
    expect(accountFault?.message).toBe("Payflow 1: User authentication failed.");
    const stranger = await signedIn(app, "admin", (await aPayer()).network);
    expect((await stranger.call(showCardSettings)).accountFault).toBeNull();
  });

  test("is asked for a token when its keys are saved", async () => {
    const debtor = await aPayer();
    const admin = await signedIn(app, "admin", debtor.network);
    const before = sandboxes[name].calls().length;
    await admin.call(changeCardSettings, { body: { payment_processor: name, sandbox: true } });
    const asked = sandboxes[name].calls().slice(before);
    expect(asked.map(({ call }) => call)).toEqual(["lookup", "session"]);
    const { processors } = await admin.call(showCardSettings);
    expect(processors.find((each) => each.name === name)?.advice).toMatch(/enable secure tokens/);
  });
});

describe("a token with an amount", () => {
  test.each([["0"], ["-1"], ["abc"], ["1000000.01"]])("is not given for %s", async (amount) => {
    const debtor = await aPayer();
    expect((await askForToken(debtor, amount)).status).toBe(422);
  });

  test("is refused for more than is owed, and if the network has another processor", async () => {
    const debtor = await aPayer();
    expect(await askForToken(debtor, "80.01")).toMatchObject({
      status: 409,
      message: expect.stringContaining("$80.00"),
    });
    expect((await askForToken(await aDebtor(app, "anet"), "50.00")).status).toBe(409);
  });

  test("is saved with its attorney, amount and reference before PayPal is asked", async () => {
    const debtor = await aPayer();
    sandboxes[name].fail({ call: "session", kind: "drop-after" });
    await expect(askForToken(debtor, "50.00")).rejects.toThrow("answered 503");
    const session = await app.db
      .selectFrom("cardSessions")
      .select(["attorneyId", "amountCents", "reference"])
      .where("networkId", "=", debtor.network.id)
      .executeTakeFirstOrThrow();
    expect(session).toEqual({
      attorneyId: debtor.attorney.id,
      amountCents: 5000,
      reference: expect.stringMatching(/^[0-9A-Z]{12}$/),
    });
    expect((await pay(debtor)).status).toBe(200); // nobody has that token, so it blocks nothing
  });

  test("finds the sale by our reference when the token's secret is lost", async () => {
    const debtor = await aPayer();
    await sell(debtor, "50.00");
    await app.db
      .updateTable("cardSessions")
      .set({ encryptedSecret: null })
      .where("networkId", "=", debtor.network.id)
      .execute();
    await reconcileSessions(later(22));
    expect(await standing(debtor)).toEqual(paid);
  });

  test("also finds the sale when its batch failed and a later one collects it", async () => {
    const debtor = await aPayer();
    await sell(debtor, "50.00");
    sandboxes[name].settle([(await saleOf(debtor))?.id ?? ""]);
    await reconcileSessions(later(22));
    await reconcileSessions(later(60));
    expect(await standing(debtor)).toEqual(owed);
    sandboxes[name].settle();
    await reconcileSessions(later(26 * 60));
    expect(await standing(debtor)).toEqual(paid);
  });

  test("whose form never arrived is given up only when it can no longer be used", async () => {
    const debtor = await aPayer();
    const { object } = await askForToken(debtor, "50.00");
    expect((await post(debtor, "50.00", object.secureTokenId)).status).toBe(202);
    for (const minutes of [1, 5, 31]) {
      await confirmOpenPayments(later(minutes));
      expect(await standing(debtor)).toEqual(reserved);
    }
    await confirmOpenPayments(later(33)); // looked up as soon as the result must be known, before any alarm
    expect(await standing(debtor)).toEqual(owed);
  });
});

describe("a second token", () => {
  test("of two requested at the same time is given to one", async () => {
    const debtor = await aPayer();
    const replies = await Promise.all(
      ["50.00", "50.00", "30.00"].map((each) => askForToken(debtor, each)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  test("does not wait for another attorney's", async () => {
    const debtor = await aPayer();
    const other = await anotherDebtor(app, debtor.network, [5000]);
    await sell(debtor, "50.00");
    expect((await askForToken(other, "50.00")).status).toBe(200);
  });

  test("is not needed: a used token charges nothing more", async () => {
    const debtor = await aPayer();
    const { object: session } = await askForToken(debtor, "50.00");
    await postToPayflow(session, good);
    expect(await postToPayflow(session, good)).toContain('name="RESULT" value="160"');
    expect((await post(debtor, "50.00", session.secureTokenId)).status).toBe(200);
    expect(await saleOf(debtor)).toMatchObject({ amountCents: 5000 });
  });
});

describe("a RESULT that leaves the outcome open", () => {
  test("127 was not screened and may be charged: it is looked up and posted", async () => {
    const debtor = await aPayer();
    expect((await pay(debtor, cardOf(name, "4000000000000127"))).status).toBe(200);
    expect(await standing(debtor)).toEqual(paid);
    expect(await saleOf(debtor)).toMatchObject({ state: "captured" });
  });

  test("127 of a charge by reference reserves its amounts until it is looked up", async () => {
    sandboxes[name].allowReferences(true);
    const debtor = await aPayer([112_700]);
    const token = await payflowToken({ visitor: debtor.visitor, card: good });
    expect((await post(debtor, "1127.00", token)).status).toBe(202);
    expect(await standing(debtor)).toEqual({ balance: 112_700, pending: 112_700 });
    await confirmOpenPayments(later(1));
    expect(await standing(debtor)).toEqual(paid);
  });

  test.each(["4000000000003402", "4000000000002404"])(
    "one in no table (card %s) never counts as a decline, and is settled by its later outcome",
    async (number) => {
      const [done, undone] = [await aPayer(), await aPayer()];
      const ids = [];
      for (const debtor of [done, undone]) {
        expect((await pay(debtor, cardOf(name, number))).status).toBe(202);
        await confirmOpenPayments(later(60));
        expect(await standing(debtor)).toEqual(reserved);
        ids.push((await saleOf(debtor))?.id ?? "");
        expect((await askForToken(debtor, "50.00")).status).toBe(409);
        expect((await askForToken(debtor, "30.00")).status).toBe(200);
      }
      const [doneId = "", undoneId = ""] = ids;
      expect(sandboxes[name].decide(doneId, "approve")).toBe(true);
      expect(sandboxes[name].decide(undoneId, "decline")).toBe(true);
      await confirmOpenPayments(later(26 * 60));
      expect(await standing(done)).toEqual(paid);
      expect(await standing(undone)).toEqual(owed);
    },
  );

  test.each(["402", "404", "126"])(
    "%s of a charge by reference is not a decline either, and is not voided",
    async (result) => {
      sandboxes[name].allowReferences(true);
      const dollars = 1000 + Number(result);
      const debtor = await aPayer([dollars * 100]);
      const before = voids();
      const token = await payflowToken({ visitor: debtor.visitor, card: good });
      expect((await post(debtor, `${dollars}.00`, token)).status).toBe(202);
      await confirmOpenPayments(later(60));
      expect(await standing(debtor)).toMatchObject({ pending: dollars * 100 });
      expect(voids()).toBe(before);
    },
  );

  test("104 may have left an authorisation: it is voided, and nothing was charged", async () => {
    const debtor = await aPayer([110_400]);
    expect((await pay(debtor, good, "1104.00")).status).toBe(422);
    expect(await standing(debtor)).toEqual({ balance: 110_400, pending: 0 });
  });
});

describe("a RESULT that leaves the outcome open, of a sale whose browser never came back", () => {
  async function anUnclearSale() {
    const debtor = await aPayer();
    await sell(debtor, "50.00", cardOf(name, "4000000000003402"));
    await reconcileSessions(later(22));
    const admin = await signedIn(app, "admin", debtor.network);
    return { debtor, admin, id: (await saleOf(debtor))?.id ?? "" };
  }

  test("is listed for administrators, and its attorney is asked to pay by check", async () => {
    const { debtor, admin, id } = await anUnclearSale();
    const { items } = await admin.call(listHeldCharges);
    expect(items).toMatchObject([
      { amount: 5000, paymentId: null, transactionId: id, problem: expect.stringContaining(id) },
    ]);
    expect(await askForToken(debtor, "30.00")).toMatchObject({
      status: 409,
      message: expect.stringContaining("pay by check"),
    });
  });

  test("is posted, or leaves the list, as soon as its outcome is known", async () => {
    const [done, undone] = [await anUnclearSale(), await anUnclearSale()];
    sandboxes[name].decide(done.id, "approve");
    sandboxes[name].decide(undone.id, "decline");
    expect((await askForToken(undone.debtor, "30.00")).status).toBe(200);
    expect((await undone.admin.call(listHeldCharges)).items).toEqual([]);
    await reconcileSessions(later(120));
    expect((await done.admin.call(listHeldCharges)).items).toEqual([]);
    expect([await standing(done.debtor), await standing(undone.debtor)]).toEqual([paid, owed]);
  });
});

describe("a sale voided at the processor", () => {
  test("ends a payment that is still being confirmed: nothing was charged", async () => {
    const debtor = await aPayer();
    const token = await sell(debtor, "50.00");
    sandboxes[name].fail({ call: "lookup", kind: "503-before", times: 2 });
    expect((await post(debtor, "50.00", token)).status).toBe(202);
    sandboxes[name].stopFailing();
    expect(sandboxes[name].voidAtProcessor((await saleOf(debtor))?.id ?? "")).toBe(true);
    await confirmOpenPayments(later(1));
    expect(await standing(debtor)).toEqual(owed);
    expect(
      await debtor.visitor.ask(payByCard, {
        body: { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token },
      }),
    ).toMatchObject({
      status: 422,
      message: expect.stringContaining("voided"),
    });
  });

  test("after it was paid is owed again: its attorney is emailed, and administrators see it", async () => {
    const debtor = await aPayer();
    expect((await pay(debtor)).status).toBe(200);
    sandboxes[name].voidAtProcessor((await saleOf(debtor))?.id ?? "");
    await lookUpCapturedPayments(later(25 * 60));
    expect(await standing(debtor)).toEqual(owed);
    expect(await subjectsOf(debtor)).toEqual(["is received", "is refunded"]);
    const admin = await signedIn(app, "admin", debtor.network);
    const query = { state: "refunded", refund_by: "processor" } as const;
    const { items } = await admin.call(listCardPayments, { query });
    expect(items).toMatchObject([{ amount: 5000, refund: { state: "done" } }]);
    await lookUpCapturedPayments(later(50 * 60));
    expect(await subjectsOf(debtor)).toHaveLength(2);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test("and also refunded here is one refund", async () => {
    const debtor = await aPayer();
    expect((await pay(debtor)).status).toBe(200);
    sandboxes[name].voidAtProcessor((await saleOf(debtor))?.id ?? "");
    const admin = await signedIn(app, "admin", debtor.network);
    const { items } = await admin.call(listCardPayments);
    const refund = { params: { id: items[0]?.id }, body: { reason: "Paid twice" } };
    expect((await admin.ask(refundPayment, refund)).status).toBe(200);
    expect(await standing(debtor)).toEqual(owed);
  });

  test("also ends a payment that our server charged by reference", async () => {
    sandboxes[name].allowReferences(true);
    const debtor = await aPayer();
    const token = await payflowToken({ visitor: debtor.visitor, card: good });
    sandboxes[name].fail({ call: "charge", kind: "drop-after" });
    expect((await post(debtor, "50.00", token)).status).toBe(202);
    sandboxes[name].voidAtProcessor(sandboxes[name].charges().at(-1)?.id ?? "");
    await confirmOpenPayments(later(1));
    expect(await standing(debtor)).toEqual(owed);
  });

  test("leaves a session whose browser never came back without a charge", async () => {
    const debtor = await aPayer();
    await sell(debtor, "50.00");
    sandboxes[name].voidAtProcessor((await saleOf(debtor))?.id ?? "");
    await reconcileSessions(later(22));
    await reconcileSessions(later(36));
    expect(await standing(debtor)).toEqual(owed);
    expect((await askForToken(debtor, "50.00")).status).toBe(200);
  });
});

describe("a sale that the fraud filters hold", () => {
  async function aHeldSale() {
    const debtor = await aPayer();
    const token = await sell(debtor, "50.00", heldCard);
    const reply = await post(debtor, "50.00", token);
    const admin = await signedIn(app, "admin", debtor.network);
    return { debtor, token, reply, admin, id: (await saleOf(debtor))?.id ?? "" };
  }

  test("is being confirmed for its payer, and never voided by a lookup", async () => {
    const before = voids();
    const { debtor, token, reply } = await aHeldSale();
    expect(reply).toMatchObject({ status: 202, message: expect.stringMatching(/being confirmed/) });
    expect(reply.object.onlinePayments).toMatchObject([{ status: "processing" }]);
    for (const hours of [1, 2, 20, 24 * 6]) await confirmOpenPayments(later(hours * 60));
    expect((await post(debtor, "50.00", token)).status).toBe(202);
    expect(await standing(debtor)).toEqual(reserved);
    expect(await saleOf(debtor)).toMatchObject({ state: "held" });
    expect(voids()).toBe(before);
  });

  test("is listed for its administrators, with what to do", async () => {
    const { debtor, admin, id } = await aHeldSale();
    const { items, total } = await admin.call(listHeldCharges);
    expect([items, total]).toMatchObject([
      [
        {
          attorneyId: debtor.attorney.id,
          amount: 5000,
          transactionId: id,
          reviewedIn: "PayPal Manager",
        },
      ],
      1,
    ]);
    const query = { state: "processing", held: "false" } as const;
    expect((await admin.call(listCardPayments, { query })).items).toEqual([]);
    const stranger = await signedIn(app, "admin", (await aPayer()).network);
    expect((await stranger.call(listHeldCharges)).items).toEqual([]);
  });

  test("is paid once the network accepts it", async () => {
    const { debtor, token, admin, id } = await aHeldSale();
    sandboxes[name].decide(id, "approve");
    await confirmOpenPayments(later(3 * 24 * 60));
    expect(await standing(debtor)).toEqual(paid);
    expect((await post(debtor, "50.00", token)).status).toBe(200);
    expect((await admin.call(listHeldCharges)).items).toEqual([]);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test("is owed again once the network declines it", async () => {
    const { debtor, admin, id } = await aHeldSale();
    sandboxes[name].decide(id, "decline");
    await confirmOpenPayments(later(3 * 24 * 60));
    expect(await standing(debtor)).toEqual(owed);
    expect((await admin.call(listHeldCharges)).items).toEqual([]);
    expect((await pay(debtor)).status).toBe(200);
  });

  test("is looked up for weeks, by its own transaction id", async () => {
    const { debtor, id } = await aHeldSale();
    sandboxes.advance(40 * 24 * 60 * 60_000); // a reference is found for thirty days
    for (const days of [1, 20, 40]) await confirmOpenPayments(later(days * 24 * 60));
    expect(await standing(debtor)).toEqual(reserved);
    sandboxes[name].decide(id, "approve");
    await confirmOpenPayments(later(41 * 24 * 60));
    expect(await standing(debtor)).toEqual(paid);
  });

  test("raises no alarm while it waits", async () => {
    const read = async () => {
      const text = await databaseMetrics(app.pool)();
      const value = (figure: string) => Number(new RegExp(`^${figure} (.+)$`, "m").exec(text)?.[1]);
      return {
        unknown: value("card_payments_in_flight"),
        held: value("card_payments_held"),
        overdue: value("card_sessions_overdue_seconds"),
      };
    };
    await sql`update card_sessions set next_look_at = now() + interval '1 day' where state = 'open'`.execute(
      app.db,
    );
    const before = await read();
    const { debtor } = await aHeldSale();
    await sql`update card_sessions set next_look_at = now() - interval '2 days'
      where network_id = ${debtor.network.id}`.execute(app.db);
    expect(await read()).toEqual({ ...before, held: before.held + 1 });
  });

  test("keeps its payer from charging the same amount again, and says why; other amounts can be paid", async () => {
    const { debtor } = await aHeldSale();
    expect(await askForToken(debtor, "50.00")).toMatchObject({
      status: 409,
      message: expect.stringContaining("for review"),
    });
    expect((await post(debtor, "30.00", await sell(debtor, "30.00"), 1)).status).toBe(200);
  });

  test("is also listed without its browser, and posted when it is accepted", async () => {
    const debtor = await aPayer();
    await sell(debtor, "50.00", heldCard);
    await reconcileSessions(later(22));
    await reconcileSessions(later(60));
    expect(await askForToken(debtor, "30.00")).toMatchObject({
      status: 409,
      message: expect.stringContaining("for review"),
    });
    const admin = await signedIn(app, "admin", debtor.network);
    const { items } = await admin.call(listHeldCharges);
    expect(items).toMatchObject([{ amount: 5000, paymentId: null, reviewedIn: "PayPal Manager" }]);
    sandboxes.advance(40 * 24 * 60 * 60_000);
    await reconcileSessions(later(40 * 24 * 60));
    expect((await admin.call(listHeldCharges)).items).toHaveLength(1);
    sandboxes[name].decide(items[0]?.transactionId ?? "", "approve");
    await reconcileSessions(later(41 * 24 * 60));
    expect(await standing(debtor)).toEqual(paid);
    expect((await admin.call(listHeldCharges)).items).toEqual([]);
  });
});
