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

/** The text of the answer to a charge of $20, or what became of the connection. */
async function charge(
  at: Sandboxes["addresses"]["anet"],
  invoiceNumber = "P1-1",
  signal = AbortSignal.timeout(60_000),
) {
  const { apiLoginId, transactionKey } = sandboxes.accounts.anet;
  const creditCard = { cardNumber: "4111111111111111", expirationDate: "2099-12" };
  try {
    const answer = await fetch(at.apiUrl, {
      method: "POST",
      body: JSON.stringify({
        createTransactionRequest: {
          merchantAuthentication: { name: apiLoginId, transactionKey },
          transactionRequest: {
            transactionType: "authCaptureTransaction",
            amount: "20.00",
            payment: { creditCard },
            order: { invoiceNumber },
          },
        },
      }),
      signal,
    });
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError" ? "no answer" : "cut";
  }
}

test.each<[FaultKind, answer: string, charges: number]>([
  ["drop-before", "cut", 0],
  ["500-before", "500 Internal Server Error", 0],
  ["503-before", "503 Service Unavailable", 0],
  ["hang-before", "no answer", 0],
  ["busy", "E00053", 0],
  ["unsure-before", "E00001", 0],
  ["drop-after", "cut", 1],
  ["500-after", "500 Internal Server Error", 1],
  ["503-after", "503 Service Unavailable", 1],
  ["hang-after", "no answer", 1],
  ["unsure-after", "E00001", 1],
  ["malformed", "200 %%", 1],
  ["truncated", "cut", 1],
  ["html", "502 <!doctype html>", 1],
  ["bom", "200 {", 1],
])("%s answers with %s and leaves %d charges", async (kind, answer, charges) => {
  sandboxes.anet.fail({ call: "charge", kind });
  const waiting = new AbortController();
  const asked = charge(sandboxes.addresses.anet, "P1-1", waiting.signal);
  if (kind.startsWith("hang")) {
    await vi.waitUntil(() => sandboxes.anet.calls().length === 1, 60_000);
    waiting.abort();
  }
  expect(await asked).toContain(answer);
  expect(sandboxes.anet.totals().charges).toBe(charges);
  expect(sandboxes.anet.calls()).toMatchObject([
    { call: "charge", reference: "P1-1", fault: kind },
  ]);
  expect(await charge(sandboxes.addresses.anet, "P1-2")).toContain("has been approved");
});

test("a slow answer comes after its delay, having been done before or after it", async () => {
  for (const kind of ["slow", "slow-after"] as const) {
    const began = performance.now();
    sandboxes.anet.fail({ kind, delayMs: 150 });
    expect(await charge(sandboxes.addresses.anet, kind)).toContain("has been approved");
    expect(performance.now() - began).toBeGreaterThan(140);
  }
  // A delay that nobody waits out: what is there during it was done before it.
  for (const [kind, charges] of [
    ["slow", 0],
    ["slow-after", 1],
  ] as const) {
    sandboxes.reset();
    sandboxes.anet.fail({ kind, delayMs: 60_000 });
    const waiting = new AbortController();
    const asked = charge(sandboxes.addresses.anet, "P1-1", waiting.signal);
    await expect.poll(() => sandboxes.anet.calls().length).toBe(1);
    expect(sandboxes.anet.totals().charges).toBe(charges);
    waiting.abort();
    expect(await asked).toBe("no answer");
  }
});

test("faults by chance are the same for the same seed", async () => {
  const first = await historyOf(7);
  expect(await historyOf(7)).toEqual(first);
  expect(new Set(first)).toEqual(new Set([null, "500-after"]));
});

test("closing cuts answers that hang", async () => {
  const own = await startSandboxes({ port: 0 });
  own.anet.fail({ kind: "hang-after" });
  const hanging = charge(own.addresses.anet);
  await expect.poll(() => own.anet.totals().charges).toBe(1);
  await own.close();
  expect(await hanging).toBe("cut");
});

test("another process is steered over HTTP, and its charges outlive a kill", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandboxes-"));
  const stateFile = join(folder, "state.jsonl");
  const first = await startProcess(stateFile);
  const addresses = {
    ...sandboxes.addresses.anet,
    apiUrl: `${first.origin}/anet/xml/v1/request.api`,
  };
  const order = await fetch(`${first.origin}/_control/anet/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ call: "charge", kind: "hang-after" }),
  });
  expect(await order.json()).toEqual({
    faults: [{ call: "charge", kind: "hang-after", times: 1 }],
  });
  const hanging = charge(addresses);
  await expect.poll(() => chargesAt(first.origin)).toHaveLength(1);
  first.process.kill("SIGKILL");
  expect(await hanging).toBe("cut");

  const second = await startProcess(stateFile);
  expect(await chargesAt(second.origin)).toMatchObject([{ reference: "P1-1", amountCents: 2000 }]);
  second.process.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(readFileSync(stateFile, "utf8")).not.toContain("4111111111111111");
  rmSync(folder, { recursive: true });
});

test("an order that makes no sense is refused in words", async () => {
  const order = await fetch(`${sandboxes.origin}/_control/anet/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "explode" }),
  });
  expect(order.status).toBe(422);
  expect(await order.text()).toContain("kind");
});

async function historyOf(seed: number) {
  const own = await startSandboxes({ port: 0, seed });
  own.anet.fail({ kind: "500-after", chance: 0.5 });
  for (let n = 0; n < 12; n += 1) await charge(own.addresses.anet, `P${n}`);
  const faults = own.anet.calls().map(({ fault }) => fault);
  await own.close();
  return faults;
}

async function chargesAt(origin: string): Promise<unknown[]> {
  const answer = await fetch(`${origin}/_control/anet/charges`);
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
