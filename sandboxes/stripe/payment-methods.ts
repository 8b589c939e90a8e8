import { type Card, cardOf, fullYear, isExpired, passesLuhn } from "../cards.ts";
import { at, textAt, type Tree } from "../tree.ts";
import { type Asked, required, wanted } from "./asked.ts";
import { type Books, newId, type PaymentMethod, secondsNow, type Token } from "./books.ts";
import { badParameter, badState, missing, noSuch, StripeRefusal } from "./refusals.ts";
import { behaviourOf, type Decline, liveCardInTestMode, numberNamed } from "./test-cards.ts";

type Tokenised = Pick<Token, "card" | "behaviour" | "isCvcGiven">;

/** POST /v1/payment_methods: from card fields, or from a token. */
export function createPaymentMethod(books: Books, asked: Asked): object {
  if (required(asked, "type") !== "card") {
    throw badParameter("type", "parameter_invalid", "This stand-in takes cards alone.");
  }
  const tokenised = cardOrToken(books, asked.account, at(asked.params, "card"), "card");
  return keepPaymentMethod(books, asked.account, tokenised, at(asked.params, "billing_details"))
    .object;
}

/** POST /v1/tokens. */
export function createToken(books: Books, asked: Asked): object {
  const given = at(asked.params, "card");
  if (given === undefined) throw missing("card");
  const tokenised = tokenise(books, given, "card");
  const id = newId("tok");
  const token: Token = {
    account: asked.account,
    ...tokenised,
    object: {
      id,
      object: "token",
      card: {
        id: newId("card"),
        object: "card",
        ...shownCard(tokenised.card),
        name: textAt(given, "name") ?? null,
        address_line1: textAt(given, "address_line1") ?? null,
        address_zip: textAt(given, "address_zip") ?? null,
      },
      created: secondsNow(books),
      livemode: false,
      type: "card",
      used: false,
    },
  };
  return books.tokens.set(id, token).object;
}

export function showPaymentMethod(books: Books, asked: Asked): object {
  const found = books.paymentMethods.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("PaymentMethod", asked.id);
  return found.object;
}

/** The payment method that a request names or brings; null when it does neither. */
export function paymentMethodFor(books: Books, asked: Asked): PaymentMethod | null {
  const brought = at(asked.params, "payment_method_data");
  if (brought !== undefined) {
    const param = "payment_method_data[card]";
    const tokenised = cardOrToken(books, asked.account, at(brought, "card"), param);
    return keepPaymentMethod(books, asked.account, tokenised, at(brought, "billing_details"));
  }
  const id = wanted(asked, "payment_method");
  return id === undefined || id === "" ? null : namedPaymentMethod(books, asked.account, id);
}

export function namedPaymentMethod(books: Books, account: string, id: string): PaymentMethod {
  const number = id.startsWith("pm_card_") ? numberNamed(id) : null;
  if (number !== null) return keepPaymentMethod(books, account, testCard(books, number), undefined);
  const found = books.paymentMethods.get(id);
  if (found?.account !== account) throw noSuch("PaymentMethod", id, "payment_method");
  if (found.isUsed) {
    throw badState(
      "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.",
      { param: "payment_method" },
    );
  }
  return found;
}

function cardOrToken(
  books: Books,
  account: string,
  given: Tree | undefined,
  param: string,
): Tokenised {
  if (given === undefined) throw missing(param);
  const tokenId = textAt(given, "token");
  if (tokenId === undefined) return tokenise(books, given, param);
  const number = numberNamed(tokenId);
  if (number !== null) return testCard(books, number);
  const token = books.tokens.get(tokenId);
  if (token?.account !== account) throw noSuch("token", tokenId, `${param}[token]`);
  if (token.object.used) {
    const message = `You cannot use a Stripe token more than once: ${tokenId}.`;
    throw badState(message, { code: "token_already_used" });
  }
  books.tokens.set(tokenId, { ...token, object: { ...token.object, used: true } });
  return token;
}

function testCard(books: Books, number: string): Tokenised {
  const year = new Date(books.house.clock.now()).getUTCFullYear() + 1;
  return { card: cardOf(number, 12, year), behaviour: behaviourOf(number) ?? {}, isCvcGiven: true };
}

function tokenise(books: Books, given: Tree, param: string): Tokenised {
  const number = (textAt(given, "number") ?? "").replaceAll(" ", "");
  if (number === "") throw missing(`${param}[number]`);
  const expMonth = Number(textAt(given, "exp_month"));
  const expYear = fullYear(textAt(given, "exp_year") ?? "");
  const card = cardOf(number, expMonth, expYear);
  if (!passesLuhn(number)) {
    throw refusedCard({ code: "incorrect_number", message: "Your card number is incorrect." });
  }
  if (!(expMonth >= 1 && expMonth <= 12)) {
    const message = "Your card's expiration month is invalid.";
    throw refusedCard({ code: "invalid_expiry_month", message });
  }
  if (isExpired(expMonth, expYear, books.house.clock.now())) {
    const message = "Your card's expiration year is invalid.";
    throw refusedCard({ code: "invalid_expiry_year", message });
  }
  const behaviour = behaviourOf(number);
  if (!behaviour) throw refusedCard(liveCardInTestMode);
  const cvc = textAt(given, "cvc") ?? "";
  return { card, behaviour, isCvcGiven: cvc !== "" };
}

function refusedCard(decline: Decline): StripeRefusal {
  return new StripeRefusal(402, { type: "card_error", ...decline });
}

function keepPaymentMethod(
  books: Books,
  account: string,
  { card, behaviour, isCvcGiven }: Tokenised,
  billing: Tree | undefined,
): PaymentMethod {
  const id = newId("pm");
  const address = (name: string) => textAt(billing, "address", name) ?? null;
  return books.paymentMethods.set(id, {
    account,
    card,
    behaviour,
    isCvcGiven,
    isUsed: false,
    object: {
      id,
      object: "payment_method",
      allow_redisplay: "unspecified",
      billing_details: {
        address: {
          city: address("city"),
          country: address("country"),
          line1: address("line1"),
          line2: address("line2"),
          postal_code: address("postal_code"),
          state: address("state"),
        },
        email: textAt(billing, "email") ?? null,
        name: textAt(billing, "name") ?? null,
        phone: textAt(billing, "phone") ?? null,
      },
      card: {
        ...shownCard(card),
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
        display_brand: card.brand,
        fingerprint: card.fingerprint,
        networks: { available: [card.brand], preferred: null },
        three_d_secure_usage: { supported: true },
        wallet: null,
      },
      created: secondsNow(books),
      customer: null,
      livemode: false,
      metadata: {},
      type: "card",
    },
  });
}

function shownCard({ brand, last4, expMonth, expYear }: Card) {
  const funding = "credit";
  return { brand, country: "US", exp_month: expMonth, exp_year: expYear, funding, last4 };
}
