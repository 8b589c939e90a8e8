import { expect } from "vitest";
import { maxFileRows } from "#kit/contract/file.ts";
import { attorneyImports } from "#people/contract.ts";
import { admin, appTest } from "#tests/support/app-test.ts";

/* Files that take long to read. uploads.test.ts covers too many bad rows. */

const test = appTest({ network: {} });

test("reading stops at an upload with too many rows", async () => {
  const rows = Array.from({ length: maxFileRows + 1 }, (_, number) => `A,B,${number}@c.de`);
  const body = ["First name,Last name,E-mail", ...rows].join("\n");
  const query = { file_name: "panel.csv" };
  expect(await admin.ask(attorneyImports.preview, { query, body })).toMatchObject({
    status: 422,
    message: "The file has more than 200,000 rows. Split it into several files.",
  });
});
