import { randomInt } from "node:crypto";
import { type Cents, cents } from "#domain/money.ts";
import { cardOf, fullYear } from "../cards.ts";
import { at, textAt, type Tree } from "../tree.ts";
import { badState, invalid, LawPayRefusal, missing } from "./refusals.ts";
import { verdictOn } from "./test-cards.ts";
import {
  type Caller,
  change,
  newId,
  record,
  refundedCents,
  refundsOf,
  shownToken,
  shownTransaction,
  type Token,
  type Transaction,
  type Vault,
} from "./vault.ts";

const tokenLifetimeMs = 5 * 60_000;

const payerNames = [
  "name",
  "email",
  "phone",
  "address1",
  "address2",
  "city",
  "state",
  "postal_code",
  "country",
  "reference",
];

/** POST /v1/tokens: anything becomes a token; the card is only judged when it is charged. */
export function createToken(vault: Vault, merchant: string, body: Tree): object {
  const number = (textAt(body, "number") ?? "").replaceAll(/\D/g, "");
  const expMonth = Number(textAt(body, "exp_month") ?? "0");
  const expYear = fullYear(textAt(body, "exp_year") ?? "0");
  const id = newId();
  const given = payerNames.flatMap((name): [string, string][] => {
    const value = textAt(body, name);
    return value === undefined ? [] : [[name, value]];
  });
  const madeAt = vault.house.clock.now();
  const token = vault.tokens.set(id, {
    id,
    merchant,
    card: cardOf(number, expMonth, expYear),
    hasCvv: textAt(body, "cvv") !== undefined,
    verdict: verdictOn(number, expMonth, expYear, madeAt),
    payer: Object.fromEntries(given),
    madeAt,
    isUsed: false,
  });
  return shownToken(token);
}

/** POST /v1/charges. Throws a LawPayRefusal; a refused card leaves a FAILED transaction. */
export function createCharge(vault: Vault, caller: Caller, body: Tree): object {
  const amountCents = amountIn(body);
  const accountId = textAt(body, "account_id") ?? caller.accountId;
  if (accountId !== caller.accountId && accountId !== caller.trustAccountId) {
    throw missing("Account[id]");
  }
  if (caller.mode !== "TEST") {
    const message = `Mode ${caller.mode} not supported for account of type TEST`;
    throw new LawPayRefusal(422, { code: "unavailable_for_merchant_mode", message });
  }
  const currency = textAt(body, "currency") ?? "USD";
  if (currency !== "USD") throw new LawPayRefusal(422, { code: "unsupported_currency" });
  const reference = textAt(body, "reference") ?? "";
  if (reference.length > 128) throw invalid("reference", "invalid_length");
  const token = takeToken(vault, caller, textAt(body, "method"));
  const autoCapture = textAt(body, "auto_capture") !== "false";
  return authorise(vault, caller, { token, amountCents, accountId, reference, autoCapture });
}

interface Wanted {
  token: Token;
  amountCents: Cents;
  accountId: string;
  reference: string;
  autoCapture: boolean;
}

function authorise(vault: Vault, caller: Caller, wanted: Wanted): object {
  const { token, amountCents, accountId, reference, autoCapture } = wanted;
  const { code, facility, context, isPending, isPartial } = token.verdict;
  const now = vault.house.clock.now();
  const id = newId();
  const approved = isPending ? ("PENDING" as const) : ("AUTHORIZED" as const);
  const transaction = vault.transactions.set(id, {
    id,
    merchant: caller.merchant,
    mode: caller.mode,
    type: "CHARGE",
    accountId,
    status: code ? "FAILED" : approved,
    failureCode: code,
    amountCents: isPartial ? cents(Math.trunc(amountCents / 2)) : amountCents,
    autoCapture,
    authorizationCode: code ? "" : String(randomInt(100_000, 1_000_000)),
    reference,
    card: token.card,
    payer: token.payer,
    verdict: token.verdict,
    createdAt: now,
    modifiedAt: now,
  });
  record(vault, transaction, "created");
  record(vault, transaction, transaction.status.toLowerCase());
  if (code) throw new LawPayRefusal(422, { code, facility, context, entity_id: id });
  return shownTransaction(vault, transaction);
}

