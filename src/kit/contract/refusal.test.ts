import { describe, expect, test } from "vitest";
import { Refusal, refuseViolations, violatedConstraint } from "#kit/contract/refusal.ts";

const error = (message: string, fields: Record<string, string> = {}) =>
  Object.assign(new Error(message), fields);
const duplicate = (name: string) => `duplicate key value violates unique constraint "${name}"`;
const known = ["users_email_key", "attorneys_email", "attorneys_firm"] as const;

describe("which constraint was violated", () => {
  test.each([
    ["as PostgreSQL says it", error("…", { code: "23505", constraint: "users_email_key" })],
    ["on a shard", error("…", { code: "23505", constraint: "users_email_key_102008" })],
    ["without the field", error(duplicate("users_email_key"), { code: "23505" })],
    [
      "on a shard, without the field",
      error(duplicate("users_email_key_102008"), { code: "23505" }),
    ],
    ["in a pooler's words", error(`ERROR: ${duplicate("users_email_key")} (SQLSTATE 23505)`)],
    [
      "in a pooler's words, with the pooler's code",
      error(duplicate("users_email_key"), { code: "XX000" }),
    ],
    [
      "in another language",
      error("doppelter Schlüsselwert verletzt Unique-Constraint »users_email_key«", {
        code: "23505",
      }),
    ],
    [
      "for a foreign key",
      error(
        'insert or update on table "users_102008" violates foreign key constraint "users_email_key"',
      ),
    ],
  ])("is found %s", (_, problem) => {
    expect(violatedConstraint(problem, known)).toBe("users_email_key");
  });

  test.each([
    ["another constraint", error("…", { code: "23505", constraint: "users_pkey" })],
    ["one whose name only begins so", error(duplicate("users_email_key_old"), { code: "23505" })],
    ["one whose name contains it", error(duplicate("old_users_email_key"))],
    [
      "the field, which the message contradicts",
      error(duplicate("users_email_key"), { constraint: "b" }),
    ],
    [
      "an error that is not a violation",
      error('constraint "users_email_key" does not exist', { code: "42704" }),
    ],
    ["a value that is not an error", "users_email_key"],
  ])("is none of these for %s", (_, problem) => {
    expect(violatedConstraint(problem, known)).toBeUndefined();
  });

  test("prefers an exact name to one followed by a number", () => {
    const problem = error("…", { constraint: "some_key_123456" });
    expect(violatedConstraint(problem, ["some_key", "some_key_123456"])).toBe("some_key_123456");
  });
});

test("a violation becomes its refusal; anything else passes through", async () => {
  const refusals = { attorneys_email: () => new Refusal(409, "Taken.") };
  const failing = (name: string) =>
    refuseViolations(refusals, Promise.reject(error(duplicate(name), { code: "23505" })));
  await expect(failing("attorneys_email_102011")).rejects.toThrow("Taken.");
  await expect(failing("attorneys_pkey")).rejects.toThrow("duplicate key");
  expect(await refuseViolations(refusals, Promise.resolve(3))).toBe(3);
});
