import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, DatabaseError } from "pg";
import { prepareDataDir } from "#server/data-dir.ts";
import { lock, tryLock } from "#server/file-lock.ts";
import { accountFor, giveTo } from "#server/postgres-account.ts";
import type { Account } from "#server/postgres-account.ts";
import { binariesFor } from "#server/postgres-binaries.ts";
import type { Binaries } from "#server/postgres-binaries.ts";
import {
  cleanEnvironment,
  nameOfFolder,
  settled,
  startPostgres,
  stopPostgres,
} from "#server/postgres-process.ts";
import type { RunningPostgres } from "#server/postgres-process.ts";
import { StartupProblem } from "#server/startup-problem.ts";

export interface EmbeddedDatabase {
  /** Of the product's own role: owner of its database, may make databases, no superuser. */
  connectionString: string;
  /** False when it was already running, for a server or another command. */
  startedHere: boolean;
  /** Give it up. Whoever gives it up last stops it, so a command may outlive the server and the other way round. */
  stop(): Promise<void>;
}

const name = "referral_network"; // of the role and of its database
const turnTimeoutMs = 6 * 60_000; // longer than the slowest start that another process may be busy with

/** For a machine of 2 cores; a caller's own settings are laid over them. */
const defaultSettings = {
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  client_connection_check_interval: "5s", // queries of a killed server end soon and give up their locks
};

/**
 * Open the PostgreSQL that lives in `dataDir`/postgres: made if missing, started unless it runs, joined if it does.
 *
 * Any number of processes may have it open at once; each holds a lock that the kernel gives up at its death.
 * `settings` are PostgreSQL's own (`{ fsync: "off" }`), obeyed only when nobody else has it open.
 * `log` is told of what takes time. Throws StartupProblem.
 */
export async function openEmbeddedDatabase(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
}): Promise<EmbeddedDatabase> {
  const dataDir = prepareDataDir(options.dataDir);
  const paths = pathsIn(dataDir);
  const endTurn = await takeTurn(dataDir);
  try {
    const closeAlone = tryLock(paths.users, "exclusive");
    const alone = closeAlone !== null;
    closeAlone?.();
    const leave = tryLock(paths.users, "shared");
    if (!leave) throw new Error("only a process whose turn it is takes this lock alone");
    try {
      const { port, startedHere } = await ensureRunning({ ...options, dataDir, alone });
      return {
        connectionString: address(name, port, name, passwordIn(dataDir)),
        startedHere,
        stop: () => giveUp(dataDir, leave),
      };
    } catch (error) {
      leave();
      throw error;
    }
  } finally {
    endTurn();
  }
}

// One import for main.ts and the tests; see data-dir.ts.
export { claimDataDir } from "#server/data-dir.ts";

function pathsIn(dataDir: string) {
  return {
    folder: join(dataDir, "postgres"),
    unfinished: join(dataDir, "postgres.new"),
    log: join(dataDir, "postgres.log"),
    password: join(dataDir, "database-password"),
    /** Held alone while starting or stopping. */
    turn: join(dataDir, "database.lock"),
    /** Held shared by everyone who has the database open. */
    users: join(dataDir, "database-users.lock"),
  };
}

async function takeTurn(dataDir: string): Promise<() => void> {
  const endTurn = await lock(pathsIn(dataDir).turn, "exclusive", turnTimeoutMs);
  if (endTurn) return endTurn;
  throw new StartupProblem(
    `Another process has been starting or stopping the database in ${dataDir} for six minutes: look at postgres.log there.`,
  );
}

async function giveUp(dataDir: string, leave: () => void): Promise<void> {
  const { folder, users } = pathsIn(dataDir);
  const endTurn = await takeTurn(dataDir);
  try {
    leave();
    const closeAlone = tryLock(users, "exclusive");
    if (!closeAlone) return;
    try {
      const running = existsSync(folder) ? await settled(folder) : null;
      if (running) await stopPostgres(folder, running);
    } finally {
      closeAlone();
    }
  } finally {
    endTurn();
  }
}

async function ensureRunning(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
  alone: boolean;
}): Promise<{ port: number; startedHere: boolean }> {
  const { dataDir, log, alone } = options;
  const paths = pathsIn(dataDir);
  rmSync(paths.unfinished, { recursive: true, force: true });
  const account = accountFor(existsSync(paths.folder) ? paths.folder : dataDir);
  const fresh = !existsSync(paths.folder);
  if (!fresh) giveTo(account, paths.folder);
  const running = fresh ? null : await settled(paths.folder);
  const binaries = binariesFor(account);
  const settings: Record<string, string> = { ...defaultSettings, ...options.settings };
  const launch = createHash("sha256")
    .update(JSON.stringify([binaries.version, settings]))
    .digest("hex");
  if (running && (!alone || (await launchOf(running, dataDir)) === launch)) {
    return { port: running.port, startedHere: false };
  }
  if (running) await stopPostgres(paths.folder, running); // left behind by a version with other settings
  if (fresh) {
    log("Making the database.");
    initialise(dataDir, account, binaries, settings["fsync"] === "off");
  }
  refuseOtherVersion(paths.folder, binaries);
  const started = await startPostgres({
    postgres: binaries.postgres,
    folder: paths.folder,
    account,
    settings: { ...settings, "referral_network.launch": launch },
    logFile: paths.log,
  });
  await provide(started, dataDir);
  return { port: started.port, startedHere: true };
}

