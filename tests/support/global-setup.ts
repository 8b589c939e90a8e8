import { statfsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { chromiumInWords } from "#tests/support/chosen-chromium.ts";
import type { RunDatabase } from "#tests/support/run-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which `testDatabases()` asks for the run's PostgreSQL. */
    testDatabasesUrl: string;
    /**
     * A folder for temporary files that programs are started from, or that are hard-linked to the project's.
     */
    diskFolder: string;
  }
}

/**
 * One PostgreSQL for the whole run, started when the first test asks for a database, so that tests of rules
 * do not wait for it. It is removed when the run ends, in any way.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  console.log(`Browser: ${chromiumInWords()}`);
  project.provide("diskFolder", tmpdir());
  if (hasPlentyOfMemory()) process.env["TMPDIR"] = memoryFolder; // for the workers, too
  let database: Promise<RunDatabase> | undefined;
  const open = async () => {
    const { openRunDatabase } = await import("#tests/support/run-database.ts");
    return await openRunDatabase();
  };
  const server = createServer((_, answer) => {
    database ??= open();
    database.then(
      ({ connectionString, servingConnectionString, template }) =>
        answer.end(JSON.stringify({ connectionString, servingConnectionString, template })),
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

const memoryFolder = "/dev/shm";

/**
 * True if temporary files, most of them of databases, fit in memory: on a disk, creating and dropping 170
 * databases takes the file system longer than PostgreSQL.
 */
function hasPlentyOfMemory(): boolean {
  const needed = 8e9; // several times what a run stores there at most
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return !process.env["TMPDIR"] && bavail * bsize > needed && process.availableMemory() > needed;
  } catch {
    return false; // other systems have no such folder
  }
}
