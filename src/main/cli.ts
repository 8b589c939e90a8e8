import { runCommandLine } from "#main/command-line.ts";

/* `npm run cli -- COMMAND`: operators' commands, also beside a running server. */

process.exitCode = await runCommandLine(process.argv.slice(2), process);
