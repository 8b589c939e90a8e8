/**
 * Preloaded into every Node that the launcher starts: if the launcher is killed, stop as if asked to. So a killed
 * `npm start` leaves no server behind, and a killed first run leaves no `npm ci` to conflict with the next.
 */
import { isMainThread } from "node:worker_threads";

// Its own children may inherit this preload, but their channels are not the launcher's.
const isLaunched = String(process.ppid) === process.env["REFERRAL_NETWORK_LAUNCHER"];

if (isMainThread && isLaunched && process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref(); // do not stay alive only for the launcher
}
