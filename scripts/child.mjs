import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The project's folder, without a slash at its end. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

const signals = ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * Run a program in the project's folder and answer its exit code (128 + n when signal n ended it).
 *
 * Signals are passed on to it, and its end is waited for. When npm dies without a word (kill -9), the program
 * is asked to stop too. `quiet` sends what it prints on stdout to stderr. With `talk` it has a channel to this
 * process, which closes when this process dies: follow-launcher.mjs listens to that.
 */
export function run(
  program,
  args,
  { cwd = root, env = process.env, quiet = false, talk = false } = {},
) {
  const stdio = ["inherit", quiet ? 2 : "inherit", "inherit", ...(talk ? ["ipc"] : [])];
  const child = spawn(program, args, { cwd, env, stdio });
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

/** Only under npm: started by hand, this may well outlive the shell it came from. */
function watchParent(onDeath) {
  if (!process.env["npm_lifecycle_event"]) return undefined;
  const parent = process.ppid;
  return setInterval(() => process.ppid === parent || onDeath(), 250).unref();
}
