import { randomBytes } from "node:crypto";
import type { HttpAnswer } from "../call-handler.ts";
import { cardOf, fullYear } from "../cards.ts";
import { at, textAt } from "../json.ts";
import { answer, refusal, successful } from "./answers.ts";
import type { AnetRequest, AnetStore, Nonce } from "./store.ts";
import { outcomeOfCard, cvvLetter } from "./test-cards.ts";
import type { TransactionRequest } from "./transaction-request.ts";

const dataDescriptor = "COMMON.ACCEPT.INAPP.PAYMENT";
const lifetimeMs = 15 * 60_000;

/** securePaymentContainerRequest from Accept.js: turns a card into a nonce without asking the issuer. */
export function makeNonce({ store, login, body }: AnetRequest): HttpAnswer {
  const { nonces, context } = store;
  const token = (name: string) => textAt(body, "data", "token", name);
  const number = token("cardNumber") ?? "";
  const [, month = "", year = ""] =
    /^(\d{2})(\d{2}|\d{4})$/.exec(token("expirationDate") ?? "") ?? [];
  if (!/^\d{13,16}$/.test(number) || month === "") {
    return refusal("E00003", "The card number or its expiration date is invalid.");
  }
  const card = cardOf(number, Number(month), fullYear(year));
  const value = nonceValue();
  const madeAt = context.clock.now();
  nonces.set(value, {
    value,
    login,
    card,
    outcome: outcomeOfCard(number, card, madeAt),
    cvv: cvvLetter(token("cardCode")),
    zip: token("zip"),
    madeAt,
    isUsed: false,
  });
  return answer({ opaqueData: { dataDescriptor, dataValue: value }, messages: successful });
}

/** A nonce works once, for fifteen minutes, and only for the login that made it. */
export function takeNonce(
  { nonces, context }: AnetStore,
  { login, fields }: TransactionRequest,
): Nonce | { code: string; text: string } {
  const opaqueData = at(fields, "payment", "opaqueData");
  const found = nonces.get(textAt(opaqueData, "dataValue") ?? "");
  if (textAt(opaqueData, "dataDescriptor") !== dataDescriptor)
    return { code: "E00113", text: "Invalid OTS data." };
  if (!found || found.isUsed) return { code: "E00114", text: "Invalid OTS Token." };
  if (found.login !== login) return { code: "E00116", text: "OTS Token Access Violation." };
  if (context.clock.now() - found.madeAt > lifetimeMs)
    return { code: "E00115", text: "Expired OTS Token." };
  return nonces.set(found.value, { ...found, isUsed: true });
}

function nonceValue(): string {
  const code = `50_2_06000${randomBytes(24).toString("hex").toUpperCase()}`;
  return Buffer.from(JSON.stringify({ code, token: "1", v: "1.1" })).toString("base64");
}
