import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { FaultKind } from "#sandboxes/faults.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";

let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
});
afterAll(() => sandboxes.close());
beforeEach(() => sandboxes.reset());

/** The answer to a charge of $20 as text, or how the connection ended. */
async function charge(apiUrl: string, reference = "P1-1", signal = AbortSignal.timeout(60_000)) {
  const { secretKey } = sandboxes.accounts.stripe;
  try {
    const answer = await fetch(`${apiUrl}/v1/payment_intents`, {
      method: "POST",
      headers: { authorization: `Bearer ${secretKey}` },
      body: new URLSearchParams({
        amount: "2000",
        currency: "usd",
        confirm: "true",
        payment_method: "pm_card_visa",
        return_url: "http://localhost/",
        "metadata[reference]": reference,
      }),
      signal,
    });
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError" ? "no answer" : "cut";
  }
}

const succeeded = '"status": "succeeded"';

test.each<[FaultKind, answer: string, charges: number]>([
  ["drop-before", "cut", 0],
  ["500-before", "500 Internal Server Error", 0],
  ["503-before", "503 Service Unavailable", 0],
  ["hang-before", "no answer", 0],
  ["busy", "lock_timeout", 0],
  ["unsure-before", "api_error", 0],
  ["drop-after", "cut", 1],
  ["500-after", "500 Internal Server Error", 1],
  ["503-after", "503 Service Unavailable", 1],
  ["hang-after", "no answer", 1],
  ["unsure-after", "api_error", 1],
  ["malformed", "200 %%", 1],
  ["truncated", "cut", 1],
  ["html", "502 <!doctype html>", 1],
  ["bom", "200 {", 1],
])("%s answers with %s and leaves %d charges", async (kind, answer, charges) => {
  sandboxes.stripe.fail({ call: "charge", kind });
  const waiting = new AbortController();
  const asked = charge(sandboxes.addresses.stripe.apiUrl, "P1-1", waiting.signal);
  if (kind.startsWith("hang")) {
    await vi.waitUntil(() => sandboxes.stripe.calls().length === 1, 60_000);
    waiting.abort();
  }
  expect(await asked).toContain(answer);
  expect(sandboxes.stripe.totals().charges).toBe(charges);
  expect(sandboxes.stripe.calls()).toMatchObject([
    { call: "charge", reference: "P1-1", fault: kind },
  ]);
  expect(await charge(sandboxes.addresses.stripe.apiUrl, "P1-2")).toContain(succeeded);
});

test("a slow answer comes after its delay; the call was carried out before or after it", async () => {
  for (const kind of ["slow", "slow-after"] as const) {
    const began = performance.now();
    sandboxes.stripe.fail({ kind, delayMs: 150 });
    expect(await charge(sandboxes.addresses.stripe.apiUrl, kind)).toContain(succeeded);
    expect(performance.now() - began).toBeGreaterThan(140);
  }
  // The delay is too long to wait for: anything found during it was done before it.
  for (const [kind, charges] of [
    ["slow", 0],
    ["slow-after", 1],
  ] as const) {
    sandboxes.reset();
    sandboxes.stripe.fail({ kind, delayMs: 60_000 });
    const waiting = new AbortController();
    const asked = charge(sandboxes.addresses.stripe.apiUrl, "P1-1", waiting.signal);
    await expect.poll(() => sandboxes.stripe.calls().length).toBe(1);
    expect(sandboxes.stripe.totals().charges).toBe(charges);
    waiting.abort();
    expect(await asked).toBe("no answer");
  }
});

test("random faults are the same for the same seed", async () => {
  const first = await historyOf(7);
  expect(await historyOf(7)).toEqual(first);
  expect(new Set(first)).toEqual(new Set([null, "500-after"]));
});

test("closing cuts answers that hang", async () => {
  const own = await startSandboxes({ port: 0 });
  own.stripe.fail({ kind: "hang-after" });
  const hanging = charge(own.addresses.stripe.apiUrl);
  await expect.poll(() => own.stripe.totals().charges).toBe(1);
  await own.close();
  expect(await hanging).toBe("cut");
});

test("another process is controlled over HTTP, and its charges survive a kill", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandboxes-"));
  const stateFile = join(folder, "state.jsonl");
  const first = await startProcess(stateFile);
  const order = await fetch(`${first.origin}/_control/stripe/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ call: "charge", kind: "hang-after" }),
  });
  expect(await order.json()).toEqual({
    faults: [{ call: "charge", kind: "hang-after", times: 1 }],
  });
  const hanging = charge(first.origin);
  await expect.poll(() => chargesAt(first.origin)).toHaveLength(1);
  first.process.kill("SIGKILL");
  expect(await hanging).toBe("cut");

  const second = await startProcess(stateFile);
  expect(await chargesAt(second.origin)).toMatchObject([{ reference: "P1-1", amountCents: 2000 }]);
  second.process.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(readFileSync(stateFile, "utf8")).not.toContain("4242424242424242");
  rmSync(folder, { recursive: true });
});

test("an invalid order is refused with an explanation", async () => {
  const order = await fetch(`${sandboxes.origin}/_control/stripe/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "explode" }),
  });
  expect(order.status).toBe(422);
  expect(await order.text()).toContain("kind");
});

async function historyOf(seed: number) {
  const own = await startSandboxes({ port: 0, seed });
  own.stripe.fail({ kind: "500-after", chance: 0.5 });
  for (let n = 0; n < 12; n += 1) await charge(own.addresses.stripe.apiUrl, `P${n}`);
  const faults = own.stripe.calls().map(({ fault }) => fault);
  await own.close();
  return faults;
}

async function chargesAt(origin: string): Promise<unknown[]> {
  const answer = await fetch(`${origin}/_control/stripe/charges`);
  const { charges }: { charges: unknown[] } = await answer.json();
  return charges;
}

async function startProcess(stateFile: string) {
  const child = spawn(
    process.execPath,
    ["sandboxes/main.ts", "--port", "0", "--state", stateFile],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes("\n")) break;
  }
  const origin = /http:\S+/.exec(said)?.[0] ?? "";
  return { process: child, origin, ended };
}
