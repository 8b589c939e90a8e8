import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { vi } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { unprivilegedAccount } from "#kit/db/embedded-postgres/account.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { installedPostgres } from "#tests/support/own-postgres.ts";

/*
 * Two machines with Patroni and PostgreSQL by the shipped deploy/patroni.yml, and etcd on a third. Each is a
 * network namespace with an address of its own, so that the shipped ports are free, a machine can die with
 * all its processes, and one can be cut off from the others while the product still reaches it.
 */

export interface Node {
  address: string;
  start(): void;
  /** Kill PostgreSQL, Patroni and all their processes together. */
  kill(): void;
  /**
   * Cut it off from etcd and the other node silently: packets to them are dropped. The product still reaches
   * it.
   */
  isolate(): void;
  reconnect(): void;
  /** The status of Patroni's health check, such as 200 for `/primary`; null without an answer. */
  health(path: string): Promise<number | null>;
}

export interface Cluster {
  nodes: [Node, Node];
  /** A role's connection string, to whichever node takes writes. */
  address(role: string, database: string): string;
  administer(database: string, ...statements: string[]): Promise<void>;
  close(): void;
}

const password = "of-a-rehearsal";
const network = "10.213.77";
const etcdAddress = `${network}.2`;
/** No machine has this address. */
const unusedMac = "02:00:00:00:00:01";
/** Many times Patroni's own timeouts, for busy machines. */
export const patient = { timeout: 300_000, interval: 200 };

const Shipped = z.looseObject({
  bootstrap: z.looseObject({
    dcs: z.looseObject({
      postgresql: z.looseObject({ parameters: z.record(z.string(), z.unknown()) }),
    }),
  }),
  postgresql: z.looseObject({ parameters: z.record(z.string(), z.unknown()) }),
  watchdog: z.looseObject({ mode: z.string() }),
});

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const ip = (...args: string[]) => run("ip", ...args);

