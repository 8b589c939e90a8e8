import { expect } from "vitest";
import { page, pageTest } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* Credit and charges, as an administrator and Ada Byron have them; her page is opened and read by admin-dues.ts. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const creditAndChargesTest = () =>
  pageTest({
    clock: "2026-11-30T17:00:00Z",
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
    lawyer: true,
    by: "admin",
  });

/** Nothing keeps people out of the screen, or of the dialog that is open, on a phone either. */
export async function expectNoBarriers(): Promise<void> {
  expect(await overflowOnPhone(page)).toBe(0);
  expect(await barriersOf(page)).toEqual([]);
}
