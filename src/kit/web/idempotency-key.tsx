import type { Method } from "#kit/contract/endpoint.ts";

/** 32 hexadecimal digits. `randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The keys of requests that move money and are not confirmed, by their content. */
const keys = new Map<string, string>();

interface MovingMoney {
  method: Method;
  movesMoney?: boolean;
}

/**
 * Send a request that moves money with its own key until it is confirmed. Pressing again after a lost answer sends
 * the same key, so nobody is billed twice. A request whose body has its own key is sent as it is.
 */
export async function sendIdempotently<Answer extends { ok: boolean }>(
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
