/**
 * Add the entries that npm left out of package-lock.json: binaries for other platforms.
 *
 * npm drops an optional package that it could not fetch when it wrote the lock file, and then its own `npm ci`
 * refuses that file. Run this after `npm install` changed the lock file; it changes nothing else in it. The added
 * entries have no integrity, because it is not known for packages that were never fetched. With --check it only
 * says whether something is missing.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const missing = missingFrom(lock.packages);

if (process.argv.includes("--check")) {
  const names = missing.map(({ name }) => name).join(", ");
  if (names)
    console.error(`package-lock.json lacks ${names}: run "node scripts/complete-lockfile.mjs".`);
  process.exitCode = names ? 1 : 0;
} else {
  complete();
}

function complete() {
  for (const { parent, name, range } of missing) {
    if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(range))
      throw new Error(`${name}@${range} is not one version`);
    lock.packages[`node_modules/${name}`] = {
      version: range,
      ...platformIn(name),
      ...(lock.packages[parent].dev && { dev: true }),
      optional: true,
    };
  }
  const paths = Object.keys(lock.packages).toSorted((one, other) => one.localeCompare(other, "en"));
  lock.packages = Object.fromEntries(paths.map((path) => [path, lock.packages[path]]));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Optional dependencies without an entry in the lock file. */
function missingFrom(packages) {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(
        ([name]) => !folders(parent).some((folder) => `${folder}node_modules/${name}` in packages),
      )
      .map(([name, range]) => ({ parent, name, range })),
  );
}

/** Where Node looks for what `path` needs: in itself, then in each folder above. */
function folders(path) {
  const above = path.split("node_modules/").slice(0, -1).join("node_modules/");
  return path === "" ? [""] : [`${path}/`, ...folders(above.replace(/\/$/, ""))];
}

/** These packages end in their platform: `core-linux-arm64-musl`. */
function platformIn(name) {
  const found =
    /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x)(?:-(gnu|musl))?/.exec(
      name,
    );
  if (!found) throw new Error(`${name} does not name its platform`);
  const [, os, cpu, libc] = found;
  return {
    cpu: [cpu],
    ...(libc && { libc: [libc === "gnu" ? "glibc" : "musl"] }),
    os: [os],
  };
}