/** Which error an old or used token really gives is not known. */
function takeToken(vault: Vault, caller: Caller, id: string | undefined): Token {
  if (id === undefined) throw new LawPayRefusal(422, { code: "no_payment_method" });
  const found = vault.tokens.get(id);
  const isOld = found && vault.house.clock.now() - found.madeAt > tokenLifetimeMs;
  if (!found || found.merchant !== caller.merchant || found.isUsed || isOld) {
    throw new LawPayRefusal(422, { code: "no_card_details_or_token_present" });
  }
  return vault.tokens.set(id, { ...found, isUsed: true });
}

/** Whole cents, as a number or as text. */
function amountIn(body: Tree): Cents {
  const amount = at(body, "amount");
  if (amount === undefined || amount === null) throw invalid("amount", "not_null");
  const text = String(textAt(body, "amount"));
  if (!/^-?\d{1,12}$/.test(text)) throw invalid("amount", "invalid");
  if (Number(text) < 1) throw invalid("amount", "below_minimum_value");
  return cents(Number(text));
}

export function captureCharge(vault: Vault, caller: Caller, id: string, body: Tree): object {
  const charge = transactionOf(vault, caller, id);
  if (charge.type !== "CHARGE" || charge.status !== "AUTHORIZED" || charge.autoCapture) {
    throw badState();
  }
  const amountCents = amountIn(body);
  if (amountCents > charge.amountCents) throw badState("exceeds_authorized_amount");
  const isNow = textAt(body, "capture_time") !== "NEXT_AUTO_CAPTURE";
  const changes = { amountCents, autoCapture: true };
  const captured = isNow
    ? change(vault, charge, { ...changes, status: "COMPLETED" })
    : vault.transactions.set(id, { ...charge, ...changes });
  return shownTransaction(vault, captured);
}

/** While it is only authorised; of a charge, only without refunds. */
export function voidTransaction(vault: Vault, caller: Caller, id: string): object {
  const transaction = transactionOf(vault, caller, id);
  const hasRefunds = refundsOf(vault, id).some(({ status }) => status !== "VOIDED");
  if (transaction.status !== "AUTHORIZED" || hasRefunds) throw badState();
  return shownTransaction(vault, change(vault, transaction, { status: "VOIDED" }));
}

/** The whole or a part, again and again up to the amount, for six months. */
export function refundCharge(vault: Vault, caller: Caller, id: string, body: Tree): object {
  const charge = transactionOf(vault, caller, id);
  const amountCents = amountIn(body);
  const now = vault.house.clock.now();
  const isPaid = charge.status === "AUTHORIZED" || charge.status === "COMPLETED";
  const isTooOld = now - charge.createdAt > 183 * 86_400_000;
  if (charge.type !== "CHARGE" || !isPaid || isTooOld) throw badState();
  if (refundedCents(vault, id) + amountCents > charge.amountCents) {
    throw badState("refund_exceeds_transaction");
  }
  const refundId = newId();
  const refund: Transaction = vault.transactions.set(refundId, {
    ...charge,
    id: refundId,
    type: "REFUND",
    status: "AUTHORIZED",
    amountCents,
    reference: textAt(body, "reference") ?? "",
    chargeId: id,
    createdAt: now,
    modifiedAt: now,
  });
  record(vault, refund, "created");
  record(vault, refund, "authorized");
  return shownTransaction(vault, refund);
}

/** Another merchant's, or the other mode's, are as if they did not exist. */
export function transactionOf(vault: Vault, caller: Caller, id: string): Transaction {
  const found = vault.transactions.get(id);
  if (found?.merchant !== caller.merchant || found.mode !== caller.mode) {
    throw missing("Transaction[id]");
  }
  return found;
}

/** The daily run: what is authorised is captured, or fails. */
export function settle(vault: Vault, failing: string[]): number {
  const due = vault.transactions
    .values()
    .filter(({ status, autoCapture }) => status === "AUTHORIZED" && autoCapture);
  for (const each of due) {
    if (failing.includes(each.id)) {
      change(vault, each, { status: "FAILED", failureCode: "settlement_failed" });
    } else change(vault, each, { status: "COMPLETED" });
  }
  return due.length;
}
