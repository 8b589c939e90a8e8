import { createHash } from "node:crypto";
import type { Db } from "#kit/db/database.ts";
import type { Clock } from "#kit/http/serve.ts";
import type { UnknownOutcome } from "#cards/processors/processor.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { withoutCardNumbers } from "#cards/processors/wording.ts";

/** The addresses of the sandboxes on this machine, by processor and by name of the address. */
export type SandboxAddresses = Readonly<Record<ProcessorName, Readonly<Record<string, string>>>>;

/** What taking cards needs besides the request: the same for a request, a webhook and a job. */
export interface CardPaymentContext {
  db: Db;
  /** The application secret that encrypts the networks' keys. */
  secret: string;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** Null when no sandboxes run beside this server. */
  sandboxes: SandboxAddresses | null;
  /** Whether sessions and declined cards are limited for each attorney. */
  limits: boolean;
  /** How long a processor may take to answer. */
  timeoutMs: number;
  now: Clock;
  /** For the operator: nothing that a person entered, no token, no key. */
  log: (line: string) => void;
}

/** How long a payer waits before the outcome counts as not known yet. */
export const processorTimeoutMs = 25_000;

/** A name that never changes for the same things: hexadecimal SHA-256. */
export function sha256Of(...parts: (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A reference that every processor takes: twelve digits and capital letters, derived from its parts. */
export function referenceOf(...parts: (string | number)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return Array.from(hash.subarray(0, 12), (byte) => letters[byte % 32]).join("");
}

/** Call a processor: when it throws, the outcome is unknown, and the error is logged. */
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
