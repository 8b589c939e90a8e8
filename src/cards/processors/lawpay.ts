import { callGateway, codeOf, messageOf } from "#cards/processors/lawpay-gateway.ts";
import {
  declineSentences,
  lookUp,
  outcomeOf,
  usedBefore,
  voidOrRefund,
} from "#cards/processors/lawpay-transactions.ts";
import type { Account, ChargeOutcome, NewCharge, Processor } from "#cards/processors/processor.ts";
import {
  isSuccess,
  listAt,
  NoResponse,
  readJson,
  textAt,
  valueAt,
} from "#cards/processors/send-request.ts";
import { declinedByBank, notAvailable, sentence } from "#cards/processors/wording.ts";
import { processorLabels } from "#kit/domain/processors.ts";

/** LawPay: hosted fields turn the card into a one-time token, the server charges it. */
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
      hint: "Dues are the network's own income, so a trust account is refused",
      isSecret: false,
      isRequired: true,
    },
    {
      name: "secretKey",
      label: "Secret key",
      hint: "The test or live key, as chosen above",
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
  voidOrRefund,
};

function hosts() {
  return {
    scriptUrl: "https://cdn.affinipay.com/hostedfields/1.5.3/fieldGen_1.5.3.js",
    // Published by the vendor for this version, in "Creating payment forms using hosted fields". Another
    // version needs another hash.
    scriptIntegrity: "sha384-OInNoiApwwsc6xI2N+o4KHZ522+EmLGDTJFLwDEmuUum73mVEuytiQgy1/xpoEJO",
    apiUrl: "https://api.affinipay.com/v1",
  };
}

async function checkKeys(account: Account): Promise<string | null> {
  const answer = await callGateway(account, "/merchant");
  if (answer.status === 401) return "LawPay does not know the secret key.";
  if (!isSuccess(answer)) throw new NoResponse(`LawPay answered HTTP ${answer.status}.`);
  const known = listAt(readJson(answer), "merchant_accounts");
  const chosen = known.find((each) => textAt(each, "id") === account.keys["accountId"]);
  if (!chosen)
    return `The secret key has no account with this ID${account.live ? "" : " in test mode"}.`;
  if (valueAt(chosen, "trust_account") === true)
    return "This is a trust account. Dues are the network's own income, so choose an operating account.";
  // Unconfirmed: `type` says which mode an account is for.
  const mode = textAt(chosen, "type");
  if (mode && mode !== (account.live ? "LIVE" : "TEST"))
    return `This is a ${mode.toLowerCase()} account, but you chose ${account.live ? "live" : "test"} payments.`;
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
  // Unconfirmed: an expired token may be "not found", as an account may be.
  const isToken =
    code === "resource_not_found" && !/account/i.test(textAt(json, "messages", 0, "context"));
  if (isToken) return { kind: "declined", message: usedBefore };
  if (status === 401 || accountFaults.test(code) || merchantLimits.test(code))
    return { kind: "declined", message: notAvailable, fault: sentence(messageOf(json), code) };
  const message = declineSentences[code] ?? sentence(textAt(json, "messages", 0, "message"), "");
  return { kind: "declined", message: message || declinedByBank, transactionId };
}
