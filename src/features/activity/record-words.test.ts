import { expect, test } from "vitest";
import { actionTitle } from "#features/activity/shapes.ts";

test("an action is said in the words of the field", () => {
  expect(actionTitle("captured card payment")).toBe("Received card payment");
  expect(actionTitle("marked deposit as banked")).toBe("Marked deposit as banked");
});
