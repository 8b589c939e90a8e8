import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as after } from "node:timers/promises";

/*
 * Loaded into a server before it starts (`--import`): the longest times its event loop was held since the
 * last question. By the clock and by processor time, since a process on a shared machine also waits for its
 * turn.
 */

export interface LongestHold {
  wallMs: number;
  processorMs: number;
}

const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

const processorTime = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let used = processorTime();
let most = 0;
const note = () => {
  const now = processorTime();
  most = Math.max(most, now - used);
  used = now;
};
setInterval(note, 1).unref();

process.on("message", () => void sendLongestHolds());
process.channel?.unref();

async function sendLongestHolds(): Promise<void> {
  await after(20); // what the last call still has to do
  note();
  const longest: LongestHold = { wallMs: histogram.max / 1e6 - 1, processorMs: most / 1000 };
  process.send?.(longest);
  histogram.reset();
  most = 0;
}
