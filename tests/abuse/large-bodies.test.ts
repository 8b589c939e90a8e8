import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "vitest";
import { createPlan, listPlans } from "#features/subscriptions/contract.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Bodies that are larger than they look. Those that simply are too large: src/http/malformed-requests.test.ts */

let admin: Visitor;

const test = appTest();
test.beforeAll(async () => {
  admin = await signedIn(app, "admin", await makeNetwork(app.db));
});

const plan = { name: "Dues", payment_amount: "50.00", payment_frequency_in_months: 1 };

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
])("a body packed with %s is never unpacked", async (encoding, pack) => {
  const bomb = JSON.stringify({ ...plan, description: " ".repeat(8 * 1024 * 1024) });
  const payload = pack(Buffer.from(bomb));
  expect(payload.length).toBeLessThan(256 * 1024);
  const reply = await admin.sendRaw({
    method: "POST",
    url: createPlan.path,
    headers: {
      "x-csrf-token": admin.csrf,
      "content-type": "application/json",
      "content-encoding": encoding,
    },
    payload,
  });
  expect(reply.status).toBe(415);
  expect(await admin.call(listPlans)).toEqual([]);
});
