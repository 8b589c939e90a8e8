import { expect } from "vitest";
import { requestLink } from "#access/sign-in/contract.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

const test = appTest({ network: {} });

test("the time of a sign-in's answer does not reveal whether an account exists", async () => {
  const invited = `invited-${network.id}@example.test`;
  await givePassword(app.db, network.admin.userId);
  const colleague = await makeAdmin(app.db, network); // who has no password yet
  await app.db.updateTable("users").set({ email: invited }).where("id", "=", colleague).execute();
  const attempt = (email: string) => () =>
    aVisitor(app).send("POST", "/api/auth/sign-in/email", { email, password: "not the password" });
  const kinds = [network.admin.email, "nobody-at-all@example.test", invited].map(attempt);
  // Hashing takes by far the longest: an answer without it would come in a tenth of the time.
  expect(await maxRatio(kinds, 3)).toBeLessThan(3);
});

test("nor does the time of the answer to a forgotten password", async () => {
  await givePassword(app.db, network.admin.userId);
  const attempt = (email: string) => () => aVisitor(app).ask(requestLink, { body: { email } });
  const kinds = [network.admin.email, "nobody@example.test"].map(attempt);
  expect(await maxRatio(kinds, 2)).toBeLessThan(2);
});

/**
 * How many times longer the slowest kind of attempt takes than the quickest, by the shortest time of each.
 * The kinds take turns, with repeats while the machine is busy.
 */
async function maxRatio(kinds: (() => Promise<unknown>)[], enough: number): Promise<number> {
  const least = kinds.map(() => Infinity);
  for (let round = 1, ratio = Infinity; ; round += 1) {
    for (const [index, attempt] of kinds.entries()) {
      const begun = performance.now();
      await attempt();
      least[index] = Math.min(least[index] ?? Infinity, performance.now() - begun);
    }
    ratio = Math.max(...least) / Math.min(...least);
    if (round >= 3 && (ratio < enough || round === 20)) return ratio;
  }
}
