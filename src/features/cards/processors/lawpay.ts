import { Temporal } from "temporal-polyfill";
import { cents } from "#domain/money.ts";
import type {
  Account,
  Captured,
  Charge,
  ChargeOutcome,
  RefundOutcome,
  LookUpOutcome,
  NewCharge,
  Processor,
} from "#features/cards/processors/processor.ts";
import {
  type ProcessorResponse,
  valueAt,
  sendRequest,
  isSuccess,
  listAt,
  NoResponse,
  readJson,
  textAt,
} from "#features/cards/processors/send-request.ts";
import { declinedByBank, notAvailable, sentence } from "#features/cards/processors/wording.ts";
import { processorLabels } from "#features/cards/shapes.ts";

/** LawPay: hosted fields make a one-time token of the card, the server charges it. */
export const lawpay: Processor = {
  name: "lawpay",
  label: processorLabels.lawpay,
  fields: [
    {
      name: "publicKey",
      label: "Public key",
      hint: "Begins with m_",
      isSecret: false,
      isRequired: true,
      isReplaceable: true,
    },
    {
      name: "accountId",
      label: "Operating account ID",
      hint: "Dues are the network's own income: a trust account is refused",
      isSecret: false,
      isRequired: true,
    },
    {
      name: "secretKey",
      label: "Secret key",
      hint: "The test or the live one, as chosen above",
      isSecret: true,
      isRequired: true,
    },
  ],
  // One host for both: the secret key decides.
  liveAddresses: hosts(),
  testAddresses: hosts(),
  page: ({ keys, addresses }) => {
    const script = new URL(addresses["scriptUrl"] ?? "").origin;
    const api = new URL(addresses["apiUrl"] ?? "").origin;
    // Unconfirmed: which of the vendor's hosts frames and tokens come from.
    const others = script === "https://cdn.affinipay.com" ? ["https://*.affinipay.com"] : [];
    return {
      publicKeys: { publicKey: keys["publicKey"] ?? "" },
      clientIds: {},
      scriptUrl: addresses["scriptUrl"] ?? null,
      scriptIntegrity: addresses["scriptIntegrity"] ?? null,
      sources: {
        scripts: [script],
        frames: [...new Set([script, ...others])],
        forms: [],
        connections: [...new Set([api, ...others])],
      },
    };
  },
  checkKeys,
  charge,
  lookUp,
  // The search may lag behind (unconfirmed).
  missingIsFinalAfterMinutes: 10,
  salesMayFail: { forDays: 10 },
  voidOrRefund,
};

function hosts() {
  return {
    scriptUrl: "https://cdn.affinipay.com/hostedfields/1.5.3/fieldGen_1.5.3.js",
    // Published by the vendor for this version, in "Creating payment forms using hosted fields":
    // another version needs another.
    scriptIntegrity: "sha384-OInNoiApwwsc6xI2N+o4KHZ522+EmLGDTJFLwDEmuUum73mVEuytiQgy1/xpoEJO",
    apiUrl: "https://api.affinipay.com/v1",
  };
}

async function callGateway(
  account: Account,
  path: string,
  body?: object,
): Promise<ProcessorResponse> {
  const key = Buffer.from(`${account.keys["secretKey"] ?? ""}:`).toString("base64");
  return await sendRequest(`${account.addresses["apiUrl"] ?? ""}${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      authorization: `Basic ${key}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    timeoutMs: account.timeoutMs,
  });
}

/** Read from the API. Throws unless the answer is a success: reading can be repeated. */
async function read(account: Account, path: string): Promise<Record<string, unknown>> {
  const answer = await callGateway(account, path);
  if (!isSuccess(answer)) throw new NoResponse(`LawPay answered HTTP ${answer.status}.`);
  return readJson(answer);
}

const codeOf = (json: unknown) => textAt(json, "messages", 0, "code");
const messageOf = (json: unknown) =>
  textAt(json, "messages", 0, "message") || codeOf(json).replaceAll("_", " ");

