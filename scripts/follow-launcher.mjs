/** Preloaded into what scripts/run.mjs starts: when the launcher is killed outright, stop as if asked to. */
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref(); // waiting for the launcher's end is no reason to stay
}