/** Made aside and renamed when complete, so that an interrupted first start leaves nothing half made. */
function initialise(
  dataDir: string,
  account: Account,
  { initdb }: Binaries,
  unsynced: boolean,
): void {
  const paths = pathsIn(dataDir);
  if (!existsSync(paths.password)) {
    writeFileSync(paths.password, randomBytes(24).toString("base64url"), {
      mode: 0o600,
      flag: "wx",
    });
  }
  mkdirSync(paths.unfinished, { mode: 0o700 });
  const passwordForInitdb = `${paths.unfinished}.password`;
  rmSync(passwordForInitdb, { force: true });
  writeFileSync(passwordForInitdb, passwordIn(dataDir), { mode: 0o600, flag: "wx" });
  if (account) {
    for (const path of [paths.unfinished, passwordForInitdb])
      chownSync(path, account.uid, account.gid);
  }
  const password = openSync(passwordForInitdb, "r");
  try {
    const named = nameOfFolder(paths.unfinished, account);
    const flags = ["-D", named, "--username=postgres", "--auth=scram-sha-256", "--no-instructions"];
    // Unicode's rules for upper and lower case, sorting by code point, the same on every machine.
    flags.push("--encoding=UTF8", "--locale=C");
    flags.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
    flags.push(`--pwfile=${named === paths.unfinished ? passwordForInitdb : "/proc/self/fd/3"}`);
    if (unsynced) flags.push("--no-sync");
    const result = spawnSync(initdb, flags, {
      cwd: paths.unfinished,
      ...(account && { uid: account.uid, gid: account.gid }),
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe", password],
      encoding: "utf8",
    });
    if (result.status !== 0) throw new StartupProblem(initdbProblem(result.error, result.stderr));
  } finally {
    closeSync(password);
    rmSync(passwordForInitdb, { force: true });
  }
  renameSync(paths.unfinished, paths.folder);
}

function initdbProblem(error: Error | undefined, printed: string | null): string {
  const lines = (printed ?? "").split("\n");
  const line =
    lines.find((text) => /(error|FATAL|PANIC):/.test(text)) ?? lines.find((text) => text !== "");
  const reason =
    error?.message ?? line?.replace(/^.*?(error|FATAL|PANIC):\s*/, "") ?? "initdb gave no reason";
  return `The database could not be made: ${reason.replace(/\.$/, "")}.`;
}

function refuseOtherVersion(folder: string, { version }: Binaries): void {
  const [ours] = version.split(".");
  const theirs = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  if (theirs === ours) return;
  throw new StartupProblem(
    `The database in ${folder} was made by PostgreSQL ${theirs} and this version brings PostgreSQL ${ours}: start the version that made it, or move its data with pg_dump.`,
  );
}

/** The role and the database of the product, made once; whole again after an interrupted first start. */
async function provide(running: RunningPostgres, dataDir: string): Promise<void> {
  const password = passwordIn(dataDir);
  const client = await connect(address("postgres", running.port, "postgres", password), dataDir);
  try {
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) {
      await client.query(
        `create role ${name} login createdb password ${client.escapeLiteral(password)}`,
      );
    }
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) await client.query(`create database ${name} owner ${name}`);
  } finally {
    await client.end();
  }
}

/** Which version and settings the running database was started with. */
async function launchOf(running: RunningPostgres, dataDir: string): Promise<string | null> {
  const client = await connect(
    address("postgres", running.port, "postgres", passwordIn(dataDir)),
    dataDir,
  );
  try {
    const { rows } = await client.query<{ launch: string | null }>(
      "select current_setting('referral_network.launch', true) as launch",
    );
    return rows[0]?.launch ?? null;
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string, dataDir: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 20_000 });
  try {
    await client.connect();
    return client;
  } catch (error) {
    const wrongPassword = error instanceof DatabaseError && error.code === "28P01";
    if (!wrongPassword) throw error;
    throw new StartupProblem(
      `The database in ${dataDir} does not open with the password in its file database-password: restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}

function passwordIn(dataDir: string): string {
  const { password } = pathsIn(dataDir);
  try {
    return readFileSync(password, "utf8").trim();
  } catch (error) {
    throw new StartupProblem(
      `The password of the database cannot be read from ${password}: restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}

function address(user: string, port: number, database: string, password: string): string {
  // sslmode, so that a PGSSLMODE in the environment does not ask the loopback for a certificate
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}
