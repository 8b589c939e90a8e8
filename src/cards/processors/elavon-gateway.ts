import { easternText } from "#cards/processors/elavon-times.ts";
import type { Account } from "#cards/processors/processor.ts";
import { isSuccess, NoResponse, sendRequest } from "#cards/processors/send-request.ts";
import type { TimeSpan } from "#cards/processors/time-spans.ts";
import { sentence } from "#cards/processors/wording.ts";

/* One call to Converge's XML interface, and its queries. */

export const credentials = ({ keys }: Account) => ({
  ssl_merchant_id: keys["merchantId"] ?? "",
  ssl_user_id: keys["userId"] ?? "",
  ssl_pin: keys["pin"] ?? "",
});

/** By Converge's own field names. */
export type Transaction = Record<string, string>;

/**
 * Send one request to the XML interface. Lists are long: only records that contain `mentioning` are read.
 * Throws NoResponse for anything but a well-formed reply.
 */
export async function callGateway(
  account: Account,
  fields: Record<string, string>,
  mentioning = "",
): Promise<Transaction[]> {
  const sent = Object.entries({ ...credentials(account), ...fields })
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join("");
  const answer = await sendRequest(account.addresses["xmlUrl"] ?? "", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ xmldata: `<txn>${sent}</txn>` }).toString(),
    timeoutMs: account.timeoutMs,
  });
  const isWhole = /<\/txn>\s*$|<\/txnlist>\s*$|<txnlist\s*\/>\s*$/.test(answer.text);
  if (!isSuccess(answer) || !isWhole)
    throw new NoResponse(`Converge answered HTTP ${answer.status}.`);
  return [...answer.text.matchAll(/<txn>([\s\S]*?)<\/txn>/g)]
    .filter(([, inner]) => inner?.includes(mentioning) || inner?.includes("errorCode"))
    .map(([, inner]) => fieldsOf(inner ?? ""));
}

function fieldsOf(xml: string): Transaction {
  const found = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return Object.fromEntries(found.map(([, name, value]) => [name ?? "", unescaped(value ?? "")]));
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const unescaped = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&")
    .trim();

export const codeOf = (reply: Transaction | undefined) => reply?.["errorCode"] ?? "";
export const messageOf = (reply: Transaction | undefined) =>
  reply?.["errorMessage"] || reply?.["errorName"] || reply?.["ssl_result_message"] || "";

/** Codes after which something may still have been done: gateway trouble and timeouts. */
export const unsureCodes = /^(300\d|4017|4022|5093|6038)$/;

export const unknown = (problem: string) => ({ kind: "unknown" as const, problem });

/** One transaction by its id; null if Converge does not know it. */
export async function findById(account: Account, id: string): Promise<Transaction | null> {
  const [reply] = await callGateway(account, { ssl_transaction_type: "txnquery", ssl_txn_id: id });
  if (reply?.["ssl_txn_id"] === id) return reply;
  if (/^(5040|6017)$/.test(codeOf(reply)) || !codeOf(reply)) return null;
  throw new NoResponse(sentence(messageOf(reply), "The transaction was not shown."));
}

/** Transactions of at most 31 days, newest first; of long lists, only those that contain a text. */
export async function listTransactions(
  account: Account,
  { from, to }: TimeSpan,
  mentioning: string,
): Promise<Transaction[]> {
  const period = {
    ssl_transaction_type: "txnquery",
    ssl_search_start_date: easternText(from),
    ssl_search_end_date: easternText(to),
  };
  const listed = await callGateway(account, period, mentioning);
  const [first] = listed;
  if (first && codeOf(first) && !/^(5040|6017)$/.test(codeOf(first)))
    throw new NoResponse(sentence(messageOf(first), "The list of transactions was refused."));
  return listed.filter((each) => each["ssl_txn_id"]);
}
