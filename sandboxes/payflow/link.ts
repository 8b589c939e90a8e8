import { dollarsText } from "#domain/money.ts";
import { cardOf } from "../cards.ts";
import type { WireAnswer } from "../desk.ts";
import { type Journal, newPnref, type SecureToken, type Transaction } from "./journal.ts";
import { type Fields, readNameValue } from "./name-value.ts";
import { stateAfter } from "./results.ts";
import {
  addressLetter,
  codeLetter,
  resultOfAmount,
  resultOfCard,
  zipLetter,
} from "./test-cards.ts";
import { answerOf, newAuthCode } from "./transactions.ts";
import { refused } from "./wanted.ts";

const lifetimeMs = 20 * 60_000;
const mostSubmissions = 3;

/** What the browser's form holds; names in any case, the card possibly packed into PARMLIST. */
export function readLinkForm(body: string): Fields {
  const form = [...new URLSearchParams(body)].map(([name, value]) => [name.toUpperCase(), value]);
  const fields: Fields = Object.fromEntries(form);
  return { ...fields, ...readNameValue(fields["PARMLIST"] ?? "") };
}

export function tokenNamed(journal: Journal, form: Fields): SecureToken | null {
  const found = journal.tokens.get(form["SECURETOKEN"] ?? "");
  return found && found.id === form["SECURETOKENID"] ? found : null;
}

/** Two presses at once: the second is sent back while the first is running. */
export function inProgress(token: SecureToken): WireAnswer {
  return sentBack(token, "ERRORURL", refused(161));
}

/** Run what the token was made for with the card from the form; answer the page that posts the outcome on. */
export function submit(journal: Journal, token: SecureToken | null, form: Fields): WireAnswer {
  if (!token) return nowhere();
  const now = journal.house.clock.now();
  if (token.isUsed) return sentBack(token, "ERRORURL", refused(160));
  if (token.submissions >= mostSubmissions) return sentBack(token, "ERRORURL", refused(160));
  if (now - token.madeAt > lifetimeMs) return sentBack(token, "ERRORURL", refused(162));
  const [, month = "", year = ""] = /^(\d\d)(\d\d)$/.exec(form["EXPDATE"] ?? "") ?? [];
  if ((form["ACCT"] ?? "") === "") return sentBack(token, "ERRORURL", refused(7, "ACCT"));
  const transaction = run(journal, token, form, Number(month), yearNamed(year, now));
  const isUsed = transaction.state !== "refused";
  journal.tokens.set(token.token, { ...token, submissions: token.submissions + 1, isUsed });
  // Which of the two addresses a decline reaches is not known; here it depends on whether the bank was asked.
  const isInvalid = transaction.result === 23 || transaction.result === 24;
  return sentBack(token, isInvalid ? "ERRORURL" : "RETURNURL", answerOf(transaction));
}

/** Two digits: of this century, unless that is more than fifty years ahead. `98` is 1998. */
function yearNamed(digits: string, nowMs: number): number {
  const year = 2_000 + Number(digits);
  return year > new Date(nowMs).getUTCFullYear() + 50 ? year - 100 : year;
}

function run(
  journal: Journal,
  token: SecureToken,
  form: Fields,
  expMonth: number,
  expYear: number,
): Transaction {
  const now = journal.house.clock.now();
  const number = form["ACCT"] ?? "";
  const { verification, charge } = resultOfCard(number, expMonth, expYear, now);
  const isCharge = token.amountCents > 0;
  const result = isCharge ? charge || resultOfAmount(token.amountCents) : verification;
  const address = addressLetter(token.fields["BILLTOSTREET"]);
  const pnref = newPnref();
  return journal.transactions.set(pnref, {
    pnref,
    vendor: token.vendor,
    type: token.type,
    result,
    amountCents: token.amountCents,
    card: cardOf(number, expMonth, expYear),
    laterResult: charge,
    letters: {
      address,
      zip: zipLetter(token.fields["BILLTOZIP"], address),
      code: codeLetter(form["CSC"] ?? form["CVV2"]),
    },
    authCode: result === 0 ? newAuthCode() : "",
    state: stateAfter(result, token.type),
    custref: token.fields["CUSTREF"] ?? "",
    invnum: token.fields["INVNUM"] ?? "",
    secureToken: token.token,
    at: now,
  });
}

/** A page that posts itself to the merchant, across sites: no cookie of theirs that is Lax comes along. */
function sentBack(token: SecureToken, name: "RETURNURL" | "ERRORURL", outcome: Fields): WireAnswer {
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
    200,
    `<form method="post" action="${escaped(address)}">${inputs.join("")}<noscript><button>Continue</button></noscript></form><script>document.forms[0].submit()</script>`,
  );
}

/** Without a token there is no address to go back to. */
function nowhere(): WireAnswer {
  return page(200, "<p>Secure token not found (RESULT 7).</p>");
}

function page(status: number, body: string): WireAnswer {
  const headers = { "content-type": "text/html; charset=utf-8" };
  const head = '<meta charset="utf-8"><title>Processing</title>';
  return {
    status,
    headers,
    body: `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`,
  };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
