import { sql } from "kysely";
import { describe, expect, vi } from "vitest";
import { z } from "zod";
import {
  signInByPasskey,
  startPasskey,
  startPasskeyConfirmation,
  startPasskeySignIn,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { givePasskey } from "#tests/support/passkeys.ts";
import { giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

/* The server's side of passkeys. For the browser's side, see tests/e2e/passkeys.test.ts. */

const test = appTest({ network: {} });

test("passkey options take one connection, so that parallel requests do not wait for each other", async () => {
  const all = app.pool.options.max ?? 0;
  const others = await Promise.all(Array.from({ length: all - 1 }, () => app.pool.connect()));
  try {
    for (const asked of [startPasskey, startPasskeyConfirmation])
      expect((await admin.ask(asked)).status).toBe(200);
  } finally {
    for (const other of others) other.release();
  }
});

test("an endlessly nested answer is refused, not a server error", async () => {
  const nested = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const proof = '"id":"AAAA","rawId":"AAAA","type":"public-key"';
  const visitor = aVisitor(app);
  const headers = { "content-type": "application/json", "x-csrf-token": visitor.csrf };
  for (const rest of [`"response":{},"more":${nested}`, `"response":{"signature":${nested}}`]) {
    const payload = `{"response":{${proof},${rest}}}`;
    const request = { method: "POST", url: signInByPasskey.path, headers, payload } as const;
    expect((await visitor.sendRaw(request)).status).toBe(422);
  }
});

test("nobody is signed in with a passkey that is removed at the same time", async () => {
  const { userId } = network.admin;
  const held = await givePasskey(app, userId);
  const answerOf = async (visitor: Visitor) => {
    const { challenge } = await visitor.call(startPasskeySignIn);
    return { body: { response: held.answer(z.string().parse(challenge)) } };
  };
  const [before, meanwhile] = [aVisitor(app), aVisitor(app)];
  expect((await before.ask(signInByPasskey, await answerOf(before))).status).toBe(200);
  const answer = await answerOf(meanwhile);
  const [begun] = await inTransaction(app.db, async (tx) => {
    await tx.deleteFrom("passkeys").where("userId", "=", userId).execute();
    const signingIn = meanwhile.ask(signInByPasskey, answer);
    await expect.poll(() => waitingForLocks(app.db)).toBe(1);
    return [signingIn];
  });
  const reply = await begun;
  expect(reply.status).toBe(422);
  expect(reply.headers["set-cookie"]).toBeUndefined();
  expect((await meanwhile.call(showSession)).user).toBeNull();
});

describe("whether an account has a second factor", () => {
  const addPasskey = sql`
    insert into passkeys (user_id, public_key, credential_id, counter, device_type, backed_up)
    select id, 'x', 'race-' || id, 0, 'singleDevice', false from users where id = `;

  /** Make two changes that do not see each other, and commit one after the other. */
  async function overlapping(first: typeof addPasskey, second: typeof addPasskey): Promise<void> {
    let committed: Promise<unknown> = Promise.resolve();
    await inTransaction(app.db, async (tx) => {
      await first.execute(tx);
      committed = inTransaction(app.db, (other) => second.execute(other));
      const waits = sql<{ waiting: boolean }>`select exists (
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`;
      const progress = { isOver: false };
      void committed.finally(() => (progress.isOver = true));
      await vi.waitUntil(
        async () => progress.isOver || (await waits.execute(app.db)).rows[0]?.waiting,
        { timeout: 60_000 },
      );
    });
    await committed;
  }

  const hasOne = async () => {
    const { rows } = await sql<{ said: boolean; has: boolean }>`
      select two_factor_enabled as said, exists (select from two_factors where user_id = u.id)
        or exists (select from passkeys where user_id = u.id) as has
      from users u where id = ${network.admin.userId}`.execute(app.db);
    return rows[0];
  };

  test("is true if one factor is added while the other is removed", async () => {
    const { userId } = network.admin;
    await giveAuthenticatorApp(app, network.admin);
    await overlapping(
      sql`delete from two_factors where user_id = ${userId}`,
      sql`${addPasskey} ${userId}`,
    );
    expect(await hasOne()).toEqual({ said: true, has: true });
  });

  test("is false if both are removed at the same time", async () => {
    const { userId } = network.admin;
    await giveAuthenticatorApp(app, network.admin);
    await sql`${addPasskey} ${userId}`.execute(app.db);
    await overlapping(
      sql`delete from two_factors where user_id = ${userId}`,
      sql`delete from passkeys where user_id = ${userId}`,
    );
    expect(await hasOne()).toEqual({ said: false, has: false });
  });
});
