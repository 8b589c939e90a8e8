import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The project's folder, without a trailing slash. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

const follow = new URL("./follow-launcher.mjs", import.meta.url).href;
const signals = ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * Run a Node program in the project's folder. Answers its exit code (128 + n if signal n ended it).
 *
 * Signals are passed on, and its end is waited for. If this process is killed, the program stops too. `quiet` sends
 * its stdout to stderr; `lock` is a file descriptor for it to hold.
 */
export function run(node, args, { cwd = root, env = process.env, quiet = false, lock } = {}) {
  const child = spawn(node, ["--import", follow, ...args], {
    cwd,
    env: { ...env, REFERRAL_NETWORK_LAUNCHER: String(process.pid) },
    stdio: ["inherit", quiet ? 2 : "inherit", "inherit", "ipc", ...(lock > 0 ? [lock] : [])],
  });
  const passOn = (name) => child.kill(name);
  for (const name of signals) process.on(name, passOn);
  const watch = watchParent(() => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  }).finally(() => {
    clearInterval(watch);
    for (const name of signals) process.off(name, passOn);
  });
}

/** npm may be killed as well. Started by hand, this may outlive its shell. */
function watchParent(onDeath) {
  if (!process.env["npm_lifecycle_event"]) return undefined;
  const parent = process.ppid;
  return setInterval(() => process.ppid === parent || onDeath(), 250).unref();
}
