import { expect } from "vitest";
import { chooseNetwork, chooseNetworks } from "#kit/cli/chosen-networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest();

test("without any network a command that needs one says how to make it", async () => {
  await expect(chooseNetwork(db, undefined)).rejects.toThrow("make one with create-network");
  expect(await chooseNetworks(db, undefined)).toEqual([]);
});

test("a network is chosen by id or by name; unnamed, the first one or all", async () => {
  const harbor = await makeNetwork(db, { name: "Harbor County" });
  const lakeside = await makeNetwork(db, { name: "Lakeside" });
  expect(await chooseNetwork(db, undefined)).toMatchObject({ id: harbor.id });
  expect(await chooseNetwork(db, String(lakeside.id))).toMatchObject({ name: "Lakeside" });
  for (const named of ["LAKESIDE", "Lákeside"])
    expect(await chooseNetwork(db, named)).toMatchObject({ id: lakeside.id });
  expect(await chooseNetworks(db, "harbor county")).toMatchObject([{ id: harbor.id }]);
  expect(await chooseNetworks(db, undefined)).toHaveLength(2);
  await expect(chooseNetwork(db, "Lake")).rejects.toThrow(
    `There is no network "Lake". Known networks: ${harbor.id} Harbor County; ${lakeside.id} Lakeside.`,
  );
});

test("a name that several networks have must give way to an id", async () => {
  const one = await makeNetwork(db, { name: "Twin" });
  const other = await makeNetwork(db, { name: "Twin" });
  const sentence = `Several networks are called "Twin": name one by its id (${one.id}, ${other.id}).`;
  await expect(chooseNetworks(db, "Twin")).rejects.toThrow(sentence);
});
