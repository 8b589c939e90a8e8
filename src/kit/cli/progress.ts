import type { Writable } from "node:stream";

export interface Progress {
  show: (doing: string, share?: number) => void;
  /** Clear the line; nothing is printed after. */
  end: () => void;
}

/**
 * Show whoever waits what is being done, once it has taken a second: on a terminal one line that is
 * written over every second, elsewhere a line every ten seconds. That goes on even while a single long
 * statement runs.
 */
export function showProgress(stream: Writable & { isTTY?: boolean }): Progress {
  const startedAt = performance.now();
  let doing: string | null = null;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (doing === null) return;
    const line = `${doing} (${Math.round((performance.now() - startedAt) / 1000)} s)`;
    if (stream.isTTY) stream.write(`\r\u001B[K${line}`);
    else if (ticks % 10 === 1) stream.write(`${line}\n`);
  }, 1000);
  timer.unref();
  return {
    show: (now, share) => {
      doing = share === undefined ? now : `${now}: ${Math.floor(share * 100)} %`;
    },
    end: () => {
      clearInterval(timer);
      if (stream.isTTY && ticks > 0 && doing !== null) stream.write("\r\u001B[K");
    },
  };
}
