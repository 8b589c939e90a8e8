import { statfsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { chosenChromium } from "#tests/support/chosen-chromium.ts";

let ofWorker: Promise<Browser> | undefined;

/**
 * The browser that the files of one worker share, each test in a context of its own; it ends with the worker.
 */
export async function sharedBrowser(): Promise<Browser> {
  const running = await ofWorker;
  if (running?.isConnected()) return running;
  // A test's page lives for a second or two: optimized code would hardly run.
  ofWorker = launchBrowser(["--js-flags=--no-opt --no-maglev"]);
  return await ofWorker;
}

/**
 * A headless Chromium, the chosen one.
 *
 * None of its flags weakens the browser's rules about origins: what passes here passes for a user.
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const { path, environment } = chosenChromium();
  return await chromium.launch({
    executablePath: path,
    headless: true,
    env: { ...process.env, ...environment },
    args: [
      "--no-sandbox", // root has no other way, and only our own pages are opened
      "--disable-gpu",
      ...more,
      ...(hasSharedMemory() ? [] : ["--disable-dev-shm-usage"]),
      "--font-render-hinting=none",
      // No calls home: on a closed network they fail, by the dozen.
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-quic",
      "--disable-sync",
      "--no-first-run",
      "--no-pings",
    ],
  });
}

/** Containers often have 64 MB of it; otherwise its processes share memory through files on disk. */
function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 1e9;
  } catch {
    return false;
  }
}
