import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { Webhook } from "standardwebhooks";
import { removeOldMessages } from "#outgoing/webhooks/deliveries.ts";
import {
  listWebhookDeliveries,
  renewWebhookSecret,
  sendWebhookAgain,
  testWebhookEndpoint,
} from "#outgoing/webhooks/contract.ts";
import { encryptedSecret } from "#outgoing/webhooks/webhook-secrets.ts";
import { type Sending, sendDueWebhooks } from "#outgoing/webhooks/send-webhooks.ts";
import { startWorker } from "#main/worker.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anEndpoint, loopbackOnly, WebhookReceiver } from "#tests/support/webhook-receiver.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ network: {}, attorney: {}, connections: 30 });
let receiver: WebhookReceiver;
let endpoint: { id: number; secret: string };
beforeEach(async () => {
  await app.db.deleteFrom("webhookEndpoints").execute();
  receiver = await WebhookReceiver.start();
  endpoint = await anEndpoint(app, network, { url: receiver.url });
});
afterEach(async () => await receiver.close());

const sending = (): Sending => ({ db: app.db, secret: app.secret, reach: loopbackOnly });
const send = (stopping?: AbortSignal) => sendDueWebhooks(sending(), stopping);
const debit = () => makeDebit(app.db, network, attorney);
const deliveries = async () => (await admin.call(listWebhookDeliveries)).items;
const ids = () => receiver.received.map(({ headers }) => headers["webhook-id"]);

async function manyDebits(count: number, { id }: MadeNetwork): Promise<void> {
  await sql`
    insert into webhook_messages (network_id, type, data)
    select ${id}::bigint, 'debit.created', json_build_object('debit_id', n)
    from generate_series(1, ${count}::integer) as n`.execute(app.db);
}

/** End all pauses of deliveries and endpoints, so that every waiting delivery is due. */
async function letPausesPass(): Promise<void> {
  await sql`update webhook_deliveries set next_attempt_at = now() where state = 'waiting'`.execute(
    app.db,
  );
  await sql`update webhook_endpoints set not_before = null`.execute(app.db);
}

const databaseTime = async () => {
  const { rows } = await sql<{ now: string }>`select now()`.execute(app.db);
  return Date.parse(rows[0]?.now ?? "");
};

/** When the endpoint's pause ends, 0 without one. */
const restUntil = async () => {
  const kept = app.db.selectFrom("webhookEndpoints").select("notBefore");
  const { notBefore } = await kept.where("id", "=", endpoint.id).executeTakeFirstOrThrow();
  return notBefore === null ? 0 : Date.parse(notBefore);
};

const endpointNow = () =>
  app.db
    .selectFrom("webhookEndpoints")
    .select(["active", "disabledReason", "failingSince", "lastSuccessAt"])
    .where("id", "=", endpoint.id)
    .executeTakeFirstOrThrow();

test("an event is posted once, with a signature that the receivers' library accepts", async () => {
  const id = await debit();
  expect(await send()).toBe(1);
  expect(await send()).toBe(0);
  expect(receiver.verified(endpoint.secret)).toEqual([
    {
      type: "debit.created",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: expect.objectContaining({ debit_id: id, amount: "50.00" }),
    },
  ]);
  const [posted] = receiver.received;
  expect(posted).toMatchObject({ path: "/hooks", headers: { "content-type": "application/json" } });
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({
    state: "delivered",
    lastStatus: 204,
    attempts: 1,
    webhookId: posted?.headers["webhook-id"],
  });
  expect((await endpointNow()).lastSuccessAt).not.toBeNull();
});

test("several workers at the same time post each message once", async () => {
  await manyDebits(60, network);
  const taken = await Promise.all([send(), send(), send()]);
  expect(taken.reduce((sum, count) => sum + count)).toBe(60);
  expect(new Set(ids()).size).toBe(60);
  expect(receiver.received).toHaveLength(60);
});

