import { createHash, randomBytes } from "node:crypto";
import type { Account, ChargeOutcome } from "#cards/processors/processor.ts";
import { sendRequest, NoResponse } from "#cards/processors/send-request.ts";
import { declinedByBank, notAvailable, sentence } from "#cards/processors/wording.ts";

/* One call to Payflow's name-value gateway, and the meaning of its result numbers. */

export type Fields = Record<string, string>;

/**
 * Make one call. Values are not URL-encoded: each has its length in front instead, except the credentials,
 * for which some gateways do not accept it. The same request id is never run twice.
 */
export async function callGateway(
  account: Account,
  requestId: string,
  fields: Fields,
): Promise<Fields> {
  const { partner = "", vendor = "", user = "", password = "" } = account.keys;
  const given = { PARTNER: partner, VENDOR: vendor, USER: user || vendor, PWD: password };
  const answer = await sendRequest(account.addresses["apiUrl"] ?? "", {
    headers: {
      "content-type": "text/namevalue",
      "x-vps-request-id": requestId,
      "x-vps-client-timeout": "45",
    },
    body: [
      ...Object.entries(given).map(([name, value]) => `${name}=${value}`),
      ...Object.entries({ TENDER: "C", VERBOSITY: "HIGH", ...fields }).map(
        ([name, value]) => `${name}[${Buffer.byteLength(value)}]=${value}`,
      ),
    ].join("&"),
    timeoutMs: account.timeoutMs,
  });
  const reply = readNameValues(answer.text);
  if (answer.status !== 200 || !/^-?\d+$/.test(reply["RESULT"] ?? ""))
    throw new NoResponse(`Payflow answered HTTP ${answer.status}.`);
  return reply;
}

/** `NAME=value&NAME[5]=va&ue`: the length says where a value ends; plus signs are literal. */
export function readNameValues(text: string): Fields {
  const fields: Fields = {};
  let rest = text.trim();
  while (rest) {
    const named = /^(\w+)(?:\[(\d+)\])?=/.exec(rest);
    if (!named) throw new NoResponse("The processor's answer could not be read.");
    const after = rest.slice(named[0].length);
    const end = named[2] === undefined ? after.indexOf("&") : Number(named[2]);
    const value = end < 0 ? after : after.slice(0, end);
    fields[named[1] ?? ""] = value;
    rest = after.slice(value.length).replace(/^&/, "");
  }
  return fields;
}

/** One id for each operation on each payment: 32 hexadecimal digits. */
export const requestId = (...what: string[]) =>
  createHash("sha256").update(what.join(" ")).digest("hex").slice(0, 32);
/** For inquiries: each needs its own request id. */
export const freshId = () => randomBytes(16).toString("hex");

export const inquire = async (account: Account, by: Fields) =>
  await callGateway(account, freshId(), { TRXTYPE: "I", ...by });

export const isLookUpMiss = (result: string | undefined) => result === "19" || result === "20";

/**
 * The meaning of a RESULT. `fault`: the network's account or our request is wrong. `not reached`: the bank
 * never received it. `held`: authorised, and the merchant must accept it. `unsure`: something may remain,
 * and is voided if found. `unknown`: anything else, including results in no table: looked up, never
 * guessed.
 */
export type ResultMeaning =
  | "approved"
  | "declined"
  | "fault"
  | "not reached"
  | "held"
  | "unsure"
  | "unknown";

export function meaningOf(result: string | undefined): ResultMeaning {
  for (const [meaning, numbers] of meanings) if (numbers.test(result ?? "")) return meaning;
  return "unknown";
}

/**
 * Source: PayPal's table of RESULT values. 126 and 127 come from its fraud filters; 170 suspends an
 * account.
 */
const meanings: [ResultMeaning, RegExp][] = [
  ["approved", /^0$/],
  ["declined", /^(12|13|19|23|24|25|50|51|112|114|120|125|128)$/],
  ["fault", /^(1|2|3|5|26|27|28|52|100|117|121|170|4|6|7|8|9|10|29|101|118|133)$/],
  ["not reached", /^(102|106|115|116|151)$/],
  ["held", /^126$/],
  ["unsure", /^(11|99|103|104|107|109|150|1000)$/],
];

/** The keys are wrong, or may not be used from here. */
export const isWrongKeys = (result: string | undefined) => /^(1|26|27|28)$/.test(result ?? "");

export const enterAgain = "The card details have expired or were already used. Enter them again.";
const notReachedMessage = "The bank could not be reached. Wait a moment and try again.";

export const messageOf = (reply: Fields, result: string | undefined) =>
  sentence(reply["RESPMSG"] ?? "", `Result ${result ?? "not given"}.`);

/** `whenUnclear`: the outcome of an inconclusive answer for this step. */
export function refusalOf(
  result: string,
  reply: Fields,
  whenUnclear: "unknown" | "declined",
): ChargeOutcome {
  const meaning = meaningOf(result);
  const problem = `Payflow ${result}: ${messageOf(reply, result)}`;
  if (meaning === "fault")
    return { kind: "declined", message: notAvailable, fault: `${problem}${adviceOn(result)}` };
  if (meaning === "declined")
    return { kind: "declined", message: messageFor[result] ?? declinedByBank };
  if (meaning === "not reached" || whenUnclear === "declined")
    return { kind: "declined", message: notReachedMessage };
  const transactionId = reply["PNREF"];
  const isHeld = meaning === "held";
  return { kind: "unknown", problem, isHeld, ...(transactionId && { transactionId }) };
}

/** What an administrator can do about a fault of the account. */
const adviceOn = (result: string) =>
  result === "117"
    ? " You can change these rules in PayPal Manager, under Account Administration, Manage Security, Transaction Settings. Reference transactions are refused until they are allowed there."
    : "";

/**
 * The message to the payer of a card posted in the browser, by result number; null if our server must ask
 * for the outcome, as for anything that is not certainly a refusal.
 */
export function refusalInBrowser(result: string): string | null {
  const meaning = meaningOf(result);
  if (meaning === "declined") return messageFor[result] ?? declinedByBank;
  if (meaning === "not reached") return notReachedMessage;
  return messageFor[result] ?? null;
}

/** Processors may change their texts, so these are ours, by number. */
const messageFor: Record<string, string> = {
  "7": "The card could not be verified. Enter it again, or use another card.",
  "13": "The card was declined. Ask your bank.",
  "19": enterAgain,
  "23": "The card number is not valid.",
  "24": "The expiration date is not valid.",
  "25": "This type of card is not accepted.",
  "50": "The card was declined: insufficient funds.",
  "51": "The card was declined: the amount is above its limit.",
  "112": "The address does not match the card.",
  "114": "The card code is not correct.",
  "120": enterAgain,
  "162": enterAgain,
};
