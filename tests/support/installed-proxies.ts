import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, projectFolder } from "#tests/support/launched.ts";

/** A reverse proxy as shipped in `deploy/`, in front of two processes; without TLS by default. */
export interface ShippedProxy {
  port: number;
  /** The port in place of port 80. */
  plainPort: number;
  close(): Promise<void>;
}

const shipped = (name: string) => readFileSync(join(projectFolder, "deploy", name), "utf8");

const certificate = (name: string) => join(import.meta.dirname, "certificates", name);

/** `change` edits the shipped file; it listens once it answers anything. */
export async function shippedNginx(
  program: string,
  [first, second]: [number, number],
  { workers = 1, tls = false, change = (text: string) => text } = {},
): Promise<ShippedProxy> {
  const [port, plainPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "referral-network-nginx-"));
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const site = shipped("nginx.conf")
    .replace("127.0.0.1:3000", `127.0.0.1:${first}`)
    .replace("127.0.0.1:3001", `127.0.0.1:${second}`)
    .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
    .replace(/listen 443[^;]*;/, `listen 127.0.0.1:${port}${tls ? " ssl" : ""};`)
    .replace(/ssl_certificate .*;/, tls ? `ssl_certificate ${certificate("database.pem")};` : "")
    .replace(
      /ssl_certificate_key .*;/,
      tls ? `ssl_certificate_key ${certificate("database.key")};` : "",
    );
  const file = join(folder, "nginx.conf");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  writeFileSync(
    file,
    `daemon off; worker_processes ${workers}; ${user} pid ${folder}/pid; error_log stderr crit;
     events { worker_connections 2048; } http { access_log off; ${paths.join(" ")} ${change(site)} }`,
  );
  return run(program, ["-c", file, "-p", folder, "-e", "stderr"], { port, plainPort, folder });
}

export async function shippedCaddy(
  program: string,
  [first, second]: [number, number],
): Promise<ShippedProxy> {
  const [port, plainPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "referral-network-caddy-"));
  const file = join(folder, "Caddyfile");
  const options = "admin off\n\tlog {\n\t\tlevel PANIC\n\t}\n\tauto_https";
  writeFileSync(
    file,
    shipped("Caddyfile").replace("auto_https", options).replace(":80 {", `:${plainPort} {`),
  );
  return run(program, ["run", "--adapter", "caddyfile", "--config", file], {
    port,
    plainPort,
    folder,
    environment: {
      SITE_ADDRESS: `http://127.0.0.1:${port}`,
      UPSTREAMS: `127.0.0.1:${first} 127.0.0.1:${second}`,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
  });
}

function run(
  program: string,
  args: string[],
  {
    port,
    plainPort,
    folder,
    environment,
  }: { port: number; plainPort: number; folder: string; environment?: object },
): ShippedProxy {
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...environment },
  });
  const ended = once(child, "exit");
  return {
    port,
    plainPort,
    close: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
