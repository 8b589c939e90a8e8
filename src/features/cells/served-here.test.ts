import { expect } from "vitest";
import { showSession } from "#features/auth/contract.ts";
import { guardNetwork, unguardNetwork } from "#features/cells/guard.ts";
import { endMove, type MoveState, setMoveState } from "#features/cells/network-moves.ts";
import { chooseNetwork } from "#features/networks/chosen-networks.ts";
import { writeSeen } from "#http/session.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aProgram } from "#tests/support/program.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

const test = cellTest({ rateLimits: true, network: {} });

async function begin(state: MoveState): Promise<void> {
  await moveNetworkTo(owner.db, network.id, state);
  await guardNetwork(owner.pool, network.id);
}

/** The status, what is said and after how many seconds to try again. */
async function answered(visitor: Visitor, method: "GET" | "POST", url: string, body?: object) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "x-csrf-token": visitor.csrf };
  const answer = await app.server.inject({ method, url, headers, payload: body });
  return [answer.statusCode, answer.headers["retry-after"], answer.json().message];
}

const moving = [
  503,
  "5",
  "Your network is being moved to another server. Nothing was changed; try again in a few seconds.",
];
const elsewhere = [
  503,
  "5",
  "Your network is served by another server, or is about to be. Try again in a few seconds.",
];

test("who is signed in reads while the network is paused, and is sent elsewhere once it was moved", async () => {
  await begin("paused");
  expect((await admin.call(showSession)).user).not.toBeNull();
  await setMoveState(owner.db, network.id, "moved");
  expect(await answered(admin, "GET", "/session")).toEqual(elsewhere);
  await setMoveState(owner.db, network.id, "removing");
  expect(await answered(admin, "GET", "/session")).toEqual(elsewhere);
});

test("where networks move, commands want one named, and refuse one that another database serves", async () => {
  const named = String(network.id);
  const choose = () => chooseNetwork(owner.db, named);
  await moveNetworkTo(owner.db, network.id, "paused");
  await expect(chooseNetwork(owner.db, undefined)).rejects.toThrow(
    "Networks have moved from or to this database: say with --network which one is meant.",
  );
  expect(await choose()).toMatchObject({ id: network.id });
  await setMoveState(owner.db, network.id, "moved");
  await expect(choose()).rejects.toThrow("was moved to another database (east): run this there.");
  await setMoveState(owner.db, network.id, "removing");
  await expect(choose()).rejects.toThrow("is being removed from this database.");
  await expect(chooseNetwork(owner.db, undefined)).rejects.toThrow("say with --network");
});

test("a network that is only arriving is not served before it is", async () => {
  const program = await aProgram(app, network);
  await begin("arriving");
  expect(await answered(admin, "GET", "/session")).toEqual(elsewhere);
  const headers = { authorization: `Bearer ${program.token}` };
  expect((await app.server.inject({ url: "/attorneys", headers })).statusCode).toBe(503);
  await unguardNetwork(owner.pool, network.id);
  await endMove(owner.db, network.id);
  expect((await admin.call(showSession)).user).not.toBeNull();
});

test("signing in is put off while the network is paused: the right password counts as no failure, and a wrong one as ever", async () => {
  await givePassword(app.db, network.admin.userId);
  const { email } = network.admin;
  const signIn = (password: string) =>
    answered(aVisitor(app), "POST", "/api/auth/sign-in/email", { email, password });
  await begin("paused");
  for (let time = 0; time < 12; time += 1) expect(await signIn(testPassword)).toEqual(moving);
  expect((await signIn("not the password"))[0]).toBe(401);
  await unguardNetwork(owner.pool, network.id);
  await endMove(owner.db, network.id);
  expect((await signIn(testPassword))[0]).toBe(200);
});

test("that a session was seen is noted of other networks' as ever", async () => {
  const { rows } = await owner.pool.query<{ id: number }>(
    "update sessions set last_seen_at = now() - interval '1 hour' where network_id = $1 returning id",
    [network.id],
  );
  await begin("paused");
  await writeSeen(
    app.db,
    rows.map(({ id }) => id),
  );
  const seen = await owner.pool.query(
    "select from sessions where network_id = $1 and last_seen_at > now() - interval '1 minute'",
    [network.id],
  );
  expect(seen.rows).toEqual([]);
});
