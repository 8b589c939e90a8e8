import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./child.mjs";

/**
 * Do `work` while no other process does work of the same `name` for this folder. `name` is a verb for the person
 * who waits: "install".
 *
 * The lock is a listening socket, which the kernel closes when its process dies, so it is never stale. `work` gets
 * the socket's descriptor: a program that inherits it holds the lock until it ends, even if this process is killed
 * first. (The server's own locks use SQLite, which Node 20 does not have.)
 */
export async function oneAtATime(name, work) {
  const lock = await listen(address(name), name);
  try {
    // Node has no public name for the descriptor. Without it, an orphan would just not hold the lock.
    return await work(lock["_handle"]?.fd);
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

function address(name) {
  const id = createHash("sha256").update(`${name} ${root}`).digest("hex").slice(0, 24);
  // Linux has socket names that are not files and disappear with the socket.
  return process.platform === "linux"
    ? `\0referral-network-${id}`
    : join(tmpdir(), `rn-${id}.sock`);
}

async function listen(path, name) {
  for (let waited = false; ; waited = true) {
    try {
      return await attempt(path);
    } catch (error) {
      if (error.code !== "EADDRINUSE") throw error;
    }
    if (!path.startsWith("\0") && !(await isAnswered(path))) rmSync(path, { force: true });
    if (!waited) console.error(`Waiting for another process to ${name}.`);
    await sleep(200);
  }
}

function attempt(path) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject).listen(path, () => resolve(server));
  });
}

function isAnswered(path) {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}
