import { expect } from "vitest";
import { requestLink } from "#access/sign-in/contract.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

const test = appTest({ network: {} });

test("whether an account exists is not told by how long the answer to a sign-in takes", async () => {
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

test("nor by how long the answer to a forgotten password takes", async () => {
  await givePassword(app.db, network.admin.userId);
  const attempt = (email: string) => () => aVisitor(app).ask(requestLink, { body: { email } });
  const kinds = [network.admin.email, "nobody@example.test"].map(attempt);
  expect(await maxRatio(kinds, 2)).toBeLessThan(2);
});

/**
 * By how many times the slowest kind of attempt takes longer than the quickest, going by the least
 * time of each; the kinds by turns, and again while the machine has others to see to.
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
