import module from "node:module";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";

/*
 * The entry of `npm start`: settings that must precede the product's own modules, to keep its processes small and quick
 * to start. docs/performance.md has the figures.
 *
 * By default V8 lets the young heap grow to tens of megabytes on a large machine: a web process with 35 MB of objects
 * took 190 MB, and 300 MB under load. A request's garbage dies young if requests in flight fill only part of the young
 * heap: two megabytes, growing to eight under load (docs/decisions/045). Heap sizes cannot be set from within, so Node is
 * started with them (`config.serverFlags` in package.json).
 */
// So little is collected at a time that helper threads cost more than they save.
v8.setFlagsFromString("--no-parallel-scavenge");
// Loaded modules stay: a young heap grown for them would be wasted, and is not released.
v8.setFlagsFromString("--semi-space-growth-factor=1");

// Node's compiled sources, without types, are cached for the next start.
if (!process.env["NODE_COMPILE_CACHE"])
  module.enableCompileCache(
    fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)),
  );

const { printJsonOnly } = await import("#kit/ops/process-output.ts");
printJsonOnly(process.env);
await import("#main/server.ts");
module.flushCompileCache();
v8.setFlagsFromString("--semi-space-growth-factor=2");

// Loading leaves as much garbage as live objects; nobody waits for an answer yet.
v8.setFlagsFromString("--expose-gc");
vm.runInNewContext("gc")();
