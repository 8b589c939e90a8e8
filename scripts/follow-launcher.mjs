/**
 * Preloaded into every Node that the launcher starts: when the launcher is killed outright, stop as if asked to.
 * So a killed `npm start` leaves no server behind, and a killed first run no `npm ci` for the next to collide with.
 */
import { isMainThread } from "node:worker_threads";

// Its own children may inherit this preload, and have channels that are not the launcher's.
const isLaunched = String(process.ppid) === process.env["REFERRAL_NETWORK_LAUNCHER"];

if (isMainThread && isLaunched && process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref(); // waiting for the launcher's end is no reason to stay
}