async function checkKeys(account: Account): Promise<string | null> {
  const answer = await callGateway(account, "/merchant");
  if (answer.status === 401) return "LawPay does not know the secret key.";
  if (!isSuccess(answer)) throw new NoResponse(`LawPay answered HTTP ${answer.status}.`);
  const known = listAt(readJson(answer), "merchant_accounts");
  const chosen = known.find((each) => textAt(each, "id") === account.keys["accountId"]);
  if (!chosen)
    return `The secret key has no account with this ID${account.live ? "" : " in test mode"}.`;
  if (valueAt(chosen, "trust_account") === true)
    return "This is a trust account. Dues are the network's own income: choose an operating account.";
  // Unconfirmed: `type` says which mode an account is for.
  const mode = textAt(chosen, "type");
  if (mode && mode !== (account.live ? "LIVE" : "TEST"))
    return `This is a ${mode.toLowerCase()} account, but ${account.live ? "live" : "test"} payments are chosen.`;
  return null;
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  const answer = await callGateway(account, "/charges", {
    amount: wanted.amountCents,
    currency: "USD",
    method: wanted.token,
    account_id: account.keys["accountId"],
    reference: wanted.reference,
  });
  const json = readJson(answer);
  if (isSuccess(answer)) return outcomeOf(json);
  return refusalOf(answer.status, json);
}

const merchantLimits = /^merchant_trans_|^merchant_.*_exceeded$/;
const accountFaults =
  /^(not_authorized|resource_not_found|no_account|account_not_active|merchant_not_active|incorrect_payment_type|unavailable_for_|unsupported_currency|malformed_request|invalid_request|no_content|version_conflict)/;

function refusalOf(status: number, json: unknown): ChargeOutcome {
  const code = codeOf(json);
  const transactionId = textAt(json, "messages", 0, "entity_id") || undefined;
  if (status >= 500 || !code)
    return {
      kind: "unknown",
      problem: sentence(messageOf(json), `HTTP ${status}.`),
      transactionId,
    };
  // Unconfirmed: a token that is gone may be "not found", as an account may be.
  const isToken =
    code === "resource_not_found" && !/account/i.test(textAt(json, "messages", 0, "context"));
  if (isToken) return { kind: "declined", message: usedBefore };
  if (status === 401 || accountFaults.test(code) || merchantLimits.test(code))
    return { kind: "declined", message: notAvailable, fault: sentence(messageOf(json), code) };
  const message = declineSentences[code] ?? sentence(textAt(json, "messages", 0, "message"), "");
  return { kind: "declined", message: message || declinedByBank, transactionId };
}

const usedBefore = "The card details have expired or were used before. Enter them again.";

/** Texts are often absent on declines: ours, by code. */
const declineSentences: Record<string, string> = {
  card_declined: declinedByBank,
  card_declined_insufficient_funds: "The card was declined: insufficient funds.",
  card_declined_limit_exceeded: "The card was declined: its limit is exceeded.",
  card_declined_processing_error: "The card could not be processed. Try again or use another card.",
  card_declined_refer_to_issuer: "The card was declined. Ask your bank.",
  card_declined_hold: "The card was declined: it is on hold. Ask your bank.",
  card_declined_no_account: "The card was declined: there is no such account.",
  card_type_not_accepted: "This type of card is not accepted.",
  card_cvv_incorrect: "The card code is not correct.",
  card_avs_rejected: "The address does not match the card's.",
  card_number_invalid: "The card number is not valid.",
  card_number_incorrect: "The card number is not valid.",
  card_expired: "The card has expired.",
  payment_method_expired: "The card details have expired. Enter them again.",
  no_card_details_or_token_present: usedBefore,
};

