import { dollarsText } from "#kit/domain/money.ts";
import type { HttpAnswer } from "../call-handler.ts";
import { cardOf } from "../cards.ts";
import type { Fields } from "./name-value.ts";
import { answerOf, refused } from "./reply-fields.ts";
import {
  insertTransaction,
  type PayflowStore,
  type SecureToken,
  type Transaction,
} from "./store.ts";
import { resultOfAmount, resultOfCard } from "./test-cards.ts";

const lifetimeMs = 20 * 60_000;
const maxSubmissions = 3;

/** Names may be in any case. */
export function readLinkForm(body: string): Fields {
  const form = [...new URLSearchParams(body)].map(([name, value]) => [name.toUpperCase(), value]);
  return Object.fromEntries(form);
}

export function findToken({ tokens }: PayflowStore, form: Fields): SecureToken | null {
  const found = tokens.get(form["SECURETOKEN"] ?? "");
  return found && found.id === form["SECURETOKENID"] ? found : null;
}

/** Two presses at the same time: the second is sent back while the first is running. */
export function inProgress(token: SecureToken): HttpAnswer {
  return sendBack(token, "ERRORURL", refused(161));
}

/** Run the token's transaction with the card from the form; answer the page that posts the outcome. */
export function submit(store: PayflowStore, token: SecureToken | null, form: Fields): HttpAnswer {
  // Without a token there is no address to return to.
  if (!token) return page("<p>Secure token not found (RESULT 7).</p>");
  const now = store.context.clock.now();
  const isUsedUp = token.isUsed || token.submissions >= maxSubmissions;
  if (isUsedUp) return sendBack(token, "ERRORURL", refused(160));
  if (now - token.madeAt > lifetimeMs) return sendBack(token, "ERRORURL", refused(162));
  if ((form["ACCT"] ?? "") === "") return sendBack(token, "ERRORURL", refused(7, "ACCT"));
  const transaction = run(store, token, form);
  const isUsed = transaction.state !== "refused";
  store.tokens.set(token.token, { ...token, submissions: token.submissions + 1, isUsed });
  // Which of the two addresses a decline goes to is unknown; here it depends on whether the bank was asked.
  const isInvalid = transaction.result === 23 || transaction.result === 24;
  return sendBack(token, isInvalid ? "ERRORURL" : "RETURNURL", answerOf(transaction));
}

function run(store: PayflowStore, token: SecureToken, form: Fields): Transaction {
  const { fields, type, amountCents } = token;
  const now = store.context.clock.now();
  const number = form["ACCT"] ?? "";
  const [, month = "", digits = ""] = /^(\d\d)(\d\d)$/.exec(form["EXPDATE"] ?? "") ?? [];
  const [expMonth, expYear] = [Number(month), yearOf(digits, now)];
  const { verification, charge } = resultOfCard(number, expMonth, expYear, now);
  return insertTransaction(store, {
    vendor: token.vendor,
    type,
    result: type === "S" ? charge || resultOfAmount(amountCents) : verification,
    amountCents,
    card: cardOf(number, expMonth, expYear),
    laterResult: charge,
    custref: fields["CUSTREF"] ?? "",
    invnum: fields["INVNUM"] ?? "",
    secureToken: token.token,
  });
}

/** Two digits: this century, unless that is more than fifty years ahead. `98` is 1998. */
function yearOf(digits: string, nowMs: number): number {
  const year = 2_000 + Number(digits);
  return year > new Date(nowMs).getUTCFullYear() + 50 ? year - 100 : year;
}

/** A page that posts itself to the merchant, across sites, so the merchant's Lax cookies are not sent. */
function sendBack(token: SecureToken, name: "RETURNURL" | "ERRORURL", outcome: Fields): HttpAnswer {
  const address = token.fields[name] ?? token.fields["RETURNURL"] ?? "";
  const echoed = Object.entries(token.fields).filter(([field]) =>
    /^(USER\d+|BILLTO|INVNUM)/.test(field),
  );
  const fields: Fields = {
    ...Object.fromEntries(echoed),
    ...outcome,
    AMT: dollarsText(token.amountCents),
    TENDER: "CC",
    METHOD: "CC",
    TYPE: token.type,
    TRXTYPE: token.type,
    SECURETOKEN: token.token,
    SECURETOKENID: token.id,
  };
  const inputs = Object.entries(fields).map(
    ([field, value]) => `<input type="hidden" name="${escaped(field)}" value="${escaped(value)}">`,
  );
  return page(
    `<form method="post" action="${escaped(address)}">${inputs.join("")}<noscript><button>Continue</button></noscript></form><script>document.forms[0].submit()</script>`,
  );
}

function page(body: string): HttpAnswer {
  const headers = { "content-type": "text/html; charset=utf-8" };
  const head = '<meta charset="utf-8"><title>Processing</title>';
  const html = `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;
  return { status: 200, headers, body: html };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
