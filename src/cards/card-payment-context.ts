import { createHash } from "node:crypto";
import type { Db } from "#kit/db/database.ts";
import type { Clock } from "#kit/domain/clock.ts";
import type { UnknownOutcome } from "#cards/processors/processor.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { withoutCardNumbers } from "#cards/processors/wording.ts";

/** The sandboxes' addresses on this machine, by processor and name. */
export type SandboxAddresses = Readonly<Record<ProcessorName, Readonly<Record<string, string>>>>;

/** What card payments need in addition to the request: the same for a request, a webhook and a job. */
export interface CardPaymentContext {
  db: Db;
  secret: string;
  /** The product's address for browsers, without a trailing slash. */
  publicUrl: string;
  /** Null when no sandboxes run with this server. */
  sandboxes: SandboxAddresses | null;
  /** Whether sessions and declined cards are limited for each attorney. */
  limits: boolean;
  timeoutMs: number;
  now: Clock;
  /** For the operator: never personal data, tokens or keys. */
  log: (line: string) => void;
}

/** How long a payer waits before the outcome counts as unknown. */
export const processorTimeoutMs = 25_000;

/** Hexadecimal SHA-256 of the parts: the same parts always give the same name. */
export function sha256Of(...parts: (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A reference that every processor accepts: twelve digits and capital letters, derived from its parts. */
export function referenceOf(...parts: (string | number)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return Array.from(hash.subarray(0, 12), (byte) => letters[byte % 32]).join("");
}

/** Call a processor. If it throws, the outcome is unknown and the error is logged. */
export async function callProcessor<Outcome>(
  context: CardPaymentContext,
  question: string,
  ask: () => Promise<Outcome>,
): Promise<Outcome | UnknownOutcome> {
  try {
    return await ask();
  } catch (problem) {
    const says = problem instanceof Error ? problem.message : "";
    const line = withoutCardNumbers(says).slice(0, 300) || "The processor did not answer.";
    context.log(`${question}: ${line}`);
    return { kind: "unknown", problem: line };
  }
}
