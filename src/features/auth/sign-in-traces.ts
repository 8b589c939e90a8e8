import type { FastifyRequest } from "fastify";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";

/** Whose sign-in a trace is about. */
export interface TracedAccount {
  networkId: number;
  userId: number;
  name: string;
}

/** Where a request comes from, as traces show it. */
export interface RequestSource {
  address: string;
  /** The browser's own description of itself; it proves nothing. */
  device: string;
}

export function requestSource(request: FastifyRequest): RequestSource {
  return { address: request.ip, device: (request.headers["user-agent"] ?? "").slice(0, 300) };
}

/**
 * Write what happened at the door to the audit trail, with address and device. The record is the
 * account, whoever did it.
 */
export async function traceSignIn(
  tx: Db,
  account: TracedAccount,
  action: string,
  from: RequestSource,
  details: object = {},
): Promise<void> {
  await audit(tx, account, {
    action,
    recordType: "sign-in",
    recordId: account.userId,
    after: { ...from, ...details },
  });
}
