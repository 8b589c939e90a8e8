import type { Account } from "#cards/processors/processor.ts";
import {
  isSuccess,
  NoResponse,
  type ProcessorResponse,
  readJson,
  sendRequest,
  textAt,
} from "#cards/processors/send-request.ts";

export async function callGateway(
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

/** Read from the API. Throws unless it succeeds: reading can be repeated. */
export async function read(account: Account, path: string): Promise<Record<string, unknown>> {
  const answer = await callGateway(account, path);
  if (!isSuccess(answer)) throw new NoResponse(`LawPay answered HTTP ${answer.status}.`);
  return readJson(answer);
}

export const codeOf = (json: unknown) => textAt(json, "messages", 0, "code");
export const messageOf = (json: unknown) =>
  textAt(json, "messages", 0, "message") || codeOf(json).replaceAll("_", " ");
