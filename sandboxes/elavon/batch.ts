import { randomBytes, randomUUID } from "node:crypto";
import { type Cents, sum } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import type { Shelf } from "../shelf.ts";
import { easternDay } from "./eastern.ts";
import type { Verdict } from "./test-cards.ts";

/** One that the product's server has asked for, to be paid from a browser. */
export interface Session {
  token: string;
  merchantId: string;
  userId: string;
  amountCents: Cents;
  /** Everything else that came with the request, by Converge's names. */
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
  verdict: Verdict;
  approvalCode: string;
  card: Card;
  fields: Record<string, string>;
  /** Open in today's batch, settled, taken back out of it, or deleted with its authorisation. */
  state: "open" | "settled" | "voided" | "deleted";
  /** Of a return: the sale. */
  saleId?: string;
  at: number;
}

/** What this sandbox remembers. */
export interface Batch {
  house: House;
  sessions: Shelf<Session>;
  transactions: Shelf<Transaction>;
}

export function openBatch(house: House): Batch {
  return {
    house,
    sessions: house.memory.shelf("elavon.sessions"),
    transactions: house.memory.shelf("elavon.transactions"),
  };
}

/** 46 characters: the day, three of chance, a UUID. */
export function newTxnId({ house }: Batch): string {
  const chance = randomBytes(2).toString("hex").slice(0, 3);
  return `${easternDay(house.clock.now())}${chance}-${randomUUID()}`.toUpperCase();
}

export function returnedCents(batch: Batch, saleId: string): Cents {
  const returns = batch.transactions
    .values()
    .filter(
      (each) => each.saleId === saleId && each.state !== "voided" && each.state !== "deleted",
    );
  return sum(returns.map(({ amountCents }) => amountCents));
}

export function settle(batch: Batch): number {
  const open = batch.transactions
    .values()
    .filter(({ state, verdict }) => state === "open" && verdict.isApproved && !verdict.failedRule);
  for (const transaction of open) {
    batch.transactions.set(transaction.id, { ...transaction, state: "settled" });
  }
  return open.length;
}
