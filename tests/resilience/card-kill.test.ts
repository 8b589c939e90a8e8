import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { queueIn } from "#kit/jobs/send.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { isChargedInBrowser, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, allProcessors, type Debtor } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/*
 * The process is killed after each processor has charged a card and before the answer is stored, in the
 * middle of the job that checks such payments. After a restart it asks the processors and posts each payment
 * once.
 */

let running: ChildProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), "card-kill-")); // its outbox, and its compiled code
const payers = new Map<ProcessorName, { debtor: Debtor; token: string; charges: number }>();
const paying: Promise<number | null>[] = [];
let address = "";

const pollOptions = { timeout: 60_000, interval: 100 };

const test = cardTest();
test.beforeAll(async () => {
  address = await startProduct();
  for (const processor of allProcessors) await payUntilCharged(processor);
  await waitForJobToAsk();
  await kill();
  for (const name of allProcessors) sandboxes[name].stopFailing();
});
afterAll(async () => {
  await kill();
  rmSync(folder, { recursive: true });
});

const program = fileURLToPath(new URL("../support/card-server.ts", import.meta.url));

/** Start the product. Returns its address. */
async function startProduct(): Promise<string> {
  running = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      TEST_DATABASE: app.connectionString,
      TEST_SECRET: app.secret,
      TEST_SANDBOXES: sandboxes.origin,
      TEST_DATA_DIR: folder,
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { stdout } = running;
  if (!stdout) throw new Error("It has no output.");
  let printed = "";
  for await (const chunk of stdout) {
    printed += String(chunk);
    const port = /port (\d+)/.exec(printed)?.[1];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error("It ended before it was ready.");
}

/** Pay with a card until the processor has taken the money; its answer never arrives. */
async function payUntilCharged(processor: ProcessorName): Promise<void> {
  const debtor = await aDebtor(app, processor);
  const shown = { visitor: debtor.visitor, sandboxes, amount: "50.00" };
  const token = await tokenFrom(processor, shown);
  const sandbox = sandboxes[processor];
  // A charge made by the browser exists by now: the question about it hangs.
  const isMade = isChargedInBrowser(processor);
  const charges = sandbox.totals().charges + (isMade ? 0 : 1);
  sandbox.fail({ call: isMade ? "lookup" : "charge", kind: "hang-after" });
  payers.set(processor, { debtor, token, charges });
  paying.push(pay(debtor, token));
  await vi.waitFor(() => expect(sandbox.activeFaults()).toEqual([]), pollOptions);
  expect(sandbox.totals().charges).toBe(charges);
  sandbox.fail({ call: "lookup", kind: "hang-before", chance: 1 });
}

/** The killed worker holds the job: until it is freed, no other worker does one of its kind. */
async function waitForJobToAsk(): Promise<void> {
  const job = "confirm-card-payments";
  await (await queueIn(app.db)).send(job, null);
  const held = sql<{ held: boolean }>`
    select exists (select from pgboss.job where name = ${job} and state = 'active') as held`;
  const isHeld = async () => (await held.execute(app.db)).rows[0]?.held;
  await vi.waitFor(async () => expect(await isHeld()).toBe(true), pollOptions);
}

async function kill(): Promise<void> {
  if (running?.exitCode !== null || running.signalCode !== null) return;
  const ended = once(running, "exit");
  running.kill("SIGKILL");
  await ended;
}

/** Resolves with the status, or null if the product ended before it answered. */
async function pay(debtor: Debtor, token: string): Promise<number | null> {
  const cookie = [...debtor.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  try {
    const answer = await fetch(`${address}/lrs_subscription_online_payments/`, {
      method: "POST",
      headers: { cookie, "x-csrf-token": debtor.visitor.csrf, "content-type": "application/json" },
      body: JSON.stringify({ payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token }),
    });
    return answer.status;
  } catch {
    return null;
  }
}

test("killed in the middle, no payment has got an answer", async () => {
  expect(await Promise.all(paying)).toEqual(allProcessors.map(() => null));
  for (const [processor, { debtor }] of payers) {
    // Elavon's payment is recorded only once its session is known, for which the processor was asked.
    const reserved = { balance: 5000, pending: processor === "elavon" ? 0 : 5000 };
    expect(await standingOf(app.db, debtor.debits[0] ?? 0)).toEqual(reserved);
  }
});

describe("after a restart", () => {
  beforeAll(async () => {
    address = await startProduct();
  });

  test.each(allProcessors)("a payment through %s ends captured, once", async (processor) => {
    const payer = payers.get(processor);
    if (!payer) throw new Error("It was not begun.");
    const { debtor, token, charges } = payer;
    // An elavon charge is reported again by the browser, as a reload does; the others are asked about.
    const reported = processor === "elavon" ? await pay(debtor, token) : 200;
    expect(reported).toBe(200);
    await expect
      .poll(() => standingOf(app.db, debtor.debits[0] ?? 0), pollOptions)
      .toEqual({ balance: 0, pending: 0 });
    expect(await pay(debtor, token)).toBe(200);
    expect(sandboxes[processor].totals().charges).toBe(charges);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });
});
