import { expect } from "vitest";
import { chooseNetwork, chooseNetworks } from "#kit/cli/chosen-networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest();

test("a command that needs a network says how to create one", async () => {
  await expect(chooseNetwork(db, undefined)).rejects.toThrow("Create one with create-network");
  expect(await chooseNetworks(db, undefined)).toEqual([]);
});

test("a network is chosen by id or name; by default the first one or all", async () => {
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

test("a name that several networks have is refused: an id is needed", async () => {
  const one = await makeNetwork(db, { name: "Twin" });
  const other = await makeNetwork(db, { name: "Twin" });
  const sentence = `Several networks are called "Twin". Choose one by its id (${one.id}, ${other.id}).`;
  await expect(chooseNetworks(db, "Twin")).rejects.toThrow(sentence);
});
