import { randomBytes, randomUUID } from "node:crypto";
import { type Cents, sum } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import type { SandboxContext } from "../context.ts";
import type { Collection } from "../record-store.ts";
import { easternDay } from "./eastern-time.ts";
import type { CardOutcome } from "./test-cards.ts";

/** A session requested by the product's server, to be paid from a browser. */
export interface Session {
  token: string;
  merchantId: string;
  userId: string;
  amountCents: Cents;
  /** The request's other fields, by Converge's names. */
  fields: Record<string, string>;
  madeAt: number;
  declines: number;
  isUsed: boolean;
}

export interface Transaction {
  id: string;
  merchantId: string;
  userId: string;
  type: "SALE" | "RETURN";
  amountCents: Cents;
  outcome: CardOutcome;
  approvalCode: string;
  card: Card;
  fields: Record<string, string>;
  /** Open in today's batch, settled, or voided while its batch was open. */
  state: "open" | "settled" | "voided";
  saleId?: string;
  at: number;
}

export interface ElavonStore {
  context: SandboxContext;
  sessions: Collection<Session>;
  transactions: Collection<Transaction>;
}

export function openElavonStore(context: SandboxContext): ElavonStore {
  return {
    context,
    sessions: context.records.collection("elavon.sessions"),
    transactions: context.records.collection("elavon.transactions"),
  };
}

/** 46 characters: the day, three random ones, a UUID. */
export function newTxnId({ context }: ElavonStore): string {
  const random = randomBytes(2).toString("hex").slice(0, 3);
  return `${easternDay(context.clock.now())}${random}-${randomUUID()}`.toUpperCase();
}

export function returnedCents({ transactions }: ElavonStore, saleId: string): Cents {
  const returns = transactions
    .values()
    .filter((each) => each.saleId === saleId && each.state !== "voided");
  return sum(returns.map(({ amountCents }) => amountCents));
}

export function settle({ transactions }: ElavonStore): number {
  const open = transactions
    .values()
    .filter(({ state, outcome }) => state === "open" && outcome.isApproved && !outcome.failedRule);
  for (const each of open) transactions.set(each.id, { ...each, state: "settled" });
  return open.length;
}
