import { at, namesIn, textAt, type Tree } from "../tree.ts";
import { badParameter, missing } from "./refusals.ts";

/** One request that has been let in. */
export interface Asked {
  account: string;
  /** A browser, with nothing but the publishable key. */
  isPublishable: boolean;
  params: Tree;
  /** The object named in the address. */
  id: string;
  idempotencyKey: string | null;
  requestId: string;
  /** Records younger than this instant must not be found by lists and searches yet. */
  listedUntil: number;
  origin: string;
}

export function wanted({ params }: Asked, ...path: string[]): string | undefined {
  return textAt(params, ...path);
}

export function required(asked: Asked, name: string): string {
  const value = wanted(asked, name);
  if (value === undefined || value === "") throw missing(name);
  return value;
}

/** Whole cents within Stripe's bounds for dollars. */
export function amountWanted(asked: Asked): number {
  const text = required(asked, "amount");
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

export function truth(text: string | undefined): boolean {
  return text === "true";
}

export function metadataWanted(asked: Asked): Record<string, string> {
  const metadata = at(asked.params, "metadata");
  return Object.fromEntries(namesIn(metadata).map((name) => [name, textAt(metadata, name) ?? ""]));
}

/** Stripe refuses what it does not know; a stand-in that does not lets mistakes through to the real one. */
export function refuseUnknown(params: Tree, known: readonly string[]): void {
  const unknown = namesIn(params).find((name) => !known.includes(name));
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
