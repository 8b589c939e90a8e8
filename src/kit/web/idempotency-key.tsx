import type { Method } from "#kit/contract/endpoint.ts";

/** 32 hexadecimal digits; `randomUUID` is missing where a page did not come over TLS. */
export function newIdempotencyKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Of requests that move money and were not said to be done, by what was asked. */
const keys = new Map<string, string>();

interface MovingMoney {
  method: Method;
  movesMoney?: boolean;
}

/**
 * Send a request that moves money under a key of its own, until it is answered that it was done: the same one
 * pressed again after a lost answer is the same to the server, and nobody is billed twice. One whose body names
 * its key already is sent as it is.
 */
export async function sentOnce<Answer extends { ok: boolean }>(
  { method, movesMoney }: MovingMoney,
  { address, body }: { address: string; body: Record<string, unknown> | undefined },
  send: (key?: string) => Promise<Answer>,
): Promise<Answer> {
  if (!movesMoney || body?.["idempotency_key"] !== undefined) return await send();
  const what = JSON.stringify([method, address, body]);
  const key = keys.get(what) ?? newIdempotencyKey();
  keys.set(what, key);
  const answer = await send(key);
  if (answer.ok) keys.delete(what);
  return answer;
}
