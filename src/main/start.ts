import module from "node:module";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";

/*
 * Where `npm start` begins: what must be set before the product's own modules are loaded, to keep
 * its processes small and quick to start. docs/performance.md has the figures.
 *
 * Left alone, V8 lets the young part of its heap grow to tens of megabytes on a large machine, since
 * it has them: a web process with 35 MB of objects took 190 MB, and 300 MB under load. What a request
 * leaves behind dies young if the requests in flight fill but a part of the young heap: two megabytes
 * grow to eight under load (docs/decisions/045). How large the parts of the heap are cannot be said
 * from within: Node is started with it (`config.serverFlags` in package.json).
 */
// So little is collected at a time that helping threads cost more than they take over.
v8.setFlagsFromString("--no-parallel-scavenge");
// What is loaded stays: a young heap that grew for it would be of use to nobody, and is not given back.
v8.setFlagsFromString("--semi-space-growth-factor=1");

// What Node makes of the sources, types taken out and compiled, is kept for the next start.
if (!process.env["NODE_COMPILE_CACHE"])
  module.enableCompileCache(
    fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)),
  );

const { printJsonOnly } = await import("#kit/ops/process-output.ts");
printJsonOnly(process.env);
await import("#main/server.ts");
module.flushCompileCache();
v8.setFlagsFromString("--semi-space-growth-factor=2");

// Loading leaves as much garbage as the product keeps; nobody waits for an answer yet.
v8.setFlagsFromString("--expose-gc");
vm.runInNewContext("gc")();
