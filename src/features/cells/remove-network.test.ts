import { sql } from "kysely";
import { expect } from "vitest";
import { guardNetwork } from "#features/cells/guard.ts";
import { beginMove, findMove } from "#features/cells/network-moves.ts";
import { networkTables } from "#features/cells/network-tables.ts";
import { removeNetwork } from "#features/cells/remove-network.ts";
import { app } from "#tests/support/app-test.ts";
import { makeFullNetwork, rowsOf } from "#tests/support/full-network.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";

const test = cellTest();

test("a network that was moved away leaves nothing but the steps of its move, and no other loses anything", async () => {
  const tables = await networkTables(owner.pool);
  const [network, other] = [await makeFullNetwork(app), await makeFullNetwork(app)];
  const full = await rowsOf(app.db, network.id, tables);
  expect(Object.entries(full).filter(([, rows]) => rows.length === 0)).toEqual([]);
  const kept = await rowsOf(app.db, other.id, tables);

  await moveNetworkTo(owner.db, network.id, "moved");
  await guardNetwork(owner.pool, network.id);
  const seen = new Set<string>();
  const removed = await removeNetwork(owner.pool, network.id, {
    onProgress: (table) => seen.add(table),
  });
  expect(removed.tables).toBe(tables.length);
  expect(seen.size).toBe(tables.length);
  expect(removed.rows).toBe(Object.values(full).flat().length);
  const left = await rowsOf(app.db, network.id, tables);
  expect(Object.values(left).flat()).toEqual([]);
  expect(await rowsOf(app.db, other.id, tables)).toEqual(kept);
  expect(await findMove(owner.db, network.id)).toBeNull();
  const steps = await sql<{ step: string }>`
    select step from network_move_steps where network_id = ${network.id} order by id`.execute(
    app.db,
  );
  expect(steps.rows.map(({ step }) => step)).toEqual([
    "copying",
    "paused",
    "moved",
    "removing",
    "removed",
  ]);
  await expect(removeNetwork(owner.pool, network.id)).rejects.toThrow(
    `There is no network ${network.id} here: it was removed before, or never was.`,
  );
});

test("a network that is served, or on its way, is not removed; one that arrives and is called off is", async () => {
  const { id } = await makeFullNetwork(app);
  const remove = () => removeNetwork(owner.pool, id);
  await expect(remove()).rejects.toThrow(`Network ${id} is served here`);
  await beginMove(owner.db, { networkId: id, direction: "out", peer: "east" });
  await expect(remove()).rejects.toThrow(
    `Network ${id} is copying, and can be removing only after it was moved or arriving.`,
  );
  await owner.pool.query("delete from network_moves");
  await beginMove(owner.db, { networkId: id, direction: "in", peer: "east" });
  await remove();
  expect(await app.db.selectFrom("networks").select("id").where("id", "=", id).execute()).toEqual(
    [],
  );
});

test("a removal that was killed is run again, and what is never deleted lets go of that network alone", async () => {
  const [network, other] = [await makeFullNetwork(app), await makeFullNetwork(app)];
  await moveNetworkTo(owner.db, network.id, "moved");
  const dying = removeNetwork(owner.pool, network.id, {
    onProgress: (table) => {
      if (table === "payments") throw new Error("killed");
    },
  });
  await expect(dying).rejects.toThrow("killed");
  expect(await findMove(owner.db, network.id)).toMatchObject({ state: "removing" });
  for (const table of ["ledger_entries", "debits", "credits", "plans"]) {
    const gone = owner.pool.query(`delete from ${table} where network_id = ${other.id}`);
    await expect(gone).rejects.toMatchObject({ code: "23001" });
    const marked = owner.pool.query(
      `begin; set local referral_network.moving_network = ${network.id};
      delete from ${table} where network_id = ${other.id}; commit`,
    );
    await expect(marked).rejects.toMatchObject({ code: "23001" });
    await owner.pool.query("rollback");
  }
  await removeNetwork(owner.pool, network.id);
  expect(await findMove(owner.db, network.id)).toBeNull();
});
