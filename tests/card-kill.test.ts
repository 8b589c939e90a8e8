import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, allProcessors, type Debtor } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/records.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/*
 * The process is killed outright after the processor has charged the card and before its answer is
 * written down; started again, it asks the processor and posts the payment, once.
 */

let app: RunningApp;
let sandboxes: Sandboxes;
let running: ChildProcess | undefined;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
  app = await anApp({ sandboxes: sandboxes.addresses });
});
afterAll(async () => {
  await app.close();
  await sandboxes.close();
});
afterEach(() => {
  running?.kill("SIGKILL");
  for (const name of allProcessors) sandboxes[name].stopFailing();
});

const folder = mkdtempSync(join(tmpdir(), "card-kill-")); // its outbox
afterAll(() => rmSync(folder, { recursive: true }));

const program = fileURLToPath(new URL("./support/card-server.ts", import.meta.url));

/** Start the product; answers its address. */
async function startProduct(): Promise<string> {
  running = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      TEST_DATABASE: app.connectionString,
      TEST_SECRET: app.secret,
      TEST_SANDBOXES: sandboxes.origin,
      TEST_DATA_DIR: folder,
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

async function kill(): Promise<void> {
  const ended = running && once(running, "exit");
  running?.kill("SIGKILL");
  await ended;
}

async function pay(address: string, debtor: Debtor, token: string): Promise<number | null> {
  const cookie = [...debtor.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  try {
    const answer = await fetch(`${address}/lrs_subscription_online_payments/`, {
      method: "POST",
      headers: { cookie, "x-csrf-token": debtor.visitor.csrf, "content-type": "application/json" },
      body: JSON.stringify({ payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token }),
    });
    return answer.status;
  } catch {
    return null; // killed
  }
}

describe.each(allProcessors)("%s", (processor) => {
  test(
    "a payment killed between charge and answer ends captured, once",
    { timeout: 60_000 },
    async () => {
      const debtor = await aDebtor(app, processor);
      const token = await tokenFrom(processor, {
        visitor: debtor.visitor,
        sandboxes,
        amount: "50.00",
      });
      const before = sandboxes[processor].totals();
      const call = processor === "elavon" ? "lookup" : "charge";
      sandboxes[processor].fail({ call, kind: "hang-after" });

      const paying = pay(await startProduct(), debtor, token);
      const taken = processor === "elavon" ? before.charges : before.charges + 1;
      await expect
        .poll(() => sandboxes[processor].totals().charges, { timeout: 10_000 })
        .toBe(taken);
      await expect
        .poll(() => sandboxes[processor].standingFaults(), { timeout: 10_000 })
        .toEqual([]);
      await kill();
      expect(await paying).toBeNull();

      const address = await startProduct();
      const standing = () => standingOf(app.db, debtor.debits[0] ?? 0);
      // An elavon charge is the browser's: it reports its transaction again, as a reload does.
      const reported = processor === "elavon" ? await pay(address, debtor, token) : 200;
      expect(reported).toBe(200);
      await expect
        .poll(standing, { timeout: 30_000, interval: 200 })
        .toEqual({ balance: 0, pending: 0 });
      expect(await pay(address, debtor, token)).toBe(200);
      expect(sandboxes[processor].totals().charges).toBe(taken);
      expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
      await kill();
    },
  );
});
