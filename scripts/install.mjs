import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { root, run } from "./child.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { Problem } from "./problem.mjs";

const modules = join(root, "node_modules");

/** Make node_modules match package-lock.json, and answer the path of the project's own Node. */
export async function ensureInstalled() {
  if (isInstalled() && ownNode()) return ownNode();
  return await oneAtATime("install", async (lock) => {
    if (!isInstalled()) await install(lock);
    if (!ownNode()) await fetchOwnNode(lock);
    return ownNode() ?? machineNodeInstead();
  });
}

/**
 * Whether every package that package-lock.json wants on this platform is installed in that version.
 *
 * npm writes its own list into node_modules last, so an interrupted installation has none.
 */
function isInstalled() {
  const listed = packagesIn(join(modules, ".package-lock.json"));
  if (!listed) return false;
  const wanted = Object.entries(packagesIn(join(root, "package-lock.json"))).filter(
    ([path]) => path !== "",
  );
  return wanted.every(([path, entry]) => {
    if (!listed[path]) return entry.optional && !isMeantForThisMachine(entry);
    return listed[path].version === entry.version && existsSync(join(root, path, "package.json"));
  });
}

function packagesIn(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, "utf8")).packages;
  } catch {
    return null; // missing, or cut off when its writer was killed
  }
}

/**
 * Optional packages name their platform. Those for another platform may be missing, and so may those that also name
 * a C library, since checking that needs to run a program.
 */
function isMeantForThisMachine({ os, cpu, libc }) {
  return !libc && os?.includes(process.platform) && cpu?.includes(process.arch);
}

async function install(lock) {
  console.error("Installing packages. The first time takes about a minute.");
  const { node, npm, env } = machineNpm();
  // --include=dev: the same packages whatever NODE_ENV or the user's npm settings are.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run(node, [npm, ...args], { env, quiet: true, lock });
  if (code !== 0)
    throw new Problem(`The packages could not be installed (npm ci ended with ${code}).`, code);
  if (!isInstalled())
    throw new Problem("The packages are incomplete after npm ci. Run npm ci by hand.");
}

/** The package "node" downloads its binary in an install script, which npm may be set not to run. */
async function fetchOwnNode(lock) {
  console.error("Fetching the project's own Node.");
  const { node, env } = machineNpm();
  const code = await run(node, ["installArchSpecificPackage.js"], {
    cwd: join(modules, "node"),
    env,
    quiet: true,
    lock,
  });
  if (code >= 128) throw new Problem("Interrupted.", code);
}

function ownNode() {
  const binary = `node-${process.platform}-${process.arch}/bin/node`;
  const places = ["node/bin/node", `node/node_modules/${binary}`, binary];
  return places.map((place) => join(modules, place)).find((path) => existsSync(path));
}

function machineNodeInstead() {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= 24) return process.execPath;
  throw new Problem(
    'The Node of the package "node" is missing. Run "npm rebuild node", or use Node 24.',
  );
}

/** The machine's own node and npm, which are not affected while node_modules is replaced. */
function machineNpm() {
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  const find = (name) => path.map((folder) => join(folder, name)).find((file) => existsSync(file));
  const node = process.env["npm_node_execpath"] ?? find("node") ?? process.execPath;
  const npm = [process.env["npm_execpath"], find("npm")]
    .map((file) => file && existsSync(file) && realpathSync(file))
    .find((file) => file && basename(file) === "npm-cli.js");
  if (!npm) throw new Problem("npm is needed to install the packages, and it is not on the PATH.");
  return { npm, node, env: { ...process.env, PATH: [dirname(node), ...path].join(delimiter) } };
}