test("a new secret signs immediately, and the old one for another day", async () => {
  const { secret } = await admin.call(renewWebhookSecret, { params: { id: endpoint.id } });
  expect(secret).not.toBe(endpoint.secret);
  await debit();
  await send();
  expect(receiver.verified(endpoint.secret)).toEqual(receiver.verified(secret));
  await sql`update webhook_endpoints set old_secret_expires_at = now()`.execute(app.db);
  await debit();
  await send();
  const [, { body, headers } = { body: "", headers: {} }] = receiver.received;
  const signed = headers as Record<string, string>; // the format that a receiver's library expects
  expect(() => new Webhook(endpoint.secret).verify(body, signed)).toThrow("No matching signature");
  expect(new Webhook(secret).verify(body, signed)).toMatchObject({ type: "debit.created" });
});

test("an unreadable secret is reported, and after a renewal only the new one signs", async () => {
  const lost = encryptedSecret(endpoint.secret, network.id, "another secret of the installation");
  await app.db.updateTable("webhookEndpoints").set(lost).where("id", "=", endpoint.id).execute();
  await debit();
  expect(await send()).toBe(0);
  expect(await deliveries()).toMatchObject([
    { state: "waiting", lastProblem: "The secret can no longer be read. Make a new one." },
  ]);
  const renewed = await admin.call(renewWebhookSecret, { params: { id: endpoint.id } });
  expect(renewed.oldSecretExpiresAt).toBeNull();
  await letPausesPass();
  expect(await send()).toBe(1);
  expect(receiver.verified(renewed.secret)).toMatchObject([{ type: "debit.created" }]);
  const kept = app.db.selectFrom("webhookEndpoints").select("encryptedOldSecret");
  expect(await kept.where("id", "=", endpoint.id).execute()).toEqual([
    { encryptedOldSecret: null },
  ]);
});

