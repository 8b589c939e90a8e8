import { parseArgs } from "node:util";
import { startSandboxes } from "./start.ts";

/*
 * The sandboxes as a process of their own:
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
  port: wholeNumber("port"),
  host: values.host,
  stateFile: values.state,
  seed: wholeNumber("seed"),
});
console.log(`Card sandboxes are ready at ${sandboxes.origin}`);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void sandboxes.close());
}

function wholeNumber(name: "port" | "seed"): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0) {
    throw new RangeError(`--${name} must be a whole number from 0.`);
  }
  return number;
}
