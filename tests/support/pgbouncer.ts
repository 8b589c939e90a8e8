import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "#tests/support/launched.ts";
import type { Pooler } from "#tests/support/transaction-pooler.ts";

/** The real pgbouncer, pooling transactions, in front of a database. It refuses to run as root. */
export async function aPgbouncer(program: string, connectionString: string): Promise<Pooler> {
  const { hostname, port, pathname, username, password } = new URL(connectionString);
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  const ownPort = await freePort();
  const database = pathname.slice(1);
  writeFileSync(
    file,
    `[databases]
${database} = host=${hostname} port=${port} dbname=${database} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
query_wait_timeout = 2
server_login_retry = 1
`,
  );
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, ["-q", file], { ...nobody, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "exit");
  while (!(await takesConnections(ownPort))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
    await pause(50);
  }
  const url = new URL(connectionString);
  url.port = String(ownPort);
  return {
    connectionString: url.href,
    close: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}
