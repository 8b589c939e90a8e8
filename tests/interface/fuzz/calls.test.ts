import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showSession } from "#kit/contract/session.ts";
import { type DescribedCall, describedCalls } from "#tests/interface/fuzz/description.ts";
import { cardNumbers } from "#tests/interface/fuzz/hostile.ts";
import {
  leavesTheSandboxes,
  plainRequest,
  rawRequest,
  requestsTo,
  type Wanted,
} from "#tests/interface/fuzz/requests.ts";
import { chooseSeed } from "#tests/interface/fuzz/seed.ts";
import { judgeOf } from "#tests/interface/fuzz/verdict.ts";
import { roles, World } from "#tests/interface/fuzz/world.ts";
import { goodRequest, needsPassword } from "#tests/interface/good-requests.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { rounds } from "#tests/support/rounds.ts";
import type { Asked, Visitor } from "#tests/support/visitor.ts";

/*
 * Random requests to every call, from everybody: none causes an error of ours, all are answered in the
 * envelope, and nobody learns of another's data. docs/security.md
 */

const { seed, runs } = chooseSeed({ runs: rounds(3, 25) });

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => await world.app.close());

async function send(call: DescribedCall, wanted: Wanted, visitors: Record<string, Visitor>) {
  const visitor = visitors[wanted.role] ?? (await world.visitor(wanted.role));
  const ids = world.recordsFor(wanted.role, wanted.owner);
  const good: Asked = isOfLibrary(call) ? {} : goodRequest(call, ids);
  const csrf = { own: visitor.csrf, another: (await world.visitor("nobody")).csrf };
  const request = rawRequest(call, wanted, good, csrf);
  if (leavesTheSandboxes(request)) return null;
  return await visitor.sendRaw(request).catch((problem: unknown) => {
    throw new Error(`As ${wanted.role}: ${String(request.payload).slice(0, 600)}`, {
      cause: problem,
    });
  });
}

const isOfLibrary = ({ path }: DescribedCall) => path.startsWith("/api/auth/");

/** Calls that need a password that nobody here knows. */
const needsSecret = (call: DescribedCall) => isOfLibrary(call) || needsPassword(call);

async function fuzz(call: DescribedCall, itsSeed: number): Promise<void> {
  const judge = judgeOf(call);
  const name = `${call.method} ${call.path}`;
  // Signing in and out would end the others' sessions.
  const visitors = isOfLibrary(call) ? await world.freshVisitors() : {};
  // The good request reaches the call's own code, so the variations in the others do too.
  const plain = await send(call, plainRequest(call), visitors);
  const isDeep = [200, 202, 404, 409].includes(plain?.status ?? 0) || needsSecret(call);
  expect([name, isDeep || plain?.text]).toEqual([name, true]);
  const property = fc.asyncProperty(requestsTo(call), async (wanted) => {
    const reply = await send(call, wanted, visitors);
    if (!reply) return;
    const faults = judge(reply, wanted);
    expect(faults, `${name} by ${wanted.role}: ${reply.text.slice(0, 600)}`).toEqual([]);
  });
  await fc.assert(property, { seed: itsSeed, numRuns: runs, endOnFailure: true });
}

test("no request to any call causes a server error or reveals another's data", async () => {
  const calls = await describedCalls(world.app);
  expect(calls.length).toBe(world.app.server.endpoints.length);
  let processorsCall = "";
  for (const [index, call] of calls.entries()) {
    const isOther = call.path.startsWith("/elavon/") !== processorsCall.startsWith("/elavon/");
    if (isOther) await world.useProcessorOf(call.path);
    processorsCall = call.path;
    await fuzz(call, seed + index);
  }
}, 600_000);

test("everybody is still signed in, so the requests were really made by someone", async () => {
  for (const role of roles) {
    const { user } = await (await world.visitor(role)).call(showSession);
    expect([role, user !== null]).toEqual([role, role !== "nobody"]);
  }
});

test("the ledgers of both networks are in order afterwards", async () => {
  for (const { id } of world.networks) expect(await ledgerOffences(world.app.db, id)).toEqual([]);
  expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
});

test("no card number, password or secret that was sent is in the log", () => {
  const log = world.log.join("");
  expect(log.length).toBeGreaterThan(0);
  const digits = log.replaceAll(/[^0-9"{}:,]/g, "");
  for (const number of cardNumbers) {
    expect(log).not.toContain(number);
    expect(digits).not.toContain(number.replaceAll(/\D/g, ""));
  }
  expect(log).not.toContain("Zyx");
});