/** AUTHORIZED is success for a sale: the daily run captures it. What was charged is what it says. */
function outcomeOf(transaction: unknown): ChargeOutcome {
  const transactionId = textAt(transaction, "id");
  const status = textAt(transaction, "status");
  if (status === "AUTHORIZED" || status === "COMPLETED") {
    const amount = Number(textAt(transaction, "amount"));
    if (!Number.isSafeInteger(amount) || amount <= 0)
      return { kind: "unknown", problem: "LawPay names no amount.", transactionId };
    const brand = textAt(transaction, "method", "card_type").replaceAll("_", " ");
    const lastFour = textAt(transaction, "method", "number").slice(-4);
    return {
      kind: "approved",
      transactionId,
      amountCents: cents(amount),
      card: { brand, lastFour },
      isSettled: status === "COMPLETED",
    };
  }
  if (status === "FAILED") {
    const message = declineSentences[textAt(transaction, "failure_code")] ?? declinedByBank;
    return { kind: "declined", message, transactionId };
  }
  return { kind: "unknown", problem: `LawPay says: ${status || "nothing"}.`, transactionId };
}

async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const found = sought.transactionId
    ? await read(account, `/transactions/${encodeURIComponent(sought.transactionId)}`)
    : await findByReference(account, sought);
  if (!found) return { kind: "missing" };
  const how = returnedKind(found, sought.amountCents);
  if (how) return { kind: "given back", transactionId: textAt(found, "id"), how };
  return outcomeOf(found);
}

/** The search matches parts of text: the reference is compared here. */
async function findByReference(account: Account, sought: Charge): Promise<unknown> {
  const since = Temporal.Instant.from(sought.startedAt).subtract({ minutes: 10 });
  const query = new URLSearchParams({
    qf: `reference:${sought.reference}`,
    account_id: account.keys["accountId"] ?? "",
    start_date: since.toString({ fractionalSecondDigits: 3 }),
    order_by: "-created",
    page_size: "20",
  });
  const { results } = await read(account, `/transactions?${query}`);
  return listAt(results).find(
    (each) => textAt(each, "reference") === sought.reference && textAt(each, "type") === "CHARGE",
  );
}

function returnedKind(transaction: unknown, amountCents: number): "voided" | "refunded" | null {
  if (textAt(transaction, "status") === "VOIDED") return "voided";
  return Number(textAt(transaction, "amount_refunded")) >= amountCents ? "refunded" : null;
}

/** Void while that is possible, else refund; a charge that was refunded already is not refunded twice. */
async function voidOrRefund(account: Account, captured: Captured): Promise<RefundOutcome> {
  const id = encodeURIComponent(captured.transactionId);
  const how = returnedKind(await read(account, `/transactions/${id}`), captured.amountCents);
  if (how) return { kind: "done", how };
  const voided = await callGateway(account, `/transactions/${id}/void`, {
    reference: captured.reference,
  });
  if (isSuccess(voided) && textAt(readJson(voided), "status") === "VOIDED")
    return { kind: "done", how: "voided" };
  if (isSuccess(voided)) return { kind: "unknown", problem: "LawPay did not say it was voided." };
  if (voided.status >= 500) return { kind: "unknown", problem: `HTTP ${voided.status}.` };
  const refunded = await callGateway(account, `/charges/${id}/refund`, {
    amount: captured.amountCents,
    reference: captured.reference,
  });
  const json = readJson(refunded);
  if (isSuccess(refunded) && textAt(json, "type") === "REFUND")
    return { kind: "done", how: "refunded" };
  if (isSuccess(refunded)) return { kind: "unknown", problem: "LawPay named no refund." };
  if (refunded.status >= 500 || codeOf(json) === "unavailable_due_to_capture_in_process")
    return { kind: "unknown", problem: sentence(messageOf(json), `HTTP ${refunded.status}.`) };
  return {
    kind: "refused",
    message: `LawPay refused the refund: ${sentence(messageOf(json), "")}`,
  };
}
