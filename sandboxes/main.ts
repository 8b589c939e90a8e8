import { parseArgs } from "node:util";
import { startSandboxes } from "./start.ts";

/*
 * Runs the sandboxes as a separate process:
 * node sandboxes/main.ts --port 3001 [--host 127.0.0.1] [--state FILE] [--seed N]
 */

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "3001" },
    host: { type: "string", default: "127.0.0.1" },
    state: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

const sandboxes = await startSandboxes({
  port: Number(values.port),
  host: values.host,
  stateFile: values.state,
  seed: Number(values.seed),
});
console.log(`Card sandboxes are ready at ${sandboxes.origin}`);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void sandboxes.close());
}
