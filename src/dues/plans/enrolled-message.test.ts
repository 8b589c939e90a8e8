import { expect, test } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { enrolledMessage } from "#dues/plans/enrolled-message.tsx";

const plan = { name: "Panel dues", amount: cents(5000) };

test.each([
  { debitsCreated: 0, words: "Panel dues: 1 attorney subscribed now." },
  {
    debitsCreated: 1,
    words: "Panel dues: 1 attorney subscribed now. 1 debit of $50.00 was created.",
  },
  {
    debitsCreated: 1200,
    words: "Panel dues: 1 attorney subscribed now. 1,200 debits of $50.00 were created.",
  },
])("says what $debitsCreated debits were billed", ({ debitsCreated, words }) => {
  const made = { subscribed: 1, debitsCreated, batchId: 7 };
  expect(enrolledMessage(plan, "1 attorney subscribed now", made)).toEqual({
    words,
    batch: { id: 7, planName: "Panel dues" },
  });
});

test("there is nothing to undo if no one was subscribed", () => {
  const made = { subscribed: 0, debitsCreated: 0, batchId: 7 };
  expect(enrolledMessage(plan, "0 attorneys subscribed now", made)).toEqual({
    words: "Panel dues: 0 attorneys subscribed now.",
  });
});
