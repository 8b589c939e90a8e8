import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { root, run } from "./child.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { Problem } from "./problem.mjs";

/** What is built: a folder of dist/ for each part, with its sources and its configuration. */
const parts = [
  {
    name: "web",
    says: "Building the web app.",
    config: "vite.config.ts",
    isSource: (file) => !/\/src\/server\//.test(file),
  },
  {
    name: "server",
    says: "Building the server.",
    config: "vite.server.config.ts",
    isSource: (file) => !/\.(tsx|css)$/.test(file),
  },
];

/** Build the web app and the server into dist/ unless they were built from exactly these sources. */
export async function ensureBuilt(node) {
  if (parts.every(isFresh)) return;
  await oneAtATime("build", async (lock) => {
    for (const part of parts) if (!isFresh(part)) await build(part, node, lock);
  });
}

const folderOf = ({ name }) => join(root, "dist", name);

function isFresh(part) {
  const stamp = join(folderOf(part), ".built-from");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint(part);
}

/** Built separately and moved into place as a whole, so that half a build is never served or started. */
async function build(part, node, lock) {
  console.error(part.says);
  const sources = fingerprint(part); // before the build, so that a file changed during it makes it stale
  const built = folderOf(part);
  removeLeftovers(part);
  const [fresh, old] = [`${built}.new-${process.pid}`, `${built}.old-${process.pid}`];
  const args = [
    join(root, "node_modules/vite/bin/vite.js"),
    "build",
    "--config",
    join(root, part.config),
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
    throw new Problem(`The ${part.name} could not be built (vite build ended with ${code}).`, code);
  keepLastParts(built, fresh);
  writeFileSync(join(fresh, ".built-from"), sources);
  if (existsSync(built)) renameSync(built, old);
  renameSync(fresh, built);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Servers and pages that run the last build load some of its parts later. Their names depend on their content, so
 * they stay beside the new ones until the next build.
 */
function keepLastParts(built, fresh) {
  const list = join(built, ".parts");
  const last = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
  const own = filesIn(fresh)
    .map((file) => relative(fresh, file))
    .filter((name) => /-[\w-]{8}\.(js|css)(\.br|\.gz)?$/.test(name));
  for (const name of last)
    if (!own.includes(name) && existsSync(join(built, name)))
      copyFileSync(join(built, name), join(fresh, name));
  writeFileSync(join(fresh, ".parts"), own.join("\n"));
}

/** Remove what killed builds have left. */
function removeLeftovers({ name }) {
  const dist = join(root, "dist");
  for (const found of existsSync(dist) ? readdirSync(dist) : []) {
    if (new RegExp(`^${name}\\.(new|old)-`).test(found))
      rmSync(join(dist, found), { recursive: true, force: true });
  }
}

/** A hash of everything that can end up in the build. */
function fingerprint({ config, isSource }) {
  const hash = createHash("sha256");
  const settings = ["package-lock.json", "package.json", "tsconfig.json", config];
  const sources = filesIn(join(root, "src")).filter(
    (file) => isSource(file) && !/\.test\.tsx?$/.test(file),
  );
  for (const file of [...settings.map((name) => join(root, name)), ...sources]) {
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
