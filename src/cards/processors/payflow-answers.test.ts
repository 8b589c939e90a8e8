import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { payflow } from "#cards/processors/payflow.ts";

/* Lookups of answers that the sandbox never gives: a gateway with one fixed answer. */

const startedAt = "2026-11-21T12:00:00Z";
const reference = "0123456789AB";
const sale = {
  reference,
  amountCents: cents(5000),
  transactionId: null,
  startedAt,
  session: { reference, startedAt, secret: null, amountCents: cents(5000) },
};

/** Looks up a sale for which PayPal returns `fields`, and voids nothing. Also returns the request. */
async function lookedUp(fields: string) {
  const kinds: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const kind = /TRXTYPE\[1\]=(\w)/.exec(await text(request))?.[1] ?? "";
    kinds.push(kind);
    const found = `RESULT=0&PNREF=A00000000002&ORIGPNREF=A00000000001&AMT=50.00&${fields}`;
    response.end(kind === "V" ? "RESULT=108&RESPMSG=Void error" : found);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a port, not a pipe
  const outcome = await payflow.lookUp(
    {
      networkId: 1,
      live: false,
      keys: {},
      addresses: { apiUrl: `http://127.0.0.1:${port}` },
      publicUrl: "http://localhost:3000",
      timeoutMs: 10_000,
    },
    sale,
  );
  server.close();
  const since = outcome.kind === "approved" ? outcome.since : undefined;
  return { outcome: outcome.kind, kinds, ...(since && { since }) };
}

test.each(["30", "160", "161"])(
  "%s says that an earlier request exists, and leaves open what that charged",
  async (result) => {
    const found = await lookedUp(`ORIGRESULT=${result}&TRANSSTATE=1`);
    expect(found).toEqual({ outcome: "unknown", kinds: ["I"] });
  },
);

test("an unlisted answer for a sale that failed means nothing was charged", async () => {
  const found = await lookedUp("ORIGRESULT=402&TRANSSTATE=1");
  expect(found).toEqual({ outcome: "declined", kinds: ["I", "V"] });
});

test("a sale that the payer's bank charged back was paid, and its chargeback is listed", async () => {
  const found = await lookedUp("ORIGRESULT=0&TRANSSTATE=15");
  const chargeback = { kind: "chargeback", amountCents: 5000, processorId: "A00000000001" };
  expect(found).toMatchObject({ outcome: "approved", since: [chargeback] });
});
