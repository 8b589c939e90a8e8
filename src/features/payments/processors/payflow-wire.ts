import { createHash, randomBytes } from "node:crypto";
import type { Account, ChargeOutcome } from "#features/payments/processors/processor.ts";
import { exchange, NoAnswer } from "#features/payments/processors/wire.ts";
import { declinedByBank, notAvailable, sentence } from "#features/payments/processors/wording.ts";

/*
 * Payflow's name-value gateway: one call, and what its result numbers mean.
 */

export type Fields = Record<string, string>;

/**
 * Make one call. Values are not URL-encoded: each is preceded by its length instead, except the
 * credentials, for which some gateways do not take it. The same request id is never run twice.
 */
export async function ask(account: Account, requestId: string, fields: Fields): Promise<Fields> {
  const { partner = "", vendor = "", user = "", password = "" } = account.keys;
  const given = { PARTNER: partner, VENDOR: vendor, USER: user || vendor, PWD: password };
  const answer = await exchange(account.addresses["apiUrl"] ?? "", {
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
    throw new NoAnswer(`Payflow answered HTTP ${answer.status}.`);
  return reply;
}

/** `NAME=value&NAME[5]=va&ue`: a length says how far a value reaches; plus signs are plus signs. */
export function readNameValues(text: string): Fields {
  const fields: Fields = {};
  let rest = text.trim();
  while (rest) {
    const named = /^(\w+)(?:\[(\d+)\])?=/.exec(rest);
    if (!named) throw new NoAnswer("The processor's answer could not be read.");
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
/** For questions, which must be asked anew each time. */
export const freshId = () => randomBytes(16).toString("hex");

export const inquire = async (account: Account, by: Fields) =>
  await ask(account, freshId(), { TRXTYPE: "I", ...by });

export const isLookUpMiss = (result: string | undefined) => result === "19" || result === "20";
export const configuration = /^(1|2|3|5|26|27|28|52|100|121)$/;
const requestBug = /^(4|6|7|8|9|10|29|118|133)$/;
export const notReached = /^(102|106|115|116|151|170)$/;
export const unsure = /^(11|30|99|103|104|107|109|126|150|1000)$/;

export const enterAgain = "The card details have expired or were used before. Enter them again.";

/** `whenUnsure`: what an answer that settles nothing means for the step that it answers. */
export function refusalOf(
  result: string,
  reply: Fields,
  whenUnsure: "unknown" | "declined",
): ChargeOutcome {
  const says = sentence(reply["RESPMSG"] ?? "", `Result ${result}.`);
  if (configuration.test(result) || requestBug.test(result))
    return { kind: "declined", message: notAvailable, fault: `Payflow ${result}: ${says}` };
  if (unsure.test(result) && whenUnsure === "unknown")
    return { kind: "unknown", problem: `Payflow ${result}: ${says}` };
  if (unsure.test(result) || notReached.test(result))
    return {
      kind: "declined",
      message: "The bank could not be reached. Wait a moment and try again.",
    };
  return { kind: "declined", message: sentenceFor[result] ?? declinedByBank };
}

/** What a payer reads of a card that could not be verified, by the number of the result. */
export const verificationMessage = (result: string): string =>
  sentenceFor[result] ??
  (result === "12"
    ? declinedByBank
    : "The card could not be verified. Enter it again, or use another card.");

/** Texts of the processor are free: ours, by number. */
const sentenceFor: Record<string, string> = {
  "13": "The card was declined. Ask your bank.",
  "23": "The card number is not valid.",
  "24": "The expiration date is not valid.",
  "25": "This type of card is not accepted.",
  "50": "The card was declined: insufficient funds.",
  "51": "The card was declined: the amount is above its limit.",
  "112": "The address does not match the card's.",
  "114": "The card code is not correct.",
  "160": enterAgain,
  "161": enterAgain,
  "162": enterAgain,
};
