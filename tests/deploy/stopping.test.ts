import { beforeEach, expect } from "vitest";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import { Caller } from "#tests/support/open-page.ts";
import { RawConnection } from "#tests/support/raw-http.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest, attorney, network } from "#tests/support/app-test.ts";

/* A process told to stop during a call: what it does, within STOP_SECONDS. */

let debit: number;

const test = appTest({ network: {}, attorney: {} });
beforeEach(async () => {
  debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
});

const deployed = async (stopSeconds: number): Promise<Deployed> =>
  await deploy(await freePort(), {
    ROLES: "web",
    DATABASE_URL: app.connectionString,
    APP_SECRET: app.secret,
    DATA_DIR: app.dataDir,
    STOP_SECONDS: String(stopSeconds),
  });

/** Lock the debit, so that a check on it waits. Returns the function that unlocks it. */
async function holdDebit(): Promise<() => Promise<void>> {
  const client = await app.pool.connect();
  await client.query("begin");
  await client.query("select 1 from debits where network_id = $1 and id = $2 for update", [
    network.id,
    debit,
  ]);
  return async () => {
    await client.query("rollback");
    client.release();
  };
}

/** Pay by check over the network; resolves once the database has been asked. */
async function startPayment(running: Deployed) {
  const caller = new Caller(running.port, await signedIn(app, attorney, network));
  const answer = caller.call("POST", "/lrs_subscription_check_payments/", {
    payment_hash: { [debit]: "60.00" },
    check_number: "1001",
  });
  const isWaiting = async () => {
    const { rows } = await app.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  await expect.poll(isWaiting).toBe(1);
  return { caller, answer };
}

test("a call that ends in time is answered, and the process exits with 0", async () => {
  const running = await deployed(30);
  const letGo = await holdDebit();
  const { caller, answer } = await startPayment(running);
  running.signal("SIGTERM");
  await letGo();
  expect(await answer).toMatchObject({ balance: "100.00" });
  expect(caller.failures).toEqual([]);
  expect(await running.ended).toBe(0);
  expect(await standingOf(app.db, debit)).toEqual({ balance: 10_000, pending: 6_000 });
});

test("a call that does not is cut off after STOP_SECONDS; it is made whole or not at all", async () => {
  const running = await deployed(1);
  const before = await app.db.selectFrom("payments").select("id").execute();
  const letGo = await holdDebit();
  const { caller, answer } = await startPayment(running);
  running.signal("SIGTERM");
  expect(await running.ended).toBe(1);
  expect(running.stderr()).toContain("Not everything ended in time");
  expect(await answer).toBeNull();
  expect(caller.failures).toHaveLength(1);
  await letGo();
  await expect.poll(activeConnections).toBe(0);
  const { pending } = await standingOf(app.db, debit);
  const payments = await app.db.selectFrom("payments").select("id").execute();
  expect(payments).toHaveLength(before.length + pending / 6_000);
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});

test("requests on connections not yet accepted are answered", async () => {
  const running = await deployed(30);
  running.signal("SIGSTOP"); // as when it is busy: the kernel makes connections, the process accepts none
  const waiting = await Promise.all(
    Array.from({ length: 20 }, () => RawConnection.open(running.port)),
  );
  for (const each of waiting) each.write("GET /session HTTP/1.1\r\nHost: localhost\r\n\r\n");
  running.signal("SIGTERM");
  running.signal("SIGCONT");
  await Promise.all(waiting.map(({ closed }) => closed));
  expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => 200));
  expect(await running.ended).toBe(0);
});

test("an unused connection does not delay the stop", async () => {
  const running = await deployed(30);
  const unused = await RawConnection.open(running.port);
  running.signal("SIGTERM");
  await unused.closed;
  expect({ code: await running.ended, said: running.stderr() }).toEqual({ code: 0, said: "" });
});

/** Connections of the stopping process that are still at work. */
async function activeConnections(): Promise<number> {
  const { rows } = await app.pool.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return rows.length;
}
