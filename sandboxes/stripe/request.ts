import { at, keysOf, textAt, type Json } from "../json.ts";
import { badParameter, missing } from "./errors.ts";

export interface StripeRequest {
  account: string;
  /** From a browser, with only the publishable key. */
  isPublishable: boolean;
  params: Json;
  id: string;
  idempotencyKey: string | null;
  requestId: string;
  /** Lists must not find younger records (milliseconds) yet. */
  listedUntil: number;
}

export function param({ params }: StripeRequest, ...path: string[]): string | undefined {
  return textAt(params, ...path);
}

export function requiredParam(request: StripeRequest, name: string): string {
  const value = param(request, name);
  if (value === undefined || value === "") throw missing(name);
  return value;
}

/** Whole cents within Stripe's limits for dollars. */
export function amountParam(request: StripeRequest): number {
  const text = requiredParam(request, "amount");
  if (!/^-?\d+$/.test(text)) {
    throw badParameter("amount", "parameter_invalid_integer", `Invalid integer: ${text}`);
  }
  const amount = Number(text);
  if (amount < 50) {
    const message = "Amount must be at least $0.50 usd";
    throw badParameter("amount", "amount_too_small", message);
  }
  if (amount > 99_999_999) {
    throw badParameter("amount", "amount_too_large", "Amount must be no more than $999,999.99");
  }
  return amount;
}

export function metadataParam({ params }: StripeRequest): Record<string, string> {
  const metadata = at(params, "metadata");
  return Object.fromEntries(keysOf(metadata).map((name) => [name, textAt(metadata, name) ?? ""]));
}

/** Stripe refuses unknown parameters; a sandbox that does not would let mistakes through. */
export function refuseUnknownParams(params: Json, known: readonly string[]): void {
  const unknown = keysOf(params).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (unknown === "payment_method_types") {
    throw badParameter(
      unknown,
      "payment_method_types_no_longer_supported",
      "The `payment_method_types` parameter is no longer supported. Use `allowed_payment_method_types` instead.",
    );
  }
  throw badParameter(unknown, "parameter_unknown", `Received unknown parameter: ${unknown}`);
}
