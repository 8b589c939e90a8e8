import { sha256Of } from "#cards/card-payment-context.ts";
import { Diary, offence } from "#tests/resilience/faults/caller.ts";
import type { Payer } from "#tests/resilience/faults/scene.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";
import { anetToken, cardOf } from "#tests/support/card-browser.ts";

interface Attempt {
  payer: Payer;
  debitId: number;
  amount: string;
}

/** Attorneys pay by card; without an answer they press the button again, with the same token. */
export function payingByCard(): Deed {
  const diary = new Diary();
  const attempts = new Map<string, Attempt>();

  async function pay(world: World, token: string) {
    const attempt = attempts.get(token);
    if (!attempt) throw new Error("Each token is one attempt.");
    const body = { payment_hash: { [attempt.debitId]: attempt.amount }, token };
    const path = "/lrs_subscription_online_payments/";
    return diary.note(token, await ask(world, attempt.payer.session, "POST", path, body));
  }

  return {
    go: async (world, chance, isOver) => {
      const { sandboxes } = world;
      const lane = (payer: Payer) =>
        keepDoing(chance, isOver, async (turn) => {
          const token = await anetToken({ sandboxes, card: cardOf("anet") });
          const amount = `1.${10 + (turn % 90)}`;
          attempts.set(token, { payer, debitId: payer.debits[4 + (turn % 4)] ?? 0, amount });
          return await pay(world, token);
        });
      await Promise.all(world.scene.payers.slice(3).map(lane));
    },
    again: async (world) => {
      for (const token of diary.open()) await pay(world, token);
    },
    offences: async (world) => [
      ...(await offencesOfTokens(world, diary)),
      ...(await offencesOfBooks(world)),
    ],
    size: () => diary.pages.size,
  };
}

async function offencesOfTokens(world: World, { pages }: Diary): Promise<string[]> {
  const rows = await world.ask<{ token: string; count: number }>(
    `select token_hash as token, (count(*) filter (where state = 'captured'))::integer as count
     from card_payments where network_id = $1 group by 1`,
    [world.scene.networkId],
  );
  const counts = new Map(rows.map(({ token, count }) => [token, count]));
  return [...pages].flatMap(([token, answers], turn) => {
    // Under way or being confirmed: neither denied nor acknowledged.
    const open = answers.map((answer) =>
      answer.status === 409 || answer.status === 202 ? { ...answer, status: null } : answer,
    );
    return offence(`card payment ${turn}`, open, counts.get(sha256Of(token)) ?? 0);
  });
}

/** The processor's charges and the ledger: the same payments, each once. */
async function offencesOfBooks(world: World): Promise<string[]> {
  const rows = await world.ask<{ id: string; cents: string; state: string }>(
    `select c.transaction_id as id, p.amount_cents as cents, c.state from card_payments c
     join payments p on p.network_id = c.network_id and p.id = c.payment_id
     where c.network_id = $1`,
    [world.scene.networkId],
  );
  const open = rows.filter(({ state }) => state === "processing").length;
  const booked = rows
    .filter(({ state }) => state === "captured")
    .map(({ id, cents }) => `${id} over ${cents}`);
  const charged = world.sandboxes.anet
    .charges()
    .filter(({ state }) => state === "captured" || state === "settled")
    .map(({ id, amountCents }) => `${id} over ${amountCents}`);
  const isIn = (list: string[]) => (entry: string) => list.includes(entry);
  return [
    ...(open > 0 ? [`${open} card payments are still being confirmed`] : []),
    ...(new Set(booked).size < booked.length ? ["a charge is recorded twice"] : []),
    ...booked.filter((entry) => !isIn(charged)(entry)).map((entry) => `not charged: ${entry}`),
    ...charged.filter((entry) => !isIn(booked)(entry)).map((entry) => `not recorded: ${entry}`),
  ];
}
