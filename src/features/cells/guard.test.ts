import { sql } from "kysely";
import { expect } from "vitest";
import { showAttorney } from "#features/attorneys/contract.ts";
import { createPlan } from "#features/subscriptions/contract.ts";
import { guardNetwork, isGuarded, unguardNetwork } from "#features/cells/guard.ts";
import { asMover, beginMove, endMove, setMoveState } from "#features/cells/network-moves.ts";
import { networkTables } from "#features/cells/network-tables.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";

const test = cellTest({ network: {}, attorney: {} });

const refused = { code: "RN503" };

test("the tables of networks come from the catalog, children before their parents", async () => {
  const tables = await networkTables(owner.pool);
  const names = tables.map(({ name }) => name);
  expect(names.at(-1)).toBe("networks");
  expect(names.indexOf("ledger_entries")).toBeLessThan(names.indexOf("debits"));
  expect(names.indexOf("sessions")).toBeLessThan(names.indexOf("users"));
  const { rows } = await owner.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and a.attname = 'network_id' and not a.attisdropped`,
  );
  const ofTheCell = rows.map(({ name }) => name).filter((name) => !names.includes(name));
  expect(ofTheCell.toSorted()).toEqual(["network_move_steps", "network_moves"]);
  expect(tables.find(({ name }) => name === "attorneys")).toEqual({
    name: "attorneys",
    networkColumn: "network_id",
    keyColumns: ["network_id", "id"],
    sequences: [{ column: "id", sequence: "public.attorneys_id_seq" }],
  });
});

test("every write of a guarded network is refused, whoever makes it, and no other network's is", async () => {
  const other = await makeNetwork(app.db);
  await guardNetwork(owner.pool, network.id);
  await guardNetwork(owner.pool, network.id);
  expect(await isGuarded(owner.pool, network.id)).toBe(true);
  expect(await isGuarded(owner.pool, other.id)).toBe(false);

  for (const { db } of [app, owner]) {
    const rename = sql`update attorneys set first_name = 'Eve' where network_id = ${network.id}`;
    await expect(rename.execute(db)).rejects.toMatchObject(refused);
    const leave = sql`delete from users where network_id = ${network.id}`;
    await expect(leave.execute(db)).rejects.toMatchObject(refused);
    const settings = sql`update networks set name = 'Elsewhere' where id = ${network.id}`;
    await expect(settings.execute(db)).rejects.toMatchObject(refused);
    await expect(makeAttorney(db, network)).rejects.toMatchObject(refused);
    const again = sql`
      insert into webhook_events (network_id, processor, event_id, event_type)
      values (${network.id}, 'stripe', '1', 'x') on conflict do nothing`;
    await expect(again.execute(db)).rejects.toMatchObject(refused);
    const move = sql`update attorneys set network_id = ${network.id} where network_id = ${other.id}`;
    await makeAttorney(db, other);
    await expect(move.execute(db)).rejects.toMatchObject(refused);
  }
  // Of every table, whatever else a row would need: the guard comes before constraints.
  const codeOf = async (statement: string) =>
    await owner.pool.query(statement).then(
      () => "done",
      ({ code }: { code: string }) => code,
    );
  for (const { name, networkColumn } of await networkTables(owner.pool)) {
    const belongsToUser = ["accounts", "sessions", "passkeys", "two_factors"].includes(name);
    const columns = belongsToUser ? "user_id" : networkColumn;
    const value = belongsToUser ? network.admin.userId : network.id;
    const inserted = await codeOf(`insert into ${name} (${columns}) values (${value})`);
    expect([name, inserted]).toEqual([name, name === "credits" ? "23001" : "RN503"]); // which only an approved check brings
    const truncated = await codeOf(`truncate ${name} cascade`);
    expect([name, ["RN503", "23001"].includes(truncated)]).toEqual([name, true]); // what is never truncated says so itself
  }

  await unguardNetwork(owner.pool, network.id);
  await unguardNetwork(owner.pool, network.id);
  expect(await isGuarded(owner.pool, network.id)).toBe(false);
  const { rows } = await owner.pool.query("select from pg_trigger where tgname like 'unserved_%'");
  expect(rows).toEqual([]);
  await makeAttorney(app.db, network);
});

test("a request that would change something is answered 503 and when to try again; reading goes on", async () => {
  await moveNetworkTo(owner.db, network.id, "paused");
  await guardNetwork(owner.pool, network.id);
  await admin.call(showAttorney, { params: { id: attorney.id } });
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { url, headers, payload } = admin.requestOf(createPlan, {
    body: {
      name: "Panel",
      description: "",
      payment_amount: "10.00",
      payment_frequency_in_months: 1,
    },
  });
  const written = await app.server.inject({
    method: "POST",
    url,
    headers: { ...headers, cookie },
    payload,
  });
  expect(written.statusCode).toBe(503);
  expect(written.headers["retry-after"]).toBe("5");
  expect(written.json()).toMatchObject({
    message:
      "Your network is being moved to another server. Nothing was changed; try again in a few seconds.",
  });
});

test("the guard waits for who writes, while others' writes wait behind it for moments only", async () => {
  const other = await makeNetwork(app.db);
  const writer = await app.pool.connect();
  await writer.query("begin");
  await writer.query(`update attorneys set first_name = 'Eve' where network_id = ${network.id}`);
  let isDone = false;
  const guarding = guardNetwork(owner.pool, network.id).then(() => (isDone = true));
  await makeAttorney(app.db, other);
  await makeAttorney(app.db, other);
  expect(isDone).toBe(false);
  await writer.query("commit");
  writer.release();
  await guarding;
  await expect(makeAttorney(app.db, network)).rejects.toMatchObject(refused);
});

test("to guard is given up where a table is held, and done when it is tried again", async () => {
  const writer = await app.pool.connect();
  await writer.query("begin");
  await writer.query(`update attorneys set first_name = 'Eve' where network_id = ${network.id}`);
  const guarding = guardNetwork(owner.pool, network.id, { timeoutMs: 0 });
  await expect(guarding).rejects.toThrow("The table attorneys was held by another transaction");
  await writer.query("rollback");
  writer.release();
  expect(await isGuarded(owner.pool, network.id)).toBe(false);
  await guardNetwork(owner.pool, network.id);
  expect(await isGuarded(owner.pool, network.id)).toBe(true);
});

test("a reader does not keep the guard from being taken off", async () => {
  await guardNetwork(owner.pool, network.id);
  const reader = await app.pool.connect();
  await reader.query("begin; select from attorneys limit 1");
  await unguardNetwork(owner.pool, network.id);
  await makeAttorney(app.db, network);
  await reader.query("commit");
  reader.release();
  await guardNetwork(owner.pool, network.id);
  await expect(makeAttorney(app.db, network)).rejects.toMatchObject(refused);
});

test("the mover alone passes the guard, for the network that is being moved", async () => {
  const rename = sql`update attorneys set first_name = 'Eve' where network_id = ${network.id}`;
  await guardNetwork(owner.pool, network.id);
  const passing = (db: typeof app.db) => asMover(db, network.id, (tx) => rename.execute(tx));
  await expect(passing(owner.db)).rejects.toMatchObject(refused); // it is not being moved
  await moveNetworkTo(owner.db, network.id, "paused");
  await expect(passing(app.db)).rejects.toMatchObject(refused);
  await passing(owner.db);
  const other = await makeNetwork(app.db);
  const wrong = asMover(owner.db, other.id, (tx) => rename.execute(tx));
  await expect(wrong).rejects.toMatchObject(refused);
});

test("a move goes on in its order, each step of which is noted for good", async () => {
  const { id } = network;
  await expect(setMoveState(owner.db, id, "paused")).rejects.toThrow(
    `Network ${id} is not being moved, and can be paused only after it was copying.`,
  );
  await beginMove(owner.db, { networkId: id, direction: "out", peer: "east" });
  await beginMove(owner.db, { networkId: id, direction: "out", peer: "east" });
  await expect(
    beginMove(owner.db, { networkId: id, direction: "in", peer: "west" }),
  ).rejects.toThrow(`Network ${id} is copying already, to east.`);
  await expect(setMoveState(owner.db, id, "moved")).rejects.toThrow("only after it was paused.");
  await setMoveState(owner.db, id, "paused");
  await setMoveState(owner.db, id, "paused");
  await endMove(owner.db, id);
  await endMove(owner.db, id);
  await expect(
    sql`insert into network_moves (network_id, direction, state) values (${id}, 'in', 'arriving')`.execute(
      app.db,
    ),
  ).rejects.toThrow("permission denied");
  const steps = await sql<{ step: string }>`
    select step from network_move_steps where network_id = ${id} order by id`.execute(app.db);
  expect(steps.rows.map(({ step }) => step)).toEqual(["copying", "paused", "ended"]);
  await expect(owner.pool.query("delete from network_move_steps")).rejects.toThrow(
    "never changed or deleted",
  );
});
