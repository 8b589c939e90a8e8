import { centsFromDollars, dollarsText } from "#kit/domain/money.ts";
import { fullRefundKind } from "#cards/processors/charge-events.ts";
import {
  callGateway,
  codeOf,
  credentials,
  findById,
  messageOf,
  unknown,
} from "#cards/processors/elavon-gateway.ts";
import { voidOrRefund } from "#cards/processors/elavon-refunds.ts";
import {
  findCharge,
  isTestAnswer,
  outcomeOf,
  reversalReason,
} from "#cards/processors/elavon-transactions.ts";
import type {
  Account,
  ChargeOutcome,
  NewCharge,
  NewSession,
  OpenedSession,
  Processor,
} from "#cards/processors/processor.ts";
import { sendRequest, isSuccess } from "#cards/processors/send-request.ts";
import { asciiOf, notAvailable, sentence, zipOf } from "#cards/processors/wording.ts";
import { processorLabels } from "#kit/domain/processors.ts";

/**
 * Elavon Converge with Checkout.js: the browser charges the card in a session that the server opened for an
 * amount, and returns a transaction id. Nothing is posted before Converge confirms it.
 */
export const elavon: Processor = {
  name: "elavon",
  label: processorLabels.elavon,
  fields: [
    field("merchantId", "Account ID", "Six or seven digits", false),
    {
      ...field("userId", "API user ID", "A user with the right Hosted Payment API User", false),
      isReplaceable: true,
    },
    field("pin", "PIN", "64 letters and digits", true),
  ],
  liveAddresses: addresses("api.convergepay.com", "VirtualMerchant"),
  testAddresses: addresses("api.demo.convergepay.com", "VirtualMerchantDemo"),
  page: (account) => {
    const script = account.addresses["scriptUrl"] ?? "";
    const { origin } = new URL(script);
    return {
      publicKeys: {},
      clientIds: {},
      scriptUrl: script,
      // Unconfirmed: the script's own calls stay on its host. Frames are for wallets and 3-D Secure.
      sources: { scripts: [origin], frames: [], forms: [], connections: [origin] },
    };
  },
  checkKeys,
  charge: verify,
  lookUp: findCharge,
  // A session lasts fifteen minutes; after that nothing can be charged in it.
  missingIsFinalAfterMinutes: 20,
  voidOrRefund,
  sessions: {
    lastsMinutes: 15,
    // Converge lists a sale when the bank has answered; a page waits the same time for its own charge
    // (Elavon.tsx).
    chargeTakesSeconds: 60,
    waitsFor: "other pages",
    open: openSession,
    referenceOf: async (account, id) =>
      (await findById(account, id))?.["ssl_invoice_number"] ?? null,
  },
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

function addresses(host: string, folder: string) {
  return {
    scriptUrl: `https://${host}/hosted-payments/Checkout.js`,
    tokenUrl: `https://${host}/hosted-payments/transaction_token`,
    xmlUrl: `https://${host}/${folder}/processxml.do`,
  };
}

async function openSession(account: Account, wanted: NewSession): Promise<OpenedSession> {
  const { payer } = wanted;
  const body = new URLSearchParams({
    ...credentials(account),
    ssl_transaction_type: "ccsale",
    ssl_amount: wanted.amountCents === null ? "" : dollarsText(wanted.amountCents),
    ssl_invoice_number: wanted.reference,
    // Unconfirmed: whether the token request accepts it. Nothing depends on it.
    ssl_merchant_txn_id: wanted.reference,
    // Counted in bytes; the XML endpoint fails on & < > even when escaped.
    ssl_first_name: asciiOf(payer.firstName, 20),
    ssl_last_name: asciiOf(payer.lastName, 30),
    ssl_avs_address: asciiOf(payer.address, 30),
    ssl_avs_zip: zipOf(payer.zip),
  });
  const answer = await sendRequest(account.addresses["tokenUrl"] ?? "", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: body.toString(),
    timeoutMs: account.timeoutMs,
  });
  const token = answer.text.trim();
  if (
    isSuccess(answer) &&
    /^[\x21-\x3b\x3d-\x7e]{8,2000}$/.test(token) &&
    !token.includes("errorCode=")
  )
    return { kind: "opened", token, handle: null, secret: null };
  const says = /errorMessage[=>]\s*([^<\n&]+)/.exec(answer.text)?.[1] ?? `HTTP ${answer.status}`;
  return { kind: "refused", message: notAvailable, fault: sentence(says, "No session was given.") };
}

async function checkKeys(account: Account): Promise<string | null> {
  // Any query works: an unknown id gets an answer, and wrong credentials are refused before it is looked
  // up.
  const [reply] = await callGateway(account, {
    ssl_transaction_type: "txnquery",
    ssl_txn_id: "010100A00-00000000-0000-0000-0000-000000000000",
  });
  const code = codeOf(reply);
  if (/^(4000|4013|4014|4016|4019|4025|5122)$/.test(code))
    return `Converge refused the keys: ${sentence(messageOf(reply), `code ${code}.`)}`;
  const reference = "CHECKINGKEYS";
  const payer = {
    attorneyId: 0,
    firstName: "",
    lastName: "",
    email: "",
    address: "",
    city: "",
    region: "",
    zip: "",
  };
  const amountCents = centsFromDollars("1.00");
  const session = await openSession(account, { reference, amountCents, payer });
  return session.kind === "opened"
    ? null
    : `Converge does not open payment sessions for this API user: ${session.fault}`;
}

const plausibleId = /^\d{6}[0-9A-Z]{3}-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i;

/** Whether the browser's transaction is the charge that its session was opened for. */
async function verify(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  if (!plausibleId.test(wanted.token) || /^0+[A-Z]*-0{8}/i.test(wanted.token))
    return { kind: "declined", message: "This is not a transaction of the card processor." };
  const found = await findById(account, wanted.token);
  // It may not be listed yet; if it never is, the session decides.
  if (!found) return unknown("Converge does not know the transaction yet.");
  const isOfSession = found["ssl_invoice_number"] === wanted.session?.reference;
  if (!isOfSession || isTestAnswer(found))
    return { kind: "declined", message: "This transaction belongs to another payment." };
  const outcome = await outcomeOf(account, found, wanted);
  return outcome.kind === "approved" && fullRefundKind(outcome)
    ? { kind: "declined", message: reversalReason(found) }
    : outcome;
}
