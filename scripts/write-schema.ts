/** `npm run schema`: write src/kit/db/schema.ts from a new database made by migrations/. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "#kit/db/migrate.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { schemaTypes } from "./schema-types.ts";

const dataDir = mkdtempSync(join(tmpdir(), "referral-network-schema-"));
const database = await openEmbeddedDatabase({ dataDir, log: () => undefined });
try {
  await migrate(database.connectionString);
  const file = new URL("../src/kit/db/schema.ts", import.meta.url);
  writeFileSync(file, await schemaTypes(database.connectionString));
  console.error("Wrote src/kit/db/schema.ts.");
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
