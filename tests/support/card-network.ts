import { cents } from "#kit/domain/money.ts";
import { demoAccounts } from "#sandboxes/accounts.ts";
import type { Sandboxes } from "#sandboxes/start.ts";
import { processors } from "#cards/processors/processors.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { processorTimeoutMs, type CardPaymentContext } from "#cards/card-payment-context.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { Temporal } from "temporal-polyfill";

export const allProcessors = Object.keys(processors) as ProcessorName[]; // the registry's own keys

/** Let a network take cards through a processor's sandbox, with the demo account's keys. */
export async function takesCards(
  { db, secret }: Pick<RunningApp, "db" | "secret">,
  network: Pick<MadeNetwork, "id">,
  processor: ProcessorName,
): Promise<void> {
  await makeCardAccount(db, network, { secret, processor, keys: demoAccounts[processor] });
}

export interface Debtor {
  network: MadeNetwork;
  attorney: MadeAttorney;
  visitor: Visitor;
  debits: number[];
}

/** An attorney signed in, of a network that takes cards, who owes something. */
export async function aDebtor(
  app: RunningApp,
  processor: ProcessorName,
  owed: number[] = [5000, 3000],
): Promise<Debtor> {
  const network = await makeNetwork(app.db);
  await takesCards(app, network, processor);
  return { network, ...(await anotherDebtor(app, network, owed)) };
}

export async function anotherDebtor(app: RunningApp, network: MadeNetwork, owed: number[]) {
  const attorney = await makeAttorney(app.db, network);
  const debits = [];
  for (const amount of owed)
    debits.push(await makeDebit(app.db, network, attorney, { amountCents: cents(amount) }));
  return { attorney, debits, visitor: await signedIn(app, attorney, network) };
}

/** The context of an app, for its jobs; `later` moves its clock. */
export function cardPaymentContext(
  app: RunningApp,
  sandboxes: Sandboxes,
  more: { laterMinutes?: number; timeoutMs?: number } = {},
): CardPaymentContext & { lines: string[] } {
  const lines: string[] = [];
  return {
    db: app.db,
    secret: app.secret,
    publicUrl: "http://localhost:3000",
    sandboxes: sandboxes.addresses,
    limits: false,
    timeoutMs: more.timeoutMs ?? processorTimeoutMs,
    now: () => Temporal.Now.instant().add({ minutes: more.laterMinutes ?? 0 }),
    log: (line) => void lines.push(line),
    lines,
  };
}
