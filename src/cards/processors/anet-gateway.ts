import type { Account } from "#cards/processors/processor.ts";
import {
  isSuccess,
  NoResponse,
  readJson,
  sendRequest,
  textAt,
  valueAt,
} from "#cards/processors/send-request.ts";
import { sentence } from "#cards/processors/wording.ts";

/* One call to Authorize.Net's single address, and how to read its answer. */

/** Make one call. The names of `payload` must be in the schema's order: the gateway reads them as XML. */
export async function callGateway(
  account: Account,
  call: string,
  payload: object,
): Promise<unknown> {
  const body = {
    [`${call}Request`]: {
      merchantAuthentication: {
        name: account.keys["apiLoginId"],
        transactionKey: account.keys["transactionKey"],
      },
      ...payload,
    },
  };
  const answer = await sendRequest(account.addresses["apiUrl"] ?? "", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: account.timeoutMs,
  });
  const json = readJson(answer);
  if (!isSuccess(answer) || valueAt(json, "messages") === undefined)
    throw new NoResponse(`Authorize.Net answered HTTP ${answer.status}.`);
  return json;
}

export const problemCode = (answer: unknown) => textAt(answer, "messages", "message", 0, "code");
export const problemText = (answer: unknown) => textAt(answer, "messages", "message", 0, "text");
export const isOk = (answer: unknown) => textAt(answer, "messages", "resultCode") === "Ok";

export const unknown = (problem: string) => ({ kind: "unknown" as const, problem });

/** One transaction by its id. Throws NoResponse if it is not shown. */
export async function detailsOf(account: Account, transId: string): Promise<unknown> {
  const details = await callGateway(account, "getTransactionDetails", { transId });
  if (!isOk(details))
    throw new NoResponse(sentence(problemText(details), "No details were given."));
  return valueAt(details, "transaction");
}

export function cardOf(transaction: unknown) {
  const card = valueAt(transaction, "payment", "creditCard");
  return { brand: textAt(card, "cardType"), lastFour: textAt(card, "cardNumber").slice(-4) };
}