describe("a receiver", () => {
  test("that fails gets the same message and id again, after growing pauses for three days", async () => {
    receiver.mood = { status: 500, body: "No\u0007 way.\n<b>" };
    await debit();
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await send()).toBe(0);
      const { rows } = await sql<{ pause: number | null }>`
        select extract(epoch from next_attempt_at - now())::float8 as pause from webhook_deliveries
        where endpoint_id = ${endpoint.id}`.execute(app.db);
      if (rows[0]?.pause) pauses.push(rows[0].pause);
      await letPausesPass();
    }
    expect(pauses).toHaveLength(9);
    // The last two pauses are almost equal before the random share is added.
    expect(pauses.slice(0, 8)).toEqual(pauses.slice(0, 8).toSorted((one, other) => one - other));
    const days = pauses.reduce((sum, pause) => sum + pause) / 86_400;
    expect(Math.round(days)).toBe(3);
    expect(new Set(ids()).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const failed = { state: "failed", attempts: 10, lastStatus: 500, lastProblem: "No way. <b>" };
    expect(await deliveries()).toMatchObject([{ ...failed, nextAttemptAt: null }]);
    expect(await send()).toBe(0);
  });

  test("that is back gets waiting deliveries and those sent again by hand", async () => {
    receiver.mood = "hangs up";
    await debit();
    await send();
    receiver.mood = { status: 200 };
    await letPausesPass();
    expect(await send()).toBe(1);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ state: "delivered", attempts: 2, lastProblem: null });
    const again = await admin.call(sendWebhookAgain, { params: { id: delivery?.id } });
    expect(again).toMatchObject({ state: "waiting", attempts: 0, webhookId: delivery?.webhookId });
    expect(await send()).toBe(1);
    expect(new Set(ids()).size).toBe(1);
    expect((await endpointNow()).failingSince).toBeNull();
  });

  test("that does not answer times out, and has no status", async () => {
    receiver.mood = "hangs";
    await debit();
    await sendDueWebhooks({ ...sending(), timeoutMs: 200 });
    expect(await deliveries()).toMatchObject([
      {
        state: "waiting",
        lastStatus: null,
        lastProblem: "The receiver did not answer within 0.2 seconds.",
      },
    ]);
  });

  test("that redirects is not followed", async () => {
    const elsewhere = await WebhookReceiver.start();
    receiver.mood = { status: 307, headers: { location: elsewhere.url } };
    await debit();
    await send();
    await elsewhere.close();
    expect(elsewhere.received).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "waiting", lastStatus: 307 }]);
  });

  test("that answers endlessly is read only up to the limit", async () => {
    receiver.mood = { status: 503, body: "busy ".repeat(1_000_000) };
    await debit();
    await send();
    const [delivery] = await deliveries();
    expect(delivery?.lastProblem).toHaveLength(200);
  });

  test("that sends Retry-After gets nothing for that long", async () => {
    receiver.mood = { status: 429, headers: { "retry-after": "7200" } };
    await debit();
    const before = await databaseTime();
    expect(await send()).toBe(0);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ state: "waiting", lastStatus: 429, attempts: 1 });
    const told = before + 7_200_000;
    expect(Date.parse(delivery?.nextAttemptAt ?? "")).toBeGreaterThanOrEqual(told);
    receiver.mood = { status: 204 };
    await debit();
    await sql`update webhook_deliveries set next_attempt_at = now()`.execute(app.db);
    expect(await send()).toBe(0);
    expect(await restUntil()).toBeGreaterThanOrEqual(told);
    expect(receiver.received).toHaveLength(1);
    const waiting = (await deliveries()).map(({ nextAttemptAt }) =>
      Date.parse(nextAttemptAt ?? ""),
    );
    expect(Math.min(...waiting)).toBeGreaterThanOrEqual(told);
    await letPausesPass();
    expect(await send()).toBe(2);
  });

  test("that sends Retry-After with a date gets nothing until then", async () => {
    const told = Math.floor((await databaseTime()) / 1000) * 1000 + 36_000_000;
    receiver.mood = { status: 503, headers: { "retry-after": new Date(told).toUTCString() } };
    await debit();
    await send();
    const [delivery] = await deliveries();
    expect(Date.parse(delivery?.nextAttemptAt ?? "")).toBeGreaterThanOrEqual(told);
    expect(await restUntil()).toBeGreaterThanOrEqual(told);
  });

  test("that asks for more than the longest pause waits only the longest pause", async () => {
    receiver.mood = { status: 429, headers: { "retry-after": "999999999999" } };
    await debit();
    await send();
    const { rows } = await sql<{ isWithin: boolean }>`
      select d.next_attempt_at between d.created_at + interval '21 hours' and now() + interval '24 hours'
        and e.not_before between d.created_at + interval '21 hours' and now() + interval '21 hours' as is_within
      from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where e.id = ${endpoint.id}`.execute(app.db);
    expect(rows).toEqual([{ isWithin: true }]);
  });

  test("that asks for less than the pause waits the pause", async () => {
    receiver.mood = { status: 503, headers: { "retry-after": "1" } };
    await debit();
    await send();
    await letPausesPass();
    const before = await databaseTime();
    await send();
    const [delivery] = await deliveries();
    expect(delivery?.attempts).toBe(2);
    expect(Date.parse(delivery?.nextAttemptAt ?? "")).toBeGreaterThanOrEqual(before + 300_000);
  });

  test("that asked to wait immediately gets a test or what an administrator sends again", async () => {
    receiver.mood = { status: 429, headers: { "retry-after": "7200" } };
    await debit();
    await send();
    receiver.mood = { status: 204 };
    const [delivery] = await deliveries();
    await admin.call(sendWebhookAgain, { params: { id: delivery?.id } });
    expect(await send()).toBe(1);
    receiver.mood = { status: 429, headers: { "retry-after": "7200" } };
    await debit();
    await send();
    receiver.mood = { status: 204 };
    await admin.call(testWebhookEndpoint, { params: { id: endpoint.id } });
    expect(await send()).toBe(1);
  });

  test("that takes one message and asks to wait on another gets nothing more", async () => {
    receiver.mood = "hangs";
    await debit();
    await debit();
    const sent = send();
    await vi.waitUntil(() => receiver.received.length === 2, { timeout: 30_000 });
    receiver.answerOneThatHangs({ status: 429, headers: { "retry-after": "7200" } });
    await vi.waitUntil(async () => (await restUntil()) > 0, { timeout: 30_000 });
    receiver.answerOneThatHangs({ status: 204 });
    expect(await sent).toBe(1);
    receiver.mood = { status: 204 };
    await debit();
    expect(await send()).toBe(0);
    expect(receiver.received).toHaveLength(2);
  });

  test("that is gone gets nothing more", async () => {
    receiver.mood = { status: 410 };
    await debit();
    await debit();
    await send();
    expect(await endpointNow()).toMatchObject({ active: false, disabledReason: "gone" });
    await letPausesPass();
    const before = receiver.received.length;
    await send();
    await debit();
    expect(await send()).toBe(0);
    expect(receiver.received).toHaveLength(before);
    expect(await deliveries()).toHaveLength(2);
  });

  test("that has failed for three days is switched off", async () => {
    receiver.mood = { status: 500 };
    await debit();
    await send();
    expect((await endpointNow()).active).toBe(true);
    await sql`update webhook_endpoints set failing_since = now() - interval '73 hours'`.execute(
      app.db,
    );
    await letPausesPass();
    await send();
    expect(await endpointNow()).toMatchObject({ active: false, disabledReason: "failed" });
  });
});

