import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { RunDatabase } from "#tests/support/run-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where `testDatabases()` asks for the run's PostgreSQL. */
    testDatabasesUrl: string;
  }
}

/**
 * One PostgreSQL for the whole run, started when the first test asks for a database, so that tests of
 * rules wait for none; it is gone when the run ends, however it went.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let database: Promise<RunDatabase> | undefined;
  const open = async () => {
    const { openRunDatabase } = await import("#tests/support/run-database.ts");
    return await openRunDatabase();
  };
  const server = createServer((_, answer) => {
    database ??= open();
    database.then(
      ({ connectionString, template }) =>
        answer.end(JSON.stringify({ connectionString, template })),
      (problem: unknown) => answer.writeHead(500).end(String(problem)),
    );
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  project.provide("testDatabasesUrl", `http://127.0.0.1:${port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await (await database?.catch(() => null))?.close();
  };
}
