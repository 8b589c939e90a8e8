import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root, run } from "./child.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { Problem } from "./problem.mjs";

const built = join(root, "dist/web");
const stamp = join(built, ".built-from");

/** Build the web app into dist/web unless what is there was built from the very same sources. */
export async function ensureBuilt(node) {
  if (isFresh()) return;
  await oneAtATime("build", async (lock) => {
    if (!isFresh()) await build(node, lock);
  });
}

function isFresh() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint();
}

/** Built aside and moved into place whole, so that a running server never serves half a build. */
async function build(node, lock) {
  console.error("Building the web app.");
  const sources = fingerprint(); // before the build: a file changed meanwhile makes it stale again
  for (const name of existsSync(join(root, "dist")) ? readdirSync(join(root, "dist")) : []) {
    if (/^web\.(new|old)-/.test(name))
      rmSync(join(root, "dist", name), { recursive: true, force: true });
  }
  const [fresh, old] = [`${built}.new-${process.pid}`, `${built}.old-${process.pid}`];
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [
    vite,
    "build",
    "--configLoader",
    "native",
    "--outDir",
    fresh,
    "--emptyOutDir",
    "--logLevel",
    "warn",
  ];
  const code = await run(node, args, {
    quiet: true,
    lock,
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (code !== 0)
    throw new Problem(`The web app could not be built (vite build ended with ${code}).`, code);
  writeFileSync(join(fresh, ".built-from"), sources);
  if (existsSync(built)) renameSync(built, old);
  renameSync(fresh, built);
  rmSync(old, { recursive: true, force: true });
}

/** Of everything that can end up in the browser; what runs on the server alone is left out. */
function fingerprint() {
  const hash = createHash("sha256");
  const settings = ["package-lock.json", "vite.config.ts", "tsconfig.json", "index.html"];
  const sources = filesIn(join(root, "src")).filter(
    (file) => !/\/src\/server\/|\.test\.tsx?$/.test(file),
  );
  for (const file of [
    ...settings.map((name) => join(root, name)),
    ...sources,
    ...filesIn(join(root, "public")),
  ]) {
    if (existsSync(file))
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update("\0");
  }
  return hash.digest("hex");
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}