/** Both run, and commits wait for the second node. Needs root, for the networks. */
export async function aPatroniCluster(): Promise<Cluster> {
  const parent = mkdtempSync("/var/tmp/rn-failover-"); // on a disk: commits are waited for
  const account = unprivilegedAccount();
  const bridge = `rn${process.pid}`;
  const own = (path: string, mode: number) => {
    chmodSync(path, mode);
    chownSync(path, account.uid, account.gid);
  };
  own(parent, 0o700);
  for (const name of ["database.pem", "database.key"]) {
    copyFileSync(join(projectFolder, "tests/support/certificates", name), join(parent, name));
    own(join(parent, name), 0o600);
  }
  writeFileSync(join(parent, "patroni.yml"), settings(parent));
  own(join(parent, "patroni.yml"), 0o600);
  ip("link", "add", bridge, "type", "bridge");
  for (const host of [1, 2]) ip("address", "add", `${network}.${host}/24`, "dev", bridge);
  ip("link", "set", bridge, "up");

  /** Run as an ordinary user, since PostgreSQL refuses root, in the named namespace if there is one. */
  const begin = (name: string, args: string[], env: Record<string, string>, within?: string) => {
    const log = openSync(join(parent, `${name}.log`), "a");
    const ids = ["--reuid", String(account.uid), "--regid", String(account.gid), "--clear-groups"];
    const words = [...(within ? ["ip", "netns", "exec", within] : []), "setpriv", ...ids, ...args];
    const [program = "", ...rest] = words;
    const stdio: ["ignore", number, number] = ["ignore", log, log];
    return spawn(program, rest, { cwd: parent, stdio, env: { PATH: process.env["PATH"], ...env } });
  };
  const client = `http://${etcdAddress}:2379`;
  const etcd = begin(
    "etcd",
    [
      "etcd",
      `--data-dir=${join(parent, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=http://${etcdAddress}:2380`,
    ],
    {},
  );

  const aNode = (host: number): Node => {
    const name = `${bridge}-${host}`;
    const address = `${network}.${host}`;
    const others = [
      etcdAddress,
      ...[11, 12].filter((n) => n !== host).map((n) => `${network}.${n}`),
    ];
    const inside = (...args: string[]) => ip("netns", "exec", name, "ip", ...args);
    ip("netns", "add", name);
    ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name);
    ip("link", "set", name, "master", bridge, "up");
    inside("address", "add", `${address}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) inside("link", "set", device, "up");
    const role = (of: string, user: string) => ({
      [`PATRONI_${of}_USERNAME`]: user,
      [`PATRONI_${of}_PASSWORD`]: password,
    });
    const environment = {
      HOME: parent,
      PATRONI_NAME: `db-${host}`,
      PATRONI_ETCD3_HOSTS: `${etcdAddress}:2379`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
      PATRONI_POSTGRESQL_DATA_DIR: join(parent, `db-${host}`),
      PATRONI_POSTGRESQL_BIN_DIR: installedPostgres(),
      PATRONI_POSTGRESQL_PGPASS: join(parent, `pgpass-${host}`),
      ...role("SUPERUSER", "postgres"),
      ...role("REPLICATION", "replicator"),
      ...role("REWIND", "rewinder"),
    };
    return {
      address,
      start: () => void begin(`db-${host}`, ["patroni", "patroni.yml"], environment, name),
      kill: () => {
        for (const pid of ip("netns", "pids", name).split("\n").filter(Boolean).map(Number))
          killIfRunning(pid);
      },
      isolate: () => {
        for (const other of others)
          inside(
            "neighbor",
            "replace",
            other,
            "lladdr",
            unusedMac,
            "dev",
            "eth0",
            "nud",
            "permanent",
          );
      },
      reconnect: () => {
        for (const other of others) inside("neighbor", "delete", other, "dev", "eth0");
      },
      health: async (path) => {
        const signal = AbortSignal.timeout(5_000);
        const answer = await fetch(`http://${address}:8008${path}`, { signal }).catch(() => null);
        return answer?.status ?? null;
      },
    };
  };

  const nodes: [Node, Node] = [aNode(11), aNode(12)];
  const hosts = nodes.map((node) => `${node.address}:5432`).join(",");
  const addressOf = (role: string, database: string) =>
    `postgresql://${role}:${password}@${hosts}/${database}?target_session_attrs=read-write&sslmode=require`;
  const close = () => {
    for (const node of nodes) node.kill();
    etcd.kill("SIGKILL");
    for (const host of [11, 12]) ip("netns", "delete", `${bridge}-${host}`);
    ip("link", "delete", bridge);
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    const [first, second] = nodes;
    first.start();
    await vi.waitUntil(async () => (await first.health("/primary")) === 200, patient);
    second.start();
    await vi.waitUntil(async () => (await second.health("/synchronous")) === 200, patient);
  } catch (problem) {
    for (const name of ["db-11", "db-12", "etcd"])
      console.log(readFileSync(join(parent, `${name}.log`), "utf8").slice(-4000));
    close();
    throw problem;
  }
  return {
    nodes,
    close,
    address: addressOf,
    administer: async (database, ...statements) => {
      const connectionString = `postgresql://postgres:${password}@${nodes[0].address}/${database}`;
      const client = new Client({ connectionString, ssl: { rejectUnauthorized: false } });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    },
  };
}

/** The shipped file, except for this machine's folders and certificate, and the watchdog. */
function settings(parent: string): string {
  const shipped = Shipped.parse(
    parse(readFileSync(join(projectFolder, "deploy/patroni.yml"), "utf8")),
  );
  shipped.bootstrap.dcs.postgresql.parameters["archive_command"] = "true";
  Object.assign(shipped.postgresql.parameters, {
    unix_socket_directories: "",
    ssl_cert_file: join(parent, "database.pem"),
    ssl_key_file: join(parent, "database.key"),
  });
  // Two nodes on one machine cannot share a device, which would also reset it.
  shipped.watchdog.mode = "off";
  return stringify(shipped);
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited: its server is gone.
  }
}
