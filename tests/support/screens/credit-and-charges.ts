import { pageTest } from "#tests/support/page-test.ts";

/* Credit and charges, as an administrator and Ada Byron see them; admin-dues.ts opens and reads her page. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const creditAndChargesTest = () =>
  pageTest({
    clock: "2026-11-30T17:00:00Z",
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
    lawyer: true,
    by: "admin",
  });
