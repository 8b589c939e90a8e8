import type { HttpAnswer } from "../call-handler.ts";

/** Every real answer begins with a byte order mark and has status 200 even for a refusal. */
export function answer(body: object): HttpAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: `\uFEFF${JSON.stringify(body)}`,
  };
}

export const successful = messages("Ok", "I00001", "Successful.");

export const nothingFound = messages("Ok", "I00004", "No records found.");

/** A refusal of the whole request: nothing was charged. */
export function refusal(code: string, text: string, refId?: string): HttpAnswer {
  return answer({ refId, messages: messages("Error", code, text) });
}

export function messages(resultCode: "Ok" | "Error", code: string, text: string) {
  return { resultCode, message: [{ code, text }] };
}
