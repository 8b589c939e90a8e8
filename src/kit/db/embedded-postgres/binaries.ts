import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Account } from "#kit/db/embedded-postgres/account.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The package's version, such as "18.4.0-beta.17". The part before the first dot is PostgreSQL's major version. */
  version: string;
}

/**
 * PostgreSQL's programs from the embedded-postgres package, where `account` can run them.
 *
 * If it cannot enter the project's folder (such as a clone under /root), a copy is made in a folder that everyone
 * can enter. Throws a StartupProblem if that is impossible too.
 */
export function binariesFor(account: Account): Binaries {
  const { folder, version } = installedPackage();
  restoreLinks(folder);
  const programs = (native: string): Binaries => ({
    initdb: join(native, "bin/initdb"),
    postgres: join(native, "bin/postgres"),
    version,
  });
  const installed = programs(join(folder, "native"));
  const problem = whyNotRunnable(installed, account);
  if (problem === null) return installed;
  if (account === null) throw new StartupProblem(`PostgreSQL cannot be run here: ${problem}.`);
  for (const cacheFolder of cacheFolders()) {
    const copy = copyInto(cacheFolder, join(folder, "native"), version);
    if (copy && whyNotRunnable(programs(copy), account) === null) return programs(copy);
  }
  throw new StartupProblem(
    `PostgreSQL does not run as root, and the user ${account.name} cannot enter ${folder}. Start this as an ordinary user, or move the project to a folder that everyone can enter, such as /opt.`,
  );
}

function installedPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The binaries are a dependency of embedded-postgres, so they are resolved from there.
    const require = createRequire(import.meta.url);
    const from = createRequire(require.resolve("embedded-postgres"));
    const folder = dirname(dirname(from.resolve(name)));
    const description: { version: string } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    return { folder, version: description.version };
  } catch (error) {
    throw new StartupProblem(
      `No embedded PostgreSQL is installed for ${process.platform}-${process.arch}: run "npm ci", or set DATABASE_URL to your own PostgreSQL.`,
      { cause: error },
    );
  }
}

/** npm packages cannot contain symbolic links. The package's install script creates them, unless scripts were off. */
function restoreLinks(folder: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    if (existsSync(join(folder, target))) continue;
    try {
      symlinkSync(basename(source), join(folder, target));
    } catch (error) {
      if (existsSync(join(folder, target))) continue; // another process was faster
      throw new StartupProblem(
        `PostgreSQL's libraries in ${folder} are incomplete and cannot be completed: run "npm ci" as the owner of that folder.`,
        { cause: error },
      );
    }
  }
}

function whyNotRunnable({ postgres }: Binaries, account: Account): string | null {
  const { error, status, stderr } = spawnSync(postgres, ["--version"], {
    ...(account && { uid: account.uid, gid: account.gid }),
    env: {},
    encoding: "utf8",
    timeout: 20_000,
  });
  if (error) return error.message;
  return status === 0 ? null : stderr.trim() || `it ended with code ${status}`;
}

function cacheFolders(): string[] {
  return ["/var/cache", "/var/lib", "/opt", "/var/tmp", tmpdir()].map((parent) =>
    join(parent, "referral-network"),
  );
}

/** Answers the path of the copy, or null if the folder cannot hold one or someone else could have put it there. */
function copyInto(cacheFolder: string, native: string, version: string): string | null {
  const wanted = join(cacheFolder, `postgres-${version}`);
  try {
    mkdirSync(cacheFolder, { recursive: true, mode: 0o755 });
    if (!isWritableByUsAlone(cacheFolder)) return null;
    if (existsSync(wanted)) return wanted;
    const unfinished = `${wanted}.${process.pid}.tmp`;
    // Static libraries are only for compiling. Links stay relative, so that they lead into the copy.
    cpSync(native, unfinished, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a"),
    });
    makeReadableByAll(unfinished);
    try {
      renameSync(unfinished, wanted);
    } catch {
      rmSync(unfinished, { recursive: true, force: true }); // another process was faster
    }
    return existsSync(wanted) ? wanted : null;
  } catch {
    return null; // read-only or full: try the next folder; the caller reports if none works
  }
}

function isWritableByUsAlone(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return uid === process.getuid?.() && (mode & 0o022) === 0 && lstatSync(folder).isDirectory();
}

/** Everyone may read and enter, whatever the umask was. */
function makeReadableByAll(path: string): void {
  const { mode } = lstatSync(path);
  if (lstatSync(path).isSymbolicLink()) return;
  chmodSync(
    path,
    mode | (lstatSync(path).isDirectory() ? 0o755 : 0o444 | (((mode & 0o100) / 64) * 0o111)),
  );
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) makeReadableByAll(join(path, name));
  }
}