test("one network's backlog and hanging receiver do not delay other networks", async () => {
  const other = await makeNetwork(app.db);
  const theirs = await WebhookReceiver.start();
  const theirEndpoint = await anEndpoint(app, other, { url: theirs.url });
  receiver.mood = "hangs";
  await manyDebits(500, network);
  const stopping = new AbortController();
  const running = send(stopping.signal);
  await vi.waitUntil(() => receiver.received.length >= 4, { timeout: 30_000 });
  await makeDebit(app.db, other, await makeAttorney(app.db, other));
  await vi.waitUntil(() => theirs.received.length === 1, { timeout: 30_000 });
  expect(theirs.verified(theirEndpoint.secret)).toMatchObject([{ type: "debit.created" }]);
  expect(receiver.received).toHaveLength(4);
  stopping.abort();
  await receiver.close(); // ends the hanging requests
  await running;
  receiver = theirs;
});

test("a killed worker's delivery is posted again with the same id", async () => {
  await debit();
  // As a killed worker leaves it: taken and posted, with no result.
  receiver.mood = "hangs";
  const killed = sendDueWebhooks({ ...sending(), timeoutMs: 60_000 });
  await vi.waitUntil(() => receiver.received.length === 1, { timeout: 30_000 });
  receiver.mood = { status: 200 };
  expect(await send()).toBe(0); // no other worker takes it yet
  await letPausesPass();
  expect(await send()).toBe(1);
  expect(receiver.received).toHaveLength(2);
  expect(new Set(ids()).size).toBe(1);
  await receiver.close();
  await killed;
  expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }]);
  receiver = await WebhookReceiver.start();
});

test("a worker posts immediately, and only to public addresses", async () => {
  const lines: string[] = [];
  const worker = await startWorker({
    ...app,
    now: () => app.server.now(),
    log: (line) => void lines.push(line),
    publicUrl: "http://localhost:3000",
  });
  await admin.call(testWebhookEndpoint, { params: { id: endpoint.id } });
  await vi.waitUntil(async () => (await deliveries())[0]?.lastProblem, { timeout: 60_000 });
  await worker.stop();
  expect(await deliveries()).toMatchObject([
    { type: "ping", state: "waiting", lastProblem: "The address does not begin with https://." },
  ]);
  expect(receiver.received).toEqual([]);
  expect(lines.filter((line) => line.includes("webhooks"))).toEqual([]);
});

test("messages and deliveries are removed after 30 days", async () => {
  await debit();
  await debit();
  await send();
  await sql`update webhook_messages set created_at = now() - interval '31 days' where id = (
    select max(id) from webhook_messages)`.execute(app.db);
  await removeOldMessages(app.db);
  expect(await deliveries()).toHaveLength(1);
  const nobody = await signedIn(app, "admin", await makeNetwork(app.db));
  expect(await nobody.call(listWebhookDeliveries)).toMatchObject({ total: 0 });
});
