/**
 * Exit code 0 while the server in this container is ready: for HEALTHCHECK. With `--wait 8` it ends once the server
 * is ready and proxies have had eight seconds to notice, so that the next process may stop. It ends with exit code
 * 1 if systemd's main process has ended, which systemd only restarts when nothing is waiting for it.
 */
import { setTimeout as pause } from "node:timers/promises";

const { HOST = "", PORT, HEALTH_PORT, ROLES = "web", MAINPID } = process.env;
const host = ["", "0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST;
const port = (ROLES.includes("web") ? PORT : HEALTH_PORT) ?? "3000";
const [option, seconds] = process.argv.slice(2);

async function isReady() {
  try {
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/readyz`;
    return (await fetch(address, { signal: AbortSignal.timeout(4000) })).ok;
  } catch {
    return false;
  }
}

function hasEnded() {
  if (MAINPID === undefined) return false;
  try {
    return !process.kill(Number(MAINPID), 0);
  } catch (problem) {
    return problem.code === "ESRCH";
  }
}

if (option === "--wait") {
  while (!(await isReady())) {
    if (hasEnded()) process.exit(1);
    await pause(200);
  }
  await pause(1000 * Number(seconds));
} else process.exitCode = (await isReady()) ? 0 : 1;
