import { setTimeout as after } from "node:timers/promises";
import { z } from "zod";
import type { Product } from "#tests/resilience/faults/product.ts";
import { ask, type World } from "#tests/resilience/faults/world.ts";

const timeoutMs = 120_000;
const turnsAtMost = 8;
/** The longest a worker may take to check each payment once. */
const lookMs = 60_000;

/** Wait until all work is done: nothing due is unbilled, no job waits for a retry. */
export async function waitForCalm(world: World): Promise<void> {
  await addProbe(world);
  await waitUntilNoProblem(async () => {
    const due = await ask(world, world.scene.admin, "GET", "/billing_runs/due_but_not_billed");
    const unbilled = z.array(z.unknown()).safeParse(due.object);
    if (!unbilled.success || unbilled.data.length > 0)
      return `${unbilled.data?.length ?? "unknown"} debits are due and not billed`;
    const jobs = await jobsUnderWay(world);
    return jobs.length > 0 ? `jobs stay: ${JSON.stringify(jobs)}` : null;
  });
}

/** A job out of turn: a worker that hangs would not do it. */
async function addProbe({ ask: query }: World): Promise<void> {
  await query(
    `insert into pgboss.job (name, policy, retry_limit, heartbeat_seconds)
     select name, policy, retry_limit, heartbeat_seconds from pgboss.queue where name = 'send-mail'
     on conflict do nothing`,
  );
}

/** Jobs that run, are to be retried, or are due. */
async function jobsUnderWay({ ask: query }: World): Promise<unknown[]> {
  return await query(
    `select name, state, retry_count, started_on, heartbeat_on, output from pgboss.job
     where not starts_with(name, '__')
       and (state in ('active', 'retry') or state = 'created' and start_after <= now())`,
  );
}

/**
 * A payment that was recorded but never reached its processor is given up after some minutes and two checks.
 * In each turn it is made three hours older, and a worker is started that checks once.
 */
export async function settleCards(world: World, product: Product): Promise<void> {
  for (let turn = 1; (await cardsUnderWay(world)) > 0; turn += 1) {
    if (turn > turnsAtMost)
      throw new Error(`${await cardsUnderWay(world)} card payments are still being confirmed`);
    const before = await looksUnderWay(world);
    const isUnseen = ([id, looks]: [string, number]) => before.get(id) === looks;
    await makeOlder(world);
    await product.restart("worker");
    const end = performance.now() + lookMs;
    while ([...(await looksUnderWay(world))].some(isUnseen) && performance.now() < end)
      await after(200);
  }
}

async function makeOlder({ ask: query, scene }: World): Promise<void> {
  await query(
    `update card_payments
     set created_at = created_at - interval '3 hours', next_look_at = next_look_at - interval '3 hours'
     where network_id = $1 and state = 'processing'`,
    [scene.networkId],
  );
}

async function cardsUnderWay(world: World): Promise<number> {
  return (await looksUnderWay(world)).size;
}

/** How often each unconfirmed payment has been checked. */
async function looksUnderWay({ ask: query, scene }: World): Promise<Map<string, number>> {
  const found = await query<{ id: string; looks: number }>(
    `select payment_id::text as id, looks from card_payments
     where network_id = $1 and state = 'processing'`,
    [scene.networkId],
  );
  return new Map(found.map(({ id, looks }) => [id, looks]));
}

/** Wait until `problem` resolves with null; throws its last result. */
async function waitUntilNoProblem(problem: () => Promise<string | null>): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await problem();
    if (found === null) return;
    if (performance.now() > end) throw new Error(found);
    await after(250);
  }
}
