import { expect, test } from "vitest";
import { recordAddress } from "#office/activity/record-words.tsx";
import { actionAfterName, actionTitle } from "#office/activity/shapes.ts";

test("an action is shown in the field's words", () => {
  expect(actionTitle("captured card payment")).toBe("Received card payment");
  // "Dana Cole recorded as a chargeback won Card payment of $50.00"
  expect(actionAfterName("chargeback reversed")).toBe("recorded as a chargeback won");
  expect(actionTitle("marked deposit as banked")).toBe("Marked deposit as banked");
});

test("a card payment is shown on its own page, a check's payment on its attorney's", () => {
  const payment = { recordType: "payment", recordId: 9, attorneyId: 4 };
  expect(recordAddress({ ...payment, recordName: "Card payment of $50.00" })).toBe(
    "/admin/card-payments/9",
  );
  expect(recordAddress({ ...payment, recordName: "Check 1020 of $50.00" })).toBe(
    "/admin/attorneys/4",
  );
});
